#include "quarry/terrain/sweep.hpp"

#include <algorithm>
#include <cmath>

#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/rounding.hpp"

namespace quarry::terrain {
namespace {

constexpr double kMostResolutions = 1'000;
// Halvings of the last stretch, to an eighth of the resolution.
constexpr int kSweepHalvings = 3;

struct Ball {
    const Field& field;
    Position middle;
    double radius;
    double resolution;

    Box box() const noexcept {
        return {{middle.x - radius, middle.y - radius, middle.z - radius},
                {middle.x + radius, middle.y + radius, middle.z + radius}};
    }
    bool reaches(const Box& part) const noexcept {
        const auto away = [](double at, double low, double high) { return std::max({low - at, at - high, 0.0}); };
        const double x = away(middle.x, part.low.x, part.high.x);
        const double y = away(middle.y, part.low.y, part.high.y);
        const double z = away(middle.z, part.low.z, part.high.z);
        return x * x + y * y + z * z <= radius * radius;
    }
    // Whether the part has something solid within the ball. Bounds spare it most of the space.
    bool touches_in(const Box& part) const {
        if (!reaches(part)) return false;
        const Interval bounds = field.bounds(part);
        if (!(bounds.low < 0)) return false;
        if (bounds.high < 0) return true;
        const double x = part.high.x - part.low.x;
        const double y = part.high.y - part.low.y;
        const double z = part.high.z - part.low.z;
        const double size = std::max({x, y, z});
        if (size <= resolution) {
            return field.density_at({part.low.x + x / 2, part.low.y + y / 2, part.low.z + z / 2}) < 0;
        }
        Box near = part;
        Box far = part;
        if (size == x) {
            near.high.x = far.low.x = part.low.x + x / 2;
        } else if (size == y) {
            near.high.y = far.low.y = part.low.y + y / 2;
        } else {
            near.high.z = far.low.z = part.low.z + z / 2;
        }
        return touches_in(near) || touches_in(far);
    }
};

struct Sweep {
    const Field& field;
    Position from;
    Position direction;  // of length 1
    double radius;
    double resolution;

    Position at(double t) const noexcept {
        return {from.x + direction.x * t, from.y + direction.y * t, from.z + direction.z * t};
    }
    bool touches(double t) const {
        const Ball ball{field, at(t), radius, resolution};
        return ball.touches_in(ball.box());
    }
    // In a stretch that begins without touching.
    std::optional<double> first_touch(double begin, double end) const {
        const Position a = at(begin);
        const Position b = at(end);
        const Box box{{std::min(a.x, b.x) - radius, std::min(a.y, b.y) - radius, std::min(a.z, b.z) - radius},
                      {std::max(a.x, b.x) + radius, std::max(a.y, b.y) + radius, std::max(a.z, b.z) + radius}};
        if (!(field.bounds(box).low < 0)) return std::nullopt;
        if (end - begin <= resolution) {
            if (!touches(end)) return std::nullopt;
            for (int i = 0; i < kSweepHalvings; ++i) {
                const double middle = begin + (end - begin) / 2;
                (touches(middle) ? end : begin) = middle;
            }
            return end;
        }
        const double middle = begin + (end - begin) / 2;
        if (const std::optional<double> near = first_touch(begin, middle)) return near;
        if (touches(middle)) return middle;
        return first_touch(middle, end);
    }
};

void check_ball(double radius, double resolution) {
    impl::require_range("the resolution", resolution, 1e-6, 1e6);
    impl::require_range("the radius of the ball", radius, 0, kMostResolutions * resolution);
}

}  // namespace

std::optional<RayHit> sweep_sphere(const Field& field, Position from, Position direction, double radius,
                                   const RayOptions& options) {
    const impl::NearestRounding nearest;
    impl::require_range("RayOptions.reach", options.reach, 1e-6, 1e6);
    check_ball(radius, options.resolution);
    const double length = impl::length(direction.x, direction.y, direction.z);
    impl::require_range("the length of the ball's direction", length, 1e-100, 1e100);
    const Sweep sweep{
        field, from, {direction.x / length, direction.y / length, direction.z / length}, radius, options.resolution};
    if (sweep.touches(0)) return RayHit{0, from};
    const std::optional<double> distance = sweep.first_touch(0, options.reach);
    if (!distance) return std::nullopt;
    return nearest.here(RayHit{*distance, sweep.at(*distance)});
}

bool touches_ground(const Field& field, Position middle, double radius, double resolution) {
    const impl::NearestRounding nearest;
    check_ball(radius, resolution);
    const Ball ball{field, middle, radius, resolution};
    return ball.touches_in(ball.box());
}

bool is_ground_at(const Field& field, double x, double z, double low, double high, double resolution) {
    if (!(low < high)) {
        impl::require_range("the upper end of the column less the lower one", high - low, 1e-6, 1e6);
    }
    return raycast(field, {x, high, z}, {0, -1, 0}, {.reach = high - low, .resolution = resolution}).has_value();
}

}  // namespace quarry::terrain
