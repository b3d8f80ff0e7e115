#include "quarry/terrain/height_field.hpp"

#include "terrain/columns.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/noise/bounds.hpp"
#include "terrain/noise/sums.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain {
namespace {

Box on_ground(const Box& box) noexcept {
    return {{box.low.x, 0, box.low.z}, {box.high.x, 0, box.high.z}};
}

}  // namespace

HeightField::HeightField(const NoiseOptions& options) : options_(options) {
    check(options);
    sum_ = impl::make_sum(options, false);
}

void HeightField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    // Heights do not depend on y: one plane of them, at y = 0, serves all rows.
    SampleBlock plane = block;
    plane.first.y = 0;
    plane.ny = 1;
    plane.lattice.origin.y = 0;
    impl::ScratchFloats heights(plane.size());
    impl::noise_kernels().block(sum_, plane, impl::NoiseForm::automatic, {.offset = 0, .slope = 0}, heights.data());
    const impl::Base base{options_.offset, 1};
    for (std::int32_t z = 0; z < block.nz; ++z) {
        const float* const row = heights.data() + plane.index(0, 0, z);
        for (std::int32_t y = 0; y < block.ny; ++y) {
            const float level = base.at(block.lattice.y(block.first.y + y * block.step));
            float* const to = out + block.index(0, y, z);
            for (std::int32_t x = 0; x < block.nx; ++x) to[x] = level + row[x];
        }
    }
}

void HeightField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    const impl::Base base{options_.offset, 1};
    impl::for_columns(points, out, [&](std::span<const Position> columns, std::span<float> heights) {
        impl::sum_densities(sum_, {.offset = 0, .slope = 0}, columns, heights);
    });
    for (std::size_t i = 0; i < points.size(); ++i) out[i] = base.at(points[i].y) + out[i];
}

Interval HeightField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const impl::Base base{options_.offset, 1};
    const Interval level{base.at(box.low.y), base.at(box.high.y)};
    const Box flat = on_ground(box);
    if (const auto known = known_.within(flat)) {
        return nearest.here(Interval{level.low + known->low, level.high + known->high});
    }
    return nearest.here(impl::sum_bounds(sum_, flat, level, impl::BoundsFor::surface));
}

Interval HeightField::range(const Box& box) const {
    const impl::NearestRounding nearest;
    const impl::Base base{options_.offset, 1};
    const Interval level{base.at(box.low.y), base.at(box.high.y)};
    return nearest.here(impl::sum_bounds(sum_, on_ground(box), level, impl::BoundsFor::range));
}

std::shared_ptr<const Field> HeightField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    const Box flat = on_ground(box);
    if (known_.is_for(flat)) return nullptr;
    auto known = std::make_shared<HeightField>(*this);
    known->known_ = {flat, impl::sum_bounds(sum_, flat, {0, 0}, impl::BoundsFor::range)};
    return known;
}

void HeightField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    impl::sum_gradients(sum_, {options_.offset, 1}, spacing, true, points, out);
}

double HeightField::reach() const noexcept {
    return impl::reach_of(sum_);
}

}  // namespace quarry::terrain
