#include "quarry/terrain/combined_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain {
namespace {

constexpr std::size_t kBatch = 64;

// Minimum, rounded off where the two differ by less than blend. Grows with both, and never by more than either.
float smooth_minimum(float a, float b, float blend) noexcept {
    const float least = std::min(a, b);
    const float overlap = blend - std::abs(a - b);
    if (!(overlap > 0)) return least;
    return least - overlap * overlap / (4 * blend);
}

Interval signed_interval(float sign, Interval interval) noexcept {
    return sign > 0 ? interval : Interval{-interval.high, -interval.low};
}

}  // namespace

CombinedField::CombinedField(Combination combination, std::shared_ptr<const Field> first,
                             std::shared_ptr<const Field> second, double blend)
    : first_(std::move(first)),
      second_(std::move(second)),
      first_sign_(combination == Combination::unite ? 1.0F : -1.0F),
      second_sign_(combination == Combination::intersect ? -1.0F : 1.0F),
      blend_(static_cast<float>(blend)) {
    if (first_ == nullptr || second_ == nullptr) throw std::invalid_argument("CombinedField needs two fields");
    impl::require_range("CombinedField.blend", blend, 0, 1e6);
    reach_ = std::min(first_->reach(), second_->reach());
}

float CombinedField::combine(float first, float second) const noexcept {
    return first_sign_ * smooth_minimum(first_sign_ * first, second_sign_ * second, blend_);
}

void CombinedField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    // Where one field decides everything, the other is not sampled; what is left of it has the same bits.
    const Box box = box_of(block);
    const Interval first = signed_interval(first_sign_, first_->bounds(box));
    const Interval second = signed_interval(second_sign_, second_->bounds(box));
    if (second.low - first.high > blend_) {
        first_->sample(block, out);
        return;
    }
    if (first.low - second.high > blend_) {
        second_->sample(block, out);
        if (first_sign_ * second_sign_ < 0) {
            for (std::size_t i = 0; i < block.size(); ++i) out[i] = -out[i];
        }
        return;
    }
    impl::ScratchFloats others(block.size());
    first_->sample(block, out);
    second_->sample(block, others.data());
    for (std::size_t i = 0; i < block.size(); ++i) out[i] = combine(out[i], others.data()[i]);
}

void CombinedField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    first_->densities(points, out);
    std::array<float, kBatch> others;
    for (std::size_t at = 0; at < points.size(); at += kBatch) {
        const std::size_t count = std::min(kBatch, points.size() - at);
        second_->densities(points.subspan(at, count), std::span(others).first(count));
        for (std::size_t i = 0; i < count; ++i) out[at + i] = combine(out[at + i], others[i]);
    }
}

Interval CombinedField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Interval first = signed_interval(first_sign_, first_->bounds(box));
    const Interval second = signed_interval(second_sign_, second_->bounds(box));
    const float low = smooth_minimum(first.low, second.low, blend_);
    const float high = smooth_minimum(first.high, second.high, blend_);
    const float slack = blend_ > 0 ? 1e-6F * (std::max(std::abs(low), std::abs(high)) + blend_) : 0;
    return nearest.here(signed_interval(first_sign_, {low - slack, high + slack}));
}

void CombinedField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    std::array<float, kBatch> first;
    std::array<float, kBatch> second;
    std::array<Gradient, kBatch> others;
    first_->gradients(points, spacing, out);
    for (std::size_t at = 0; at < points.size(); at += kBatch) {
        const std::size_t count = std::min(kBatch, points.size() - at);
        const std::span<const Position> batch = points.subspan(at, count);
        first_->densities(batch, std::span(first).first(count));
        second_->densities(batch, std::span(second).first(count));
        second_->gradients(batch, spacing, std::span(others).first(count));
        for (std::size_t i = 0; i < count; ++i) {
            const float a = first_sign_ * first[i];
            const float b = second_sign_ * second[i];
            const float overlap = std::max(blend_ - std::abs(a - b), 0.0F);
            const float lesser = overlap > 0 ? overlap / (2 * blend_) : 0;  // the share of the greater of the two
            const float share = a <= b ? 1 - lesser : lesser;
            const float other = (1 - share) * first_sign_ * second_sign_;
            Gradient& g = out[at + i];
            g = {share * g.x + other * others[i].x, share * g.y + other * others[i].y,
                 share * g.z + other * others[i].z};
        }
    }
}

}  // namespace quarry::terrain
