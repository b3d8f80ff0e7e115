#pragma once

#include <span>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "terrain/noise/kernels.hpp"

// What the fields made of noise have in common: density = base(y) - sum.
namespace quarry::terrain::impl {

// Octaves whose weights add up to the amplitude; the options are as check(options) wants them.
NoiseSum make_sum(const NoiseOptions& options, bool ridged);

// How many octaves have waves of at least 2 * spacing: at least one, so that a far away hill has a slope.
int octaves_shown(const NoiseSum& sum, double spacing) noexcept;

void sum_densities(const NoiseSum& sum, const Base& base, std::span<const Position> points, std::span<float> out);

// The gradient of base - sum; with flat set, of the sum at y = 0, which does not change along y.
void sum_gradients(const NoiseSum& sum, const Base& base, double spacing, bool flat, std::span<const Position> points,
                   std::span<Gradient> out);

// As Field::reach.
double reach_of(const NoiseSum& sum) noexcept;

}  // namespace quarry::terrain::impl
