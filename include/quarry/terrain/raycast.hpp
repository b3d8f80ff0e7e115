#pragma once

#include <optional>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

// How far a ray goes, and how exact it is.
struct RayOptions {
    double reach = 1000;       // world units; above 0 .. 1e6
    double resolution = 0.25;  // what is thinner than this along the ray may be missed; 1e-6 .. 1e6
};

// Where a ray met something solid.
struct RayHit {
    // World units along the ray, and the place there.
    double distance = 0;
    Position position{};
};

// The first place along the ray that is solid, or none within reach. The direction need not have length 1. Empty space
// is crossed by bounds, in few steps. Throws std::invalid_argument for options out of range and for a direction of
// length 0.
QUARRY_API std::optional<RayHit> raycast(const Field& field, Position from, Position direction,
                                         const RayOptions& options = {});

// The greatest height not above y at which the column through x and z is solid; y itself where it is.
QUARRY_API std::optional<double> highest_ground_below(const Field& field, double x, double y, double z,
                                                      const RayOptions& options = {});

}  // namespace quarry::terrain
