#pragma once

#include <cstddef>
#include <span>

#include "quarry/terrain/impl/noise_sum.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::impl {

// How a block is computed. Both forms give the same bits: rows is cheaper as long as a lattice cell holds at least a
// sample, for then its gradients are hashed once for many samples; automatic chooses for each octave.
enum class NoiseForm { automatic, rows, direct };

// What a gradient is taken of: base - sum, with the sum's first octaves only.
struct GradientTerms {
    int octaves;
    float rise;  // the base's own slope along y
    bool flat;   // the sum is the one at y = 0, which does not change along y
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
    // out[i] = base - sum at points[i].
    void (*points)(const NoiseSum& sum, const Base& base, std::span<const Position> points, float* out);
    // out[i] = the gradient at points[i].
    void (*gradients)(const NoiseSum& sum, const GradientTerms& terms, std::span<const Position> points, Gradient* out);
};

// Of the SIMD target that is in use.
const NoiseKernels& noise_kernels() noexcept;

}  // namespace quarry::terrain::impl
