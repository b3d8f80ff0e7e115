#include "quarry/terrain/noise_field.hpp"

#include <cmath>

#include "terrain/nearest_rounding.hpp"
#include "terrain/noise/bounds.hpp"
#include "terrain/noise/sums.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain {

void check(const NoiseOptions& options) {
    impl::require_range("NoiseOptions.octaves", options.octaves, 1, impl::kMostOctaves);
    impl::require_range("NoiseOptions.frequency", options.frequency, 1e-6, 1e3);
    impl::require_range("NoiseOptions.amplitude", options.amplitude, 0, 1e6);
    impl::require_range("NoiseOptions.offset", options.offset, -1e6, 1e6);
    impl::require_range("NoiseOptions.lacunarity", options.lacunarity, 1, 8);
    impl::require_range("NoiseOptions.persistence", options.persistence, 1e-3, 1);
    impl::require_range("NoiseOptions.frequency * lacunarity^(octaves - 1)",
                        options.frequency * std::pow(options.lacunarity, options.octaves - 1), 0, 1e4);
}

NoiseField::NoiseField(const NoiseOptions& options) : options_(options) {
    check(options);
    sum_ = impl::make_sum(options, false);
}

void NoiseField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    impl::noise_kernels().block(sum_, block, impl::NoiseForm::automatic, {options_.offset, 1}, out);
}

void NoiseField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    impl::sum_densities(sum_, {options_.offset, 1}, points, out);
}

Interval NoiseField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(impl::density_bounds(sum_, box, {options_.offset, 1}));
}

Interval NoiseField::range(const Box& box) const {
    const impl::NearestRounding nearest;
    const impl::Base base{options_.offset, 1};
    return nearest.here(impl::sum_bounds(sum_, box, {base.at(box.low.y), base.at(box.high.y)}, impl::BoundsFor::range));
}

void NoiseField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    impl::sum_gradients(sum_, {options_.offset, 1}, spacing, false, points, out);
}

// Gradients leave out the waves that samples so far apart cannot show, and so cost less than samples, which have all of
// them. On steep ground it is these waves that decide which way triangles face.
bool NoiseField::prefers_gradients(double spacing) const noexcept {
    const double finest = options_.frequency * std::pow(options_.lacunarity, options_.octaves - 1);
    constexpr double kSteep = 1;
    return 2 * spacing * finest > 1 && options_.amplitude * options_.frequency < kSteep;
}

double NoiseField::reach() const noexcept {
    return impl::reach_of(sum_);
}

}  // namespace quarry::terrain
