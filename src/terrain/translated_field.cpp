#include "quarry/terrain/translated_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain {
namespace {

constexpr std::size_t kTranslatedAtOnce = 64;

// Calls visit(first, points moved back by distance) for each batch of the points.
template <class Visit>
void moved_back(std::span<const Position> points, Position distance, Visit&& visit) {
    std::array<Position, kTranslatedAtOnce> moved;
    for (std::size_t at = 0; at < points.size(); at += kTranslatedAtOnce) {
        const std::size_t count = std::min(kTranslatedAtOnce, points.size() - at);
        for (std::size_t i = 0; i < count; ++i) {
            const Position& p = points[at + i];
            moved[i] = {p.x - distance.x, p.y - distance.y, p.z - distance.z};
        }
        visit(at, std::span<const Position>(moved).first(count));
    }
}

}  // namespace

TranslatedField::TranslatedField(std::shared_ptr<const Field> field, Position distance)
    : field_(std::move(field)), distance_(distance) {
    if (field_ == nullptr) throw std::invalid_argument("TranslatedField needs a field");
    impl::require_range("TranslatedField.distance.x", distance.x, -1e9, 1e9);
    impl::require_range("TranslatedField.distance.y", distance.y, -1e9, 1e9);
    impl::require_range("TranslatedField.distance.z", distance.z, -1e9, 1e9);
    reach_ = field_->reach() - std::max({std::abs(distance.x), std::abs(distance.y), std::abs(distance.z)});
}

void TranslatedField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    SampleBlock moved = block;
    moved.lattice.origin.x -= distance_.x;
    moved.lattice.origin.y -= distance_.y;
    moved.lattice.origin.z -= distance_.z;
    field_->sample(moved, out);
}

void TranslatedField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    moved_back(points, distance_, [&](std::size_t at, std::span<const Position> moved) {
        field_->densities(moved, out.subspan(at, moved.size()));
    });
}

Interval TranslatedField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(
        field_->bounds({{box.low.x - distance_.x, box.low.y - distance_.y, box.low.z - distance_.z},
                        {box.high.x - distance_.x, box.high.y - distance_.y, box.high.z - distance_.z}}));
}

void TranslatedField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    moved_back(points, distance_, [&](std::size_t at, std::span<const Position> moved) {
        field_->gradients(moved, spacing, out.subspan(at, moved.size()));
    });
}

}  // namespace quarry::terrain
