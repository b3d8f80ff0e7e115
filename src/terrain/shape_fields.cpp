#include "quarry/terrain/shape_fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "terrain/nearest_rounding.hpp"
#include "terrain/rounding.hpp"
#include "terrain/shape_helpers.hpp"
#include "terrain/shape_kernel.hpp"

namespace quarry::terrain {
namespace {

using impl::around;
using impl::box_distance;
using impl::box_with;
using impl::from;
using impl::least_distance;
using impl::require_place;
using impl::require_size;
using impl::unit;

double torus_distance(Position d, double ring, double tube) noexcept {
    const double out = std::sqrt(d.x * d.x + d.z * d.z) - ring;
    return std::sqrt(out * out + d.y * d.y) - tube;
}

}  // namespace

PlaneField::PlaneField(Position point, Position normal) {
    const impl::NearestRounding nearest;
    require_place("PlaneField.point", point);
    require_place("PlaneField.normal", normal);
    const double size = impl::length(normal.x, normal.y, normal.z);
    require_size("PlaneField.normal's length", size);
    normal_ = {normal.x / size, normal.y / size, normal.z / size};
    distance_ = normal_.x * point.x + normal_.y * point.y + normal_.z * point.z;
}

void PlaneField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position& p = points[i];
        out[i] = static_cast<float>(normal_.x * p.x + normal_.y * p.y + normal_.z * p.z - distance_);
    }
}

Interval PlaneField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Position c = impl::centre_of(box);
    const double middle = normal_.x * c.x + normal_.y * c.y + normal_.z * c.z - distance_;
    const double reach =
        (std::abs(normal_.x) * (box.high.x - box.low.x) + std::abs(normal_.y) * (box.high.y - box.low.y) +
         std::abs(normal_.z) * (box.high.z - box.low.z)) /
        2;
    return nearest.here(impl::widened(middle - reach, middle + reach));
}

void PlaneField::gradients(std::span<const Position> points, double /*spacing*/, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) out[i] = unit(normal_.x, normal_.y, normal_.z);
}

SphereField::SphereField(Position centre, double radius) : centre_(centre), radius_(radius) {
    require_place("SphereField.centre", centre);
    require_size("SphereField.radius", radius);
}

void SphereField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position d = from(centre_, points[i]);
        out[i] = static_cast<float>(impl::length(d.x, d.y, d.z) - radius_);
    }
}

void SphereField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    constexpr std::int32_t kMostAtOnce = 64;
    std::array<std::array<double, kMostAtOnce>, 3> squares;
    const auto fill = [&](std::array<double, kMostAtOnce>& to, std::int32_t first, std::int32_t samples,
                          const auto& coordinate) {
        const std::int32_t count = std::min(kMostAtOnce, samples - first);
        for (std::int32_t i = 0; i < count; ++i) {
            const double away = coordinate((first + i) * block.step);
            to[static_cast<std::size_t>(i)] = away * away;
        }
        return std::span<const double>(to).first(static_cast<std::size_t>(count));
    };
    const auto x = [&](std::int32_t i) { return block.lattice.x(block.first.x + i) - centre_.x; };
    const auto y = [&](std::int32_t i) { return block.lattice.y(block.first.y + i) - centre_.y; };
    const auto z = [&](std::int32_t i) { return block.lattice.z(block.first.z + i) - centre_.z; };
    for (std::int32_t k = 0; k < block.nz; k += kMostAtOnce) {
        const auto in_z = fill(squares[2], k, block.nz, z);
        for (std::int32_t j = 0; j < block.ny; j += kMostAtOnce) {
            const auto in_y = fill(squares[1], j, block.ny, y);
            for (std::int32_t i = 0; i < block.nx; i += kMostAtOnce) {
                // In the order of impl::length.
                impl::distances_from_ball({fill(squares[0], i, block.nx, x), in_y, in_z}, radius_,
                                          out + block.index(i, j, k), block.index(0, 1, 0), block.index(0, 0, 1));
            }
        }
    }
}

Interval SphereField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Position low = from(centre_, box.low);
    const Position high = from(centre_, box.high);
    const double near =
        impl::length(least_distance(low.x, high.x), least_distance(low.y, high.y), least_distance(low.z, high.z));
    const double far = impl::length(std::max(-low.x, high.x), std::max(-low.y, high.y), std::max(-low.z, high.z));
    return nearest.here(impl::widened(near - radius_, far - radius_));
}

void SphereField::gradients(std::span<const Position> points, double /*spacing*/, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position d = from(centre_, points[i]);
        out[i] = unit(d.x, d.y, d.z);
    }
}

std::optional<Box> SphereField::extent() const {
    return box_with(centre_, {radius_, radius_, radius_});
}

BoxField::BoxField(Position centre, Position half_size) : centre_(centre), half_size_(half_size) {
    require_place("BoxField.centre", centre);
    require_size("BoxField.half_size.x", half_size.x);
    require_size("BoxField.half_size.y", half_size.y);
    require_size("BoxField.half_size.z", half_size.z);
}

void BoxField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        out[i] = static_cast<float>(box_distance(from(centre_, points[i]), half_size_));
    }
}

Interval BoxField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(around(box_distance(from(centre_, impl::centre_of(box)), half_size_), box));
}

void BoxField::gradients(std::span<const Position> points, double /*spacing*/, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        out[i] = impl::box_gradient(from(centre_, points[i]), half_size_);
    }
}

std::optional<Box> BoxField::extent() const {
    return box_with(centre_, half_size_);
}

TorusField::TorusField(Position centre, double ring_radius, double tube_radius)
    : centre_(centre), ring_radius_(ring_radius), tube_radius_(tube_radius) {
    require_place("TorusField.centre", centre);
    require_size("TorusField.ring_radius", ring_radius);
    require_size("TorusField.tube_radius", tube_radius);
}

void TorusField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    impl::distances_from_torus({centre_, ring_radius_, tube_radius_}, points, out.data());
}

Interval TorusField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(around(torus_distance(from(centre_, impl::centre_of(box)), ring_radius_, tube_radius_), box));
}

void TorusField::gradients(std::span<const Position> points, double /*spacing*/, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position d = from(centre_, points[i]);
        const double from_axis = std::sqrt(d.x * d.x + d.z * d.z);
        const double out_of_ring = from_axis - ring_radius_;
        const double scale = from_axis > 0 ? out_of_ring / from_axis : 0;
        out[i] = unit(d.x * scale, d.y, d.z * scale);
    }
}

std::optional<Box> TorusField::extent() const {
    const double out = ring_radius_ + tube_radius_;
    return box_with(centre_, {out, tube_radius_, out});
}

}  // namespace quarry::terrain
