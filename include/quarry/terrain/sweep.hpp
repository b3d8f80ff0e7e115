#pragma once

#include <optional>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/raycast.hpp"

namespace quarry::terrain {

// The first place at which a ball that moves along a straight line touches something solid, or none within reach; the
// place is that of the ball's middle. The direction need not have length 1. What is thinner than the resolution along
// all axes may be missed; distances are exact to the resolution. Throws std::invalid_argument for options out of range,
// a direction of length 0, and a radius that is not 0 to 1,000 times the resolution.
QUARRY_API std::optional<RayHit> sweep_sphere(const Field& field, Position from, Position direction, double radius,
                                              const RayOptions& options = {});

// Whether anything is solid within a ball, as the resolution shows it.
QUARRY_API bool touches_ground(const Field& field, Position middle, double radius, double resolution = 0.25);

// Whether the column through x and z is solid anywhere from low to high.
QUARRY_API bool is_ground_at(const Field& field, double x, double z, double low, double high, double resolution = 0.25);

}  // namespace quarry::terrain
