#pragma once

#include <cmath>
#include <cstdint>

#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "terrain/noise/noise.hpp"

// The noise as README.md in src/terrain/noise writes it down, in double, one point at a time, nothing shared but the
// hash.
namespace quarry::terrain::reference {

inline double fade(double t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

// Cells are counted modulo 2^32.
inline std::uint32_t wrapped(double cell) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(cell));
}

inline double noise(std::uint32_t seed, double x, double y, double z) {
    const double cells[3] = {std::floor(x), std::floor(y), std::floor(z)};
    const double rest[3] = {x - cells[0], y - cells[1], z - cells[2]};
    double total = 0;
    for (std::uint32_t corner = 0; corner < 8; ++corner) {
        const std::uint32_t at[3] = {corner & 1U, (corner >> 1) & 1U, corner >> 2};
        const auto g = impl::lattice_gradient(
            impl::hash(seed, wrapped(cells[0]) + at[0], wrapped(cells[1]) + at[1], wrapped(cells[2]) + at[2]));
        double weight = 1;
        for (int axis = 0; axis < 3; ++axis) weight *= at[axis] != 0 ? fade(rest[axis]) : 1 - fade(rest[axis]);
        total += weight * (static_cast<double>(g.x) * (rest[0] - at[0]) + static_cast<double>(g.y) * (rest[1] - at[1]) +
                           static_cast<double>(g.z) * (rest[2] - at[2]));
    }
    return total;
}

// The sum over the first octaves, divided by the weights of all.
inline double fbm(const NoiseOptions& options, Position p, int octaves, bool ridged = false) {
    double sum = 0;
    double weights = 0;
    double weight = 1;
    double frequency = options.frequency;
    for (int i = 0; i < options.octaves; ++i) {
        if (i < octaves) {
            const double n =
                noise(impl::octave_seed(options.seed, i), p.x * frequency, p.y * frequency, p.z * frequency);
            sum += weight * (ridged ? 1 - 2 * std::abs(n) : n);
        }
        weights += weight;
        weight *= options.persistence;
        frequency *= options.lacunarity;
    }
    return sum / weights;
}

}  // namespace quarry::terrain::reference
