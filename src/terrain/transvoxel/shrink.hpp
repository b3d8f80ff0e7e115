#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::transvoxel {

// How deep transition cells are, in cells of the finer chunk.
inline constexpr float kTransitionDepth = 0.25f;

inline std::array<float, side::count> distances_to_sides(Vector3 at, float cells) noexcept {
    return {at.x, cells - at.x, at.y, cells - at.y, at.z, cells - at.z};
}

// The sides less than one cell away.
inline std::uint32_t near_sides(Vector3 at, float cells) noexcept {
    const float high = cells - 1;
    return (at.x < 1 ? side::low_x : 0u) | (at.x > high ? side::high_x : 0u) | (at.y < 1 ? side::low_y : 0u) |
           (at.y > high ? side::high_y : 0u) | (at.z < 1 ? side::low_z : 0u) | (at.z > high ? side::high_z : 0u);
}

// How many of near's nonempty parts come before `active`, when their bits are counted without gaps.
inline std::uint32_t rank_of_choice(std::uint32_t active, std::uint32_t near) noexcept {
    std::uint32_t number = 0;
    std::uint32_t place = 1;
    for (std::uint32_t rest = near; rest != 0; rest &= rest - 1, place *= 2) {
        if ((active & rest & (~rest + 1)) != 0) number += place;
    }
    return number - 1;
}

// Where a vertex goes when, of the sides near it, `active` have transition cells. Along the axis of an active side the
// border layer [0, 1] is mapped to [1/4, 1]; the shift fades to 0 towards sides that are not active, where the vertex
// is shared with a chunk that does not move it. Without the fading a triangle between a vertex on such a side and one
// beside it could turn over. All that is computed is exact, as a vertex has at most one coordinate that is no whole
// number.
inline Vector3 moved(Vector3 at, std::uint32_t active, std::uint32_t near, float cells) noexcept {
    float scale = kTransitionDepth;
    if (active != near) {
        const std::array<float, side::count> distances = distances_to_sides(at, cells);
        for (std::uint32_t rest = near & ~active; rest != 0; rest &= rest - 1) {
            scale *= distances[static_cast<std::size_t>(std::countr_zero(rest))];
        }
    }
    const auto along = [&](float coordinate, std::uint32_t low, std::uint32_t high) {
        const float inwards = (active & low) != 0 ? 1 - coordinate : (active & high) != 0 ? cells - 1 - coordinate : 0;
        return coordinate + scale * inwards;
    };
    return {along(at.x, side::low_x, side::high_x), along(at.y, side::low_y, side::high_y),
            along(at.z, side::low_z, side::high_z)};
}

}  // namespace quarry::terrain::transvoxel
