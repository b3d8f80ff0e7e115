#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "quarry/export.hpp"

namespace quarry::terrain {

// How many materials a vertex can mix.
inline constexpr std::size_t kMaterials = 4;

// How much of each material a vertex shows, in parts of 255; the sum is always 255.
struct MaterialWeights {
    // Weights that sum up to 255.
    std::array<std::uint8_t, kMaterials> of{255, 0, 0, 0};

    friend constexpr bool operator==(const MaterialWeights&, const MaterialWeights&) = default;
};

}  // namespace quarry::terrain
