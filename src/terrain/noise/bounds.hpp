#pragma once

#include "quarry/terrain/impl/noise_sum.hpp"
#include "quarry/terrain/lattice.hpp"
#include "terrain/noise/kernels.hpp"

namespace quarry::terrain::impl {

// Holds the noise of the octave at every point of the box, rounding included.
Interval octave_bounds(const Octave& octave, const Box& box) noexcept;

// Holds what the octave adds to the sum when its noise lies in the interval.
Interval term_bounds(const NoiseSum& sum, const Octave& octave, Interval noise) noexcept;

// What bounds are wanted for: to know whether there may be a surface, or to be as narrow as can be.
enum class BoundsFor { surface, range };

// Bounds base - sum over the box, where base lies in the interval given. Octaves are looked at one by one, the first
// one first; for a surface only until it is clear that there is none, or that the octaves that are left cannot tell.
Interval sum_bounds(const NoiseSum& sum, const Box& box, Interval base, BoundsFor purpose) noexcept;

// The same for a base that depends on y. Where a surface is in doubt but not likely, the box is looked at in parts.
Interval density_bounds(const NoiseSum& sum, const Box& box, const Base& base) noexcept;

}  // namespace quarry::terrain::impl
