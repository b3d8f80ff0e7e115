#include "quarry/terrain/shape_fields.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/rounding.hpp"

namespace quarry::terrain {
namespace {

constexpr double kFarthest = 1e9;
constexpr double kSmallest = 1e-6;

void require_place(const char* option, Position place) {
    impl::require_range((std::string(option) + ".x").c_str(), place.x, -kFarthest, kFarthest);
    impl::require_range((std::string(option) + ".y").c_str(), place.y, -kFarthest, kFarthest);
    impl::require_range((std::string(option) + ".z").c_str(), place.z, -kFarthest, kFarthest);
}

void require_size(const char* option, double size) {
    impl::require_range(option, size, kSmallest, kFarthest);
}

Position from(Position origin, Position p) noexcept {
    return {p.x - origin.x, p.y - origin.y, p.z - origin.z};
}

// Straight up where there is no direction, as in the middle of a sphere.
Gradient unit(double x, double y, double z) noexcept {
    const double size = impl::length(x, y, z);
    if (!(size > 0)) return {0, 1, 0};
    return {static_cast<float>(x / size), static_cast<float>(y / size), static_cast<float>(z / size)};
}

double least_distance(double low, double high) noexcept {
    return low > 0 ? low : (high < 0 ? -high : 0);
}

double box_distance(Position d, Position half) noexcept {
    const double x = std::abs(d.x) - half.x;
    const double y = std::abs(d.y) - half.y;
    const double z = std::abs(d.z) - half.z;
    const double outside = impl::length(std::max(x, 0.0), std::max(y, 0.0), std::max(z, 0.0));
    return outside + std::min(std::max({x, y, z}), 0.0);
}

double torus_distance(Position d, double ring, double tube) noexcept {
    const double out = std::sqrt(d.x * d.x + d.z * d.z) - ring;
    return std::sqrt(out * out + d.y * d.y) - tube;
}

// A distance changes by no more than the way to the place where it is asked for.
Interval around(double distance, const Box& box) noexcept {
    const double reach = impl::reach_of(box);
    return impl::widened(distance - reach, distance + reach);
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
        const Position d = from(centre_, points[i]);
        const double x = std::abs(d.x) - half_size_.x;
        const double y = std::abs(d.y) - half_size_.y;
        const double z = std::abs(d.z) - half_size_.z;
        const double most = std::max({x, y, z});
        const bool outside = most > 0;
        // Inside, only the nearest side counts; outside, the way to the nearest point of the box.
        const double gx = outside ? std::max(x, 0.0) : (x == most ? 1.0 : 0.0);
        const double gy = outside ? std::max(y, 0.0) : (x != most && y == most ? 1.0 : 0.0);
        const double gz = outside ? std::max(z, 0.0) : (x != most && y != most ? 1.0 : 0.0);
        out[i] = unit(std::copysign(gx, d.x), std::copysign(gy, d.y), std::copysign(gz, d.z));
    }
}

TorusField::TorusField(Position centre, double ring_radius, double tube_radius)
    : centre_(centre), ring_radius_(ring_radius), tube_radius_(tube_radius) {
    require_place("TorusField.centre", centre);
    require_size("TorusField.ring_radius", ring_radius);
    require_size("TorusField.tube_radius", tube_radius);
}

void TorusField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        out[i] = static_cast<float>(torus_distance(from(centre_, points[i]), ring_radius_, tube_radius_));
    }
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

}  // namespace quarry::terrain
