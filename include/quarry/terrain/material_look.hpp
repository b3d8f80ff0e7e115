#pragma once

#include <string>

#include "quarry/export.hpp"

namespace quarry::terrain {

// Linear light, 0 to 1, as glTF has it.
struct MaterialColour {
    float red = 1;    // its share of red,
    float green = 1;  // of green
    float blue = 1;   // and of blue

    friend constexpr bool operator==(const MaterialColour&, const MaterialColour&) = default;
};

// What a material of a world is called and looks like.
struct MaterialLook {
    // Pictures give grass, rock and snow a texture of their own; any other name, or none, is even ground.
    std::string name;
    MaterialColour colour{};
};

}  // namespace quarry::terrain
