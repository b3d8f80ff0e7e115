#pragma once

#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

// Somebody who looks at a streamed world.
struct Viewer {
    Position position{};   // in world units
    Position direction{};  // where they look, of any length; all zero: nowhere in particular

    friend constexpr bool operator==(const Viewer&, const Viewer&) = default;
};

}  // namespace quarry::terrain
