#pragma once

#include <cstddef>

#include "quarry/terrain/impl/noise_sum.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::impl {

// How a block is computed. Both forms give the same bits: rows is cheaper as long as a lattice cell holds at least a
// sample, for then its gradients are hashed once for many samples; automatic chooses for each octave.
enum class NoiseForm { automatic, rows, direct };

// Places as three arrays.
struct PointArrays {
    const double* x;
    const double* y;
    const double* z;
    std::size_t count;
};

struct GradientArrays {
    float* x;
    float* y;
    float* z;
};

// The value at height y that a block's sums are taken from: (y - offset) * slope, rounded once to float.
struct Base {
    double offset = 0;
    double slope = 1;

    float at(double y) const noexcept { return static_cast<float>((y - offset) * slope); }
};

// What exists once for each SIMD target.
struct NoiseKernels {
    // out = base - sum at each sample of the block, x fastest.
    void (*block)(const NoiseSum& sum, const SampleBlock& block, NoiseForm form, const Base& base, float* out);
    // out[i] = bases[i] - sum at point i.
    void (*points)(const NoiseSum& sum, const PointArrays& points, const float* bases, float* out);
    // The gradient of the sum over the first octaves, at each point.
    void (*gradients)(const NoiseSum& sum, int octaves, const PointArrays& points, const GradientArrays& out);
};

// Of the SIMD target that is in use.
const NoiseKernels& noise_kernels() noexcept;

}  // namespace quarry::terrain::impl
