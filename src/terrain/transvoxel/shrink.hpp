#pragma once

#include <array>
#include <bit>
#include <cmath>
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

// The same move along the surface: in the plane through the vertex that its normal stands on, and so far that the move
// along the axes is done in full, up to kFarthestSlide. A multiple of 2^-14, as the places along the axes are. Where
// that would lead more than half the way to another side, or away from an active one, the move along the axes stays.
inline constexpr float kFarthestSlide = 0.35f;

inline Vector3 onto_surface(Vector3 at, Vector3 along_axes, Vector3 normal, float cells) noexcept {
    constexpr float kUnits = 16384;
    const std::array<float, 3> from{at.x, at.y, at.z};
    const std::array<float, 3> move{along_axes.x - at.x, along_axes.y - at.y, along_axes.z - at.z};
    const std::array<float, 3> n{normal.x, normal.y, normal.z};
    const float out = n[0] * move[0] + n[1] * move[1] + n[2] * move[2];
    const std::array<float, 3> flat{move[0] - n[0] * out, move[1] - n[1] * out, move[2] - n[2] * out};
    const float whole = move[0] * move[0] + move[1] * move[1] + move[2] * move[2];
    const float left = flat[0] * flat[0] + flat[1] * flat[1] + flat[2] * flat[2];
    if (!(left > 0)) return along_axes;
    // Times this, the move in the plane reaches as far along the axes as the whole move does.
    float longer = whole / left;
    if (longer * longer * left > kFarthestSlide * kFarthestSlide) longer = kFarthestSlide / std::sqrt(left);
    std::array<float, 3> to{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float shift = std::nearbyint(longer * flat[axis] * kUnits) / kUnits;
        const float room = shift < 0 ? from[axis] : cells - from[axis];
        if (move[axis] != 0 ? shift * move[axis] < 0.25f * move[axis] * move[axis] : 2 * std::abs(shift) > room) {
            return along_axes;
        }
        to[axis] = from[axis] + shift;
    }
    return {to[0], to[1], to[2]};
}

}  // namespace quarry::terrain::transvoxel
