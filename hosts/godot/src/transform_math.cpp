#include "transform_math.hpp"

#include <algorithm>
#include <cmath>

namespace quarry::godot {
namespace {

double determinant(const Transform& transform) {
    const auto& [a, b, c] = transform.rows;
    return static_cast<double>(a.x) * (static_cast<double>(b.y) * c.z - static_cast<double>(b.z) * c.y) -
           static_cast<double>(a.y) * (static_cast<double>(b.x) * c.z - static_cast<double>(b.z) * c.x) +
           static_cast<double>(a.z) * (static_cast<double>(b.x) * c.y - static_cast<double>(b.y) * c.x);
}

// By the inverse of the matrix, without the origin.
terrain::Position inverse(const Transform& transform, double x, double y, double z) {
    const auto& [a, b, c] = transform.rows;
    const auto minor = [](double p, double q, double r, double s) { return p * s - q * r; };
    const double xx = minor(b.y, b.z, c.y, c.z);
    const double yy = minor(a.y, a.z, c.y, c.z);
    const double zz = minor(a.y, a.z, b.y, b.z);
    const double determinant = a.x * xx - b.x * yy + c.x * zz;
    if (determinant == 0) return {x, y, z};
    return {
        (x * xx - y * yy + z * zz) / determinant,
        (-x * minor(b.x, b.z, c.x, c.z) + y * minor(a.x, a.z, c.x, c.z) - z * minor(a.x, a.z, b.x, b.z)) / determinant,
        (x * minor(b.x, b.y, c.x, c.y) - y * minor(a.x, a.y, c.x, c.y) + z * minor(a.x, a.y, b.x, b.y)) / determinant};
}

}  // namespace

terrain::Position to_local(const Transform& transform, const Vec3& global) {
    return inverse(transform, static_cast<double>(global.x) - transform.origin.x,
                   static_cast<double>(global.y) - transform.origin.y,
                   static_cast<double>(global.z) - transform.origin.z);
}

terrain::Position vector_to_local(const Transform& transform, const Vec3& global) {
    return inverse(transform, global.x, global.y, global.z);
}

Vec3 to_global(const Transform& transform, const terrain::Position& local) {
    const auto along = [&](const Vec3& row, float origin) {
        return static_cast<float>(row.x * local.x + row.y * local.y + row.z * local.z + origin);
    };
    return {along(transform.rows[0], transform.origin.x), along(transform.rows[1], transform.origin.y),
            along(transform.rows[2], transform.origin.z)};
}

double scale_of(const Transform& transform) {
    const double scale = std::cbrt(std::abs(determinant(transform)));
    return scale > 0 ? scale : 1;
}

Aabb to_global(const Transform& transform, const terrain::Box& local) {
    Vec3 low{INFINITY, INFINITY, INFINITY};
    Vec3 high{-INFINITY, -INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 at = to_global(transform, terrain::Position{(corner & 1) != 0 ? local.high.x : local.low.x,
                                                               (corner & 2) != 0 ? local.high.y : local.low.y,
                                                               (corner & 4) != 0 ? local.high.z : local.low.z});
        low = {std::min(low.x, at.x), std::min(low.y, at.y), std::min(low.z, at.z)};
        high = {std::max(high.x, at.x), std::max(high.y, at.y), std::max(high.z, at.z)};
    }
    return {low, {high.x - low.x, high.y - low.y, high.z - low.z}};
}

}  // namespace quarry::godot
