#include "quarry/terrain/ridged_field.hpp"

#include "terrain/nearest_rounding.hpp"
#include "terrain/noise/bounds.hpp"
#include "terrain/noise/sums.hpp"

namespace quarry::terrain {

RidgedField::RidgedField(const NoiseOptions& options) : options_(options) {
    check(options);
    sum_ = impl::make_sum(options, true);
}

void RidgedField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    impl::noise_kernels().block(sum_, block, impl::NoiseForm::automatic, {options_.offset, 1}, out);
}

void RidgedField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    impl::sum_densities(sum_, {options_.offset, 1}, points, out);
}

Interval RidgedField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(impl::density_bounds(sum_, box, {options_.offset, 1}));
}

Interval RidgedField::range(const Box& box) const {
    const impl::NearestRounding nearest;
    const impl::Base base{options_.offset, 1};
    return nearest.here(impl::sum_bounds(sum_, box, {base.at(box.low.y), base.at(box.high.y)}, impl::BoundsFor::range));
}

void RidgedField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    impl::sum_gradients(sum_, {options_.offset, 1}, spacing, false, points, out);
}

double RidgedField::reach() const noexcept {
    return impl::reach_of(sum_);
}

}  // namespace quarry::terrain
