#pragma once

#include <cstdint>

#include "quarry/export.hpp"

namespace quarry::terrain {

// A chunk's place, in chunks of its LOD: at LOD l with c cells it begins at lattice point (x, y, z) * c * 2^l.
struct ChunkKey {
    // Level of detail, 0 is the finest; coordinates in chunks of that level.
    std::int32_t lod = 0;
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    friend constexpr bool operator==(const ChunkKey&, const ChunkKey&) = default;
};

// Sides of a chunk, as bits: a mask names those whose neighbour is one LOD coarser.
namespace side {
// The neighbour on that side is one level coarser; `all` has every bit, `count` is their number.
inline constexpr std::uint32_t low_x = 1;
inline constexpr std::uint32_t high_x = 2;
inline constexpr std::uint32_t low_y = 4;
inline constexpr std::uint32_t high_y = 8;
inline constexpr std::uint32_t low_z = 16;
inline constexpr std::uint32_t high_z = 32;
inline constexpr std::uint32_t all = 63;
inline constexpr std::uint32_t count = 6;
}  // namespace side

}  // namespace quarry::terrain
