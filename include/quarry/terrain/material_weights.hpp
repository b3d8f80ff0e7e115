#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "quarry/export.hpp"

namespace quarry::terrain {

// How many materials a vertex can mix.
inline constexpr std::size_t kMaterials = 4;

// How many a world can have; a vertex shows the four strongest.
inline constexpr std::size_t kMostMaterials = 256;

// How much of each material a vertex shows, in parts of 255; the sum is always 255.
struct MaterialWeights {
    // Weights that sum up to 255.
    std::array<std::uint8_t, kMaterials> of{255, 0, 0, 0};

    friend constexpr bool operator==(const MaterialWeights&, const MaterialWeights&) = default;
};

// Which materials the weights of a vertex are of, in ascending order; a place without weight is material 0.
struct MaterialIndices {
    // Numbers of materials.
    std::array<std::uint8_t, kMaterials> of{0, 1, 2, 3};

    friend constexpr bool operator==(const MaterialIndices&, const MaterialIndices&) = default;
};

// What a vertex shows in a world of more than four materials.
struct MaterialMix {
    // Materials, and how much there is of each.
    MaterialIndices indices{};
    MaterialWeights weights{};

    friend constexpr bool operator==(const MaterialMix&, const MaterialMix&) = default;
};

}  // namespace quarry::terrain
