#pragma once

#include "quarry/terrain/impl/noise_sum.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::impl {

// Holds the noise of the octave at every point of the box, rounding included.
Interval octave_bounds(const Octave& octave, const Box& box) noexcept;

// Holds what the octave adds to the sum when its noise lies in the interval.
Interval term_bounds(const NoiseSum& sum, const Octave& octave, Interval noise) noexcept;

// Bounds base - sum over the box, where base lies in the interval given. Octaves are looked at one by one, the first
// one first, and only until it is clear that there is no surface.
Interval sum_bounds(const NoiseSum& sum, const Box& box, Interval base) noexcept;

}  // namespace quarry::terrain::impl
