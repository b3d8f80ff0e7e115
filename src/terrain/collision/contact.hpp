#pragma once

#include <array>
#include <optional>

// Rays and moving spheres against triangles, in double.
namespace quarry::terrain::collision {

struct Vec {
    double x = 0;
    double y = 0;
    double z = 0;

    friend constexpr Vec operator+(const Vec& a, const Vec& b) noexcept { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend constexpr Vec operator-(const Vec& a, const Vec& b) noexcept { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend constexpr Vec operator*(const Vec& a, double by) noexcept { return {a.x * by, a.y * by, a.z * by}; }
};

constexpr double dot(const Vec& a, const Vec& b) noexcept {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
constexpr Vec cross(const Vec& a, const Vec& b) noexcept {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

using Triangle = std::array<Vec, 3>;

// Where a ray meets a triangle, from either side. Corners and sides count, with room for what is rounded: so no ray
// slips through between triangles that share them. A ray within the triangle's plane passes.
struct Crossing {
    double distance;
    bool leaves;  // it comes from the back
};
std::optional<Crossing> crossing(const Vec& from, const Vec& direction, const Triangle& triangle) noexcept;

// The place of the triangle that is nearest to a point.
Vec nearest_on(const Triangle& triangle, const Vec& point) noexcept;

// The first distance in 0 .. reach at which a sphere touches the triangle; direction has length 1.
std::optional<double> first_touch(const Vec& from, const Vec& direction, double radius, double reach,
                                  const Triangle& triangle) noexcept;

}  // namespace quarry::terrain::collision
