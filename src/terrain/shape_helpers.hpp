#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "quarry/terrain/lattice.hpp"
#include "terrain/options.hpp"
#include "terrain/rounding.hpp"

// What the shapes have in common.
namespace quarry::terrain::impl {

inline constexpr double kFarthestShape = 1e9;
inline constexpr double kSmallestShape = 1e-6;

inline void require_place(const char* option, Position place) {
    require_range((std::string(option) + ".x").c_str(), place.x, -kFarthestShape, kFarthestShape);
    require_range((std::string(option) + ".y").c_str(), place.y, -kFarthestShape, kFarthestShape);
    require_range((std::string(option) + ".z").c_str(), place.z, -kFarthestShape, kFarthestShape);
}

inline void require_size(const char* option, double size) {
    require_range(option, size, kSmallestShape, kFarthestShape);
}

inline Position from(Position origin, Position p) noexcept {
    return {p.x - origin.x, p.y - origin.y, p.z - origin.z};
}

// Straight up where there is no direction, as in the middle of a sphere.
inline Gradient unit(double x, double y, double z) noexcept {
    const double size = length(x, y, z);
    if (!(size > 0)) return {0, 1, 0};
    return {static_cast<float>(x / size), static_cast<float>(y / size), static_cast<float>(z / size)};
}

inline double least_distance(double low, double high) noexcept {
    return low > 0 ? low : (high < 0 ? -high : 0);
}

inline double box_distance(Position d, Position half) noexcept {
    const double x = std::abs(d.x) - half.x;
    const double y = std::abs(d.y) - half.y;
    const double z = std::abs(d.z) - half.z;
    const double outside = length(std::max(x, 0.0), std::max(y, 0.0), std::max(z, 0.0));
    return outside + std::min(std::max({x, y, z}), 0.0);
}

// Inside, only the nearest side counts; outside, the way to the nearest point of the box.
inline Gradient box_gradient(Position d, Position half) noexcept {
    const double x = std::abs(d.x) - half.x;
    const double y = std::abs(d.y) - half.y;
    const double z = std::abs(d.z) - half.z;
    const double most = std::max({x, y, z});
    const bool outside = most > 0;
    const double gx = outside ? std::max(x, 0.0) : (x == most ? 1.0 : 0.0);
    const double gy = outside ? std::max(y, 0.0) : (x != most && y == most ? 1.0 : 0.0);
    const double gz = outside ? std::max(z, 0.0) : (x != most && y != most ? 1.0 : 0.0);
    return unit(std::copysign(gx, d.x), std::copysign(gy, d.y), std::copysign(gz, d.z));
}

inline Box box_with(Position centre, Position half) noexcept {
    return {{centre.x - half.x, centre.y - half.y, centre.z - half.z},
            {centre.x + half.x, centre.y + half.y, centre.z + half.z}};
}

// A distance changes by no more than the way to the place where it is asked for.
inline Interval around(double distance, const Box& box) noexcept {
    const double reach = reach_of(box);
    return widened(distance - reach, distance + reach);
}

}  // namespace quarry::terrain::impl
