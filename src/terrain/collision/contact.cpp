#include "terrain/collision/contact.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace quarry::terrain::collision {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The smaller root of a t^2 + 2 b t + c = 0, for c > 0: when something outside gets to the border.
double first_root(double a, double b, double c) noexcept {
    const double under = b * b - a * c;
    if (a <= 0 || b >= 0 || under < 0) return kNever;
    // The form that does not subtract two numbers of like size.
    return c / (-b + std::sqrt(under));
}

double touch_point(const Vec& from, const Vec& direction, double radius, const Vec& point) noexcept {
    const Vec away = from - point;
    return first_root(1, dot(direction, away), dot(away, away) - radius * radius);
}

// The cylinder around a side, between its ends; the ends are points.
double touch_side(const Vec& from, const Vec& direction, double radius, const Vec& a, const Vec& b) noexcept {
    const Vec side = b - a;
    const double square = dot(side, side);
    if (!(square > 0)) return kNever;
    const Vec away = from - a;
    const Vec across = direction - side * (dot(direction, side) / square);
    const Vec beside = away - side * (dot(away, side) / square);
    const double outside = dot(beside, beside) - radius * radius;
    // A sphere that overlaps the endless cylinder gets to the side by one of its ends.
    if (outside <= 0) return kNever;
    const double t = first_root(dot(across, across), dot(across, beside), outside);
    if (t == kNever) return kNever;
    const double share = dot(away + direction * t, side) / square;
    return share >= 0 && share <= 1 ? t : kNever;
}

double size_of(const Vec& vec) noexcept {
    return std::abs(vec.x) + std::abs(vec.y) + std::abs(vec.z);
}

bool is_over(const Triangle& triangle, const Vec& normal, const Vec& point) noexcept {
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec& a = triangle[k];
        if (dot(cross(triangle[(k + 1) % 3] - a, point - a), normal) < 0) return false;
    }
    return true;
}

double touch_face(const Vec& from, const Vec& direction, double radius, const Triangle& triangle) noexcept {
    const Vec across = cross(triangle[1] - triangle[0], triangle[2] - triangle[0]);
    const double length = std::sqrt(dot(across, across));
    if (!(length > 0)) return kNever;
    Vec normal = across * (1 / length);
    double height = dot(from - triangle[0], normal);
    const double side = height < 0 ? -1 : 1;
    height *= side;
    const double speed = dot(direction, normal) * side;
    if (height <= radius || speed >= 0) return kNever;
    const double t = (radius - height) / speed;
    return is_over(triangle, normal, from + direction * t) ? t : kNever;
}

}  // namespace

std::optional<Crossing> crossing(const Vec& from, const Vec& direction, const Triangle& triangle) noexcept {
    const Vec a = triangle[0] - from;
    const Vec b = triangle[1] - from;
    const Vec c = triangle[2] - from;
    // On which side of each edge the ray passes.
    const double ab = dot(direction, cross(a, b));
    const double bc = dot(direction, cross(b, c));
    const double ca = dot(direction, cross(c, a));
    // Through a corner all triangles around it may be missed by what is rounded.
    const double furthest = std::max({size_of(a), size_of(b), size_of(c)});
    const double rounded = 4e-15 * size_of(direction) * furthest * furthest;
    const double sum = ab + bc + ca;
    if (std::abs(sum) <= 3 * rounded) return std::nullopt;
    const bool is_behind = sum > 0;
    const double least = is_behind ? std::min({ab, bc, ca}) : -std::max({ab, bc, ca});
    if (least < -rounded) return std::nullopt;
    const double distance = dot(a * bc + b * ca + c * ab, direction) / (sum * dot(direction, direction));
    if (distance < 0) return std::nullopt;
    return Crossing{distance, is_behind};
}

Vec nearest_on(const Triangle& triangle, const Vec& point) noexcept {
    const Vec normal = cross(triangle[1] - triangle[0], triangle[2] - triangle[0]);
    const double square = dot(normal, normal);
    if (square > 0 && is_over(triangle, normal, point)) {
        return point - normal * (dot(point - triangle[0], normal) / square);
    }
    Vec best = triangle[0];
    double nearest = kNever;
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec& a = triangle[k];
        const Vec side = triangle[(k + 1) % 3] - a;
        const double length = dot(side, side);
        const double share = length > 0 ? std::clamp(dot(point - a, side) / length, 0.0, 1.0) : 0.0;
        const Vec at = a + side * share;
        const double away = dot(point - at, point - at);
        if (away >= nearest) continue;
        nearest = away;
        best = at;
    }
    return best;
}

std::optional<double> first_touch(const Vec& from, const Vec& direction, double radius, double reach,
                                  const Triangle& triangle) noexcept {
    const Vec away = from - nearest_on(triangle, from);
    if (dot(away, away) <= radius * radius) return 0.0;
    double first = touch_face(from, direction, radius, triangle);
    for (std::size_t k = 0; k < 3; ++k) {
        first = std::min(first, touch_side(from, direction, radius, triangle[k], triangle[(k + 1) % 3]));
        first = std::min(first, touch_point(from, direction, radius, triangle[k]));
    }
    if (first > reach) return std::nullopt;
    return first;
}

}  // namespace quarry::terrain::collision
