#include "quarry/terrain/raycast.hpp"

#include <algorithm>
#include <cmath>

#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/rounding.hpp"

namespace quarry::terrain {
namespace {

// Halvings of the last stretch: down to the resolution over a million.
constexpr int kHalvings = 20;

struct Ray {
    const Field& field;
    Position from;
    Position direction;  // of length 1
    double resolution;

    Position at(double t) const noexcept {
        return {from.x + direction.x * t, from.y + direction.y * t, from.z + direction.z * t};
    }
    bool is_solid(double t) const { return field.density_at(at(t)) < 0; }

    // The first solid distance in a stretch that begins in the air.
    std::optional<double> first_solid(double begin, double end) const {
        const Position a = at(begin);
        const Position b = at(end);
        const Interval bounds = field.bounds({{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
                                              {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}});
        if (!(bounds.low < 0)) return std::nullopt;
        if (end - begin <= resolution) return is_solid(end) ? std::optional(crossing(begin, end)) : std::nullopt;
        const double middle = begin + (end - begin) / 2;
        if (const std::optional<double> near = first_solid(begin, middle)) return near;
        if (is_solid(middle)) return middle;
        return first_solid(middle, end);
    }

    double crossing(double air, double solid) const {
        for (int i = 0; i < kHalvings; ++i) {
            const double middle = air + (solid - air) / 2;
            (is_solid(middle) ? solid : air) = middle;
        }
        return solid;
    }
};

}  // namespace

std::optional<RayHit> raycast(const Field& field, Position from, Position direction, const RayOptions& options) {
    const impl::NearestRounding nearest;
    from = nearest.here(from);
    direction = nearest.here(direction);
    impl::require_range("RayOptions.reach", options.reach, 1e-6, 1e6);
    impl::require_range("RayOptions.resolution", options.resolution, 1e-6, 1e6);
    const double length = impl::length(direction.x, direction.y, direction.z);
    impl::require_range("the length of the ray's direction", length, 1e-100, 1e100);
    const Ray ray{field, from, {direction.x / length, direction.y / length, direction.z / length}, options.resolution};
    if (ray.is_solid(0)) return RayHit{0, from};
    const std::optional<double> distance = ray.first_solid(0, options.reach);
    if (!distance) return std::nullopt;
    return nearest.here(RayHit{*distance, ray.at(*distance)});
}

std::optional<double> highest_ground_below(const Field& field, double x, double y, double z,
                                           const RayOptions& options) {
    const impl::NearestRounding nearest;
    const std::optional<RayHit> hit = raycast(field, {x, y, z}, {0, -1, 0}, options);
    if (!hit) return std::nullopt;
    return hit->position.y;
}

}  // namespace quarry::terrain
