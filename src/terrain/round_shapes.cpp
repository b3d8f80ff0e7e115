#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "quarry/terrain/shape_fields.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/shape_helpers.hpp"
#include "terrain/shape_kernel.hpp"

namespace quarry::terrain {
namespace {

double dot(Position a, Position b) noexcept {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// From the nearest point of the stretch between two points.
Position from_line(Position first, Position second, Position p) noexcept {
    const Position along = impl::from(first, second);
    const Position d = impl::from(first, p);
    const double square = dot(along, along);
    const double share = square > 0 ? std::clamp(dot(d, along) / square, 0.0, 1.0) : 0;
    return {d.x - share * along.x, d.y - share * along.y, d.z - share * along.z};
}

// In the plane through the axis and the point: how far out, and how high above the cone's middle.
struct Flat {
    double out;
    double up;
};

// The shortest way to the cone's surface, and on which side of it the point is.
struct WayToCone {
    Flat way;
    double side;
};

WayToCone way_to_cone(Flat q, double low_radius, double high_radius, double half) noexcept {
    const Flat to_cap{q.out - std::min(q.out, q.up < 0 ? low_radius : high_radius), std::abs(q.up) - half};
    const Flat slant{high_radius - low_radius, 2 * half};
    const double share = std::clamp(
        ((high_radius - q.out) * slant.out + (half - q.up) * slant.up) / (slant.out * slant.out + slant.up * slant.up),
        0.0, 1.0);
    const Flat to_slant{q.out - high_radius + slant.out * share, q.up - half + slant.up * share};
    const bool inside = to_slant.out < 0 && to_cap.up < 0;
    const double cap_square = to_cap.out * to_cap.out + to_cap.up * to_cap.up;
    const double slant_square = to_slant.out * to_slant.out + to_slant.up * to_slant.up;
    const double cap_sign = q.up < 0 ? -1 : 1;
    if (cap_square < slant_square) return {{to_cap.out, cap_sign * to_cap.up}, inside ? -1.0 : 1.0};
    return {to_slant, inside ? -1.0 : 1.0};
}

}  // namespace

CapsuleField::CapsuleField(Position first, Position second, double radius)
    : first_(first), second_(second), radius_(radius) {
    impl::require_place("CapsuleField.first", first);
    impl::require_place("CapsuleField.second", second);
    impl::require_size("CapsuleField.radius", radius);
}

void CapsuleField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    const Position along = impl::from(first_, second_);
    impl::distances_from_capsule({first_, along, dot(along, along), radius_}, points, out.data());
}

Interval CapsuleField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Position d = from_line(first_, second_, impl::centre_of(box));
    return nearest.here(impl::around(impl::length(d.x, d.y, d.z) - radius_, box));
}

void CapsuleField::gradients(std::span<const Position> points, double /*spacing*/, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position d = from_line(first_, second_, points[i]);
        out[i] = impl::unit(d.x, d.y, d.z);
    }
}

std::optional<Box> CapsuleField::extent() const {
    return Box{{std::min(first_.x, second_.x) - radius_, std::min(first_.y, second_.y) - radius_,
                std::min(first_.z, second_.z) - radius_},
               {std::max(first_.x, second_.x) + radius_, std::max(first_.y, second_.y) + radius_,
                std::max(first_.z, second_.z) + radius_}};
}

ConeField::ConeField(Position base, double height, double base_radius, double top_radius)
    : middle_{base.x, base.y + height / 2, base.z},
      half_height_(height / 2),
      base_radius_(base_radius),
      top_radius_(top_radius) {
    impl::require_place("ConeField.base", base);
    impl::require_size("ConeField.height", height);
    impl::require_range("ConeField.base_radius", base_radius, 0, impl::kFarthestShape);
    impl::require_range("ConeField.top_radius", top_radius, 0, impl::kFarthestShape);
    if (!(base_radius + top_radius > 0)) {
        throw std::invalid_argument(
            "ConeField.base_radius and ConeField.top_radius are 0; one of them must be above 0");
    }
}

void ConeField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) out[i] = static_cast<float>(distance(points[i]));
}

double ConeField::distance(Position p) const noexcept {
    const Position d = impl::from(middle_, p);
    const WayToCone to = way_to_cone({std::sqrt(d.x * d.x + d.z * d.z), d.y}, base_radius_, top_radius_, half_height_);
    return to.side * std::sqrt(to.way.out * to.way.out + to.way.up * to.way.up);
}

