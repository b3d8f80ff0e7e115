#pragma once

#include <algorithm>
#include <cmath>

#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::impl {

// An interval of floats that holds the one in double, with room for the roundings of a few operations.
inline Interval widened(double low, double high) noexcept {
    const double slack = 1e-6 * std::max({std::abs(low), std::abs(high), 1e-3});
    return {static_cast<float>(low - slack), static_cast<float>(high + slack)};
}

inline double length(double x, double y, double z) noexcept {
    return std::sqrt(x * x + y * y + z * z);
}

inline Position centre_of(const Box& box) noexcept {
    return {(box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2, (box.low.z + box.high.z) / 2};
}

// The coordinate furthest from 0.
inline double farthest(const Box& box) noexcept {
    const auto larger = [](double low, double high) { return std::max(std::abs(low), std::abs(high)); };
    return std::max({larger(box.low.x, box.high.x), larger(box.low.y, box.high.y), larger(box.low.z, box.high.z)});
}

// From the centre of the box to a corner.
inline double reach_of(const Box& box) noexcept {
    return length(box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z) / 2;
}

}  // namespace quarry::terrain::impl
