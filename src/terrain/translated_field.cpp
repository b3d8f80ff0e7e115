#include "quarry/terrain/translated_field.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "terrain/moved_points.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain {
namespace {

auto moved_back_by(const Position& distance) {
    return [distance](const Position& p) { return Position{p.x - distance.x, p.y - distance.y, p.z - distance.z}; };
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

// Points are moved one by one. Where the voxel size makes that another place by a last digit, blocks are points too.
void TranslatedField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    const SampleBlock moved = moved_block(block);
    if (is_exact(block, moved)) {
        field_->sample(moved, out);
    } else {
        Field::sample(block, out);
    }
}

void TranslatedField::sample_surface(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    const SampleBlock moved = moved_block(block);
    if (is_exact(block, moved)) {
        field_->sample_surface(moved, out);
    } else {
        Field::sample(block, out);
    }
}

SampleBlock TranslatedField::moved_block(const SampleBlock& block) const noexcept {
    SampleBlock moved = block;
    moved.lattice.origin.x -= distance_.x;
    moved.lattice.origin.y -= distance_.y;
    moved.lattice.origin.z -= distance_.z;
    return moved;
}

void TranslatedField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    impl::for_moved_points(points, moved_back_by(distance_), [&](std::size_t at, std::span<const Position> moved) {
        field_->densities(moved, out.subspan(at, moved.size()));
    });
}

bool TranslatedField::is_exact(const SampleBlock& block, const SampleBlock& moved) const noexcept {
    for (std::int32_t i = 0; i < block.nx; ++i) {
        const std::int32_t x = block.first.x + i * block.step;
        if (block.lattice.x(x) - distance_.x != moved.lattice.x(x)) return false;
    }
    for (std::int32_t i = 0; i < block.ny; ++i) {
        const std::int32_t y = block.first.y + i * block.step;
        if (block.lattice.y(y) - distance_.y != moved.lattice.y(y)) return false;
    }
    for (std::int32_t i = 0; i < block.nz; ++i) {
        const std::int32_t z = block.first.z + i * block.step;
        if (block.lattice.z(z) - distance_.z != moved.lattice.z(z)) return false;
    }
    return true;
}

Interval TranslatedField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(field_->bounds(moved_box(box, -1)));
}

Interval TranslatedField::range(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(field_->range(moved_box(box, -1)));
}

std::optional<Box> TranslatedField::extent() const {
    const std::optional<Box> inner = field_->extent();
    if (!inner) return std::nullopt;
    return moved_box(*inner, 1);
}

std::shared_ptr<const Field> TranslatedField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    std::shared_ptr<const Field> inner = field_->within(moved_box(box, -1));
    if (inner == nullptr) return nullptr;
    return std::make_shared<const TranslatedField>(std::move(inner), distance_);
}

Box TranslatedField::moved_box(const Box& box, double sign) const noexcept {
    const Position by{sign * distance_.x, sign * distance_.y, sign * distance_.z};
    return {{box.low.x + by.x, box.low.y + by.y, box.low.z + by.z},
            {box.high.x + by.x, box.high.y + by.y, box.high.z + by.z}};
}

void TranslatedField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    impl::for_moved_points(points, moved_back_by(distance_), [&](std::size_t at, std::span<const Position> moved) {
        field_->gradients(moved, spacing, out.subspan(at, moved.size()));
    });
}

}  // namespace quarry::terrain