Interval ConeField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(impl::around(distance(impl::centre_of(box)), box));
}

void ConeField::gradients(std::span<const Position> points, double /*spacing*/, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position d = impl::from(middle_, points[i]);
        const double from_axis = std::sqrt(d.x * d.x + d.z * d.z);
        const WayToCone to = way_to_cone({from_axis, d.y}, base_radius_, top_radius_, half_height_);
        const double scale = from_axis > 0 ? to.side * to.way.out / from_axis : 0;
        out[i] = impl::unit(d.x * scale, to.side * to.way.up, d.z * scale);
    }
}

std::optional<Box> ConeField::extent() const {
    const double out = std::max(base_radius_, top_radius_);
    return impl::box_with(middle_, {out, half_height_, out});
}

EllipsoidField::EllipsoidField(Position centre, Position radii)
    : centre_(centre), radii_(radii), least_(std::min({radii.x, radii.y, radii.z})) {
    impl::require_place("EllipsoidField.centre", centre);
    impl::require_size("EllipsoidField.radii.x", radii.x);
    impl::require_size("EllipsoidField.radii.y", radii.y);
    impl::require_size("EllipsoidField.radii.z", radii.z);
}

void EllipsoidField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position d = impl::from(centre_, points[i]);
        out[i] = static_cast<float>((impl::length(d.x / radii_.x, d.y / radii_.y, d.z / radii_.z) - 1) * least_);
    }
}

Interval EllipsoidField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Position low = impl::from(centre_, box.low);
    const Position high = impl::from(centre_, box.high);
    const double near =
        impl::length(impl::least_distance(low.x, high.x) / radii_.x, impl::least_distance(low.y, high.y) / radii_.y,
                     impl::least_distance(low.z, high.z) / radii_.z);
    const double far = impl::length(std::max(-low.x, high.x) / radii_.x, std::max(-low.y, high.y) / radii_.y,
                                    std::max(-low.z, high.z) / radii_.z);
    return nearest.here(impl::widened((near - 1) * least_, (far - 1) * least_));
}

void EllipsoidField::gradients(std::span<const Position> points, double /*spacing*/, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position d = impl::from(centre_, points[i]);
        const double size = impl::length(d.x / radii_.x, d.y / radii_.y, d.z / radii_.z);
        if (!(size > 0)) {
            out[i] = {0, 1, 0};
            continue;
        }
        const double scale = least_ / size;
        out[i] = {static_cast<float>(d.x / (radii_.x * radii_.x) * scale),
                  static_cast<float>(d.y / (radii_.y * radii_.y) * scale),
                  static_cast<float>(d.z / (radii_.z * radii_.z) * scale)};
    }
}

RoundedBoxField::RoundedBoxField(Position centre, Position half_size, double rounding)
    : centre_(centre),
      core_{half_size.x - rounding, half_size.y - rounding, half_size.z - rounding},
      rounding_(rounding) {
    impl::require_place("RoundedBoxField.centre", centre);
    impl::require_size("RoundedBoxField.half_size.x", half_size.x);
    impl::require_size("RoundedBoxField.half_size.y", half_size.y);
    impl::require_size("RoundedBoxField.half_size.z", half_size.z);
    impl::require_range("RoundedBoxField.rounding", rounding, 0, std::min({half_size.x, half_size.y, half_size.z}));
}

void RoundedBoxField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        out[i] = static_cast<float>(impl::box_distance(impl::from(centre_, points[i]), core_) - rounding_);
    }
}

Interval RoundedBoxField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const double distance = impl::box_distance(impl::from(centre_, impl::centre_of(box)), core_) - rounding_;
    return nearest.here(impl::around(distance, box));
}

void RoundedBoxField::gradients(std::span<const Position> points, double /*spacing*/, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    for (std::size_t i = 0; i < points.size(); ++i) out[i] = impl::box_gradient(impl::from(centre_, points[i]), core_);
}

std::optional<Box> RoundedBoxField::extent() const {
    return impl::box_with(centre_, {core_.x + rounding_, core_.y + rounding_, core_.z + rounding_});
}

}  // namespace quarry::terrain
