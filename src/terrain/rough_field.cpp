#include "quarry/terrain/rough_field.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include "terrain/nearest_rounding.hpp"
#include "terrain/noise/bounds.hpp"
#include "terrain/noise/sums.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain {
namespace {

constexpr std::size_t kRoughAtOnce = 128;

// Minus the sums: what is added to each density.
constexpr impl::Base kNoBase{.offset = 0, .slope = 0};

}  // namespace

RoughField::RoughField(std::shared_ptr<const Field> field, const NoiseOptions& noise) : field_(std::move(field)) {
    if (field_ == nullptr) throw std::invalid_argument("RoughField needs a field");
    check(noise);
    amplitude_ = noise.amplitude;
    sum_ = impl::make_sum(noise, false);
}

void RoughField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    field_->sample(block, out);
    impl::ScratchFloats skin(block.size());
    impl::noise_kernels().block(sum_, block, impl::NoiseForm::automatic, kNoBase, skin.data());
    for (std::size_t i = 0; i < block.size(); ++i) out[i] += skin.data()[i];
}

void RoughField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    field_->densities(points, out);
    std::array<float, kRoughAtOnce> skin;
    for (std::size_t at = 0; at < points.size(); at += skin.size()) {
        const std::size_t count = std::min(skin.size(), points.size() - at);
        impl::sum_densities(sum_, kNoBase, points.subspan(at, count), std::span(skin).first(count));
        for (std::size_t i = 0; i < count; ++i) out[at + i] += skin[i];
    }
}

Interval RoughField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Interval inner = field_->range(box);
    if (const auto known = known_.within(box)) {
        return nearest.here(Interval{inner.low + known->low, inner.high + known->high});
    }
    // Looks at no more waves than are needed to know whether there is a surface.
    return nearest.here(impl::sum_bounds(sum_, box, inner, impl::BoundsFor::surface));
}

Interval RoughField::range(const Box& box) const {
    const impl::NearestRounding nearest;
    const Interval inner = field_->range(box);
    const std::optional<Interval> known = known_.within(box);
    const Interval skin = known ? *known : impl::sum_bounds(sum_, box, {0, 0}, impl::BoundsFor::range);
    return nearest.here(Interval{inner.low + skin.low, inner.high + skin.high});
}

void RoughField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    field_->gradients(points, spacing, out);
    std::array<Gradient, kRoughAtOnce> skin;
    for (std::size_t at = 0; at < points.size(); at += skin.size()) {
        const std::size_t count = std::min(skin.size(), points.size() - at);
        impl::sum_gradients(sum_, kNoBase, spacing, false, points.subspan(at, count), std::span(skin).first(count));
        for (std::size_t i = 0; i < count; ++i) {
            Gradient& each = out[at + i];
            each = {each.x + skin[i].x, each.y + skin[i].y, each.z + skin[i].z};
        }
    }
}

double RoughField::reach() const noexcept {
    return std::min(field_->reach(), impl::reach_of(sum_));
}

// Densities are less by up to the amplitude, and so is the distance to a box that is larger by it.
std::optional<Box> RoughField::extent() const {
    const std::optional<Box> inner = field_->extent();
    if (!inner) return std::nullopt;
    const double by = 1.0001 * amplitude_;
    return Box{{inner->low.x - by, inner->low.y - by, inner->low.z - by},
               {inner->high.x + by, inner->high.y + by, inner->high.z + by}};
}

std::shared_ptr<const Field> RoughField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    if (known_.is_for(box)) return nullptr;
    auto less = std::make_shared<RoughField>(*this);
    if (std::shared_ptr<const Field> inner = field_->within(box)) less->field_ = std::move(inner);
    less->known_ = {box, impl::sum_bounds(sum_, box, {0, 0}, impl::BoundsFor::range)};
    return less;
}

}  // namespace quarry::terrain
