#pragma once

#include <cstddef>
#include <cstdint>

#include "quarry/terrain/chunk_key.hpp"

namespace quarry::terrain::streaming {

constexpr ChunkKey parent_of(const ChunkKey& key) noexcept {
    return {key.lod + 1, key.x >> 1, key.y >> 1, key.z >> 1};
}

// Child 0 to 7: a bit for the upper half along x, y and z.
constexpr ChunkKey child_of(const ChunkKey& key, std::uint32_t child) noexcept {
    return {key.lod - 1, 2 * key.x + static_cast<std::int32_t>(child & 1),
            2 * key.y + static_cast<std::int32_t>(child >> 1 & 1), 2 * key.z + static_cast<std::int32_t>(child >> 2)};
}

constexpr ChunkKey moved(const ChunkKey& key, std::int32_t dx, std::int32_t dy, std::int32_t dz) noexcept {
    return {key.lod, key.x + dx, key.y + dy, key.z + dz};
}

// The chunk of the same level across a side, 0 to 5 in the order of the bits.
constexpr ChunkKey beyond(const ChunkKey& key, std::uint32_t side) noexcept {
    const std::int32_t step = side % 2 == 0 ? -1 : 1;
    return moved(key, side / 2 == 0 ? step : 0, side / 2 == 1 ? step : 0, side / 2 == 2 ? step : 0);
}

constexpr std::uint32_t opposite(std::uint32_t side) noexcept {
    return side ^ 1;
}

// Whether a chunk's neighbour across that side has the same parent.
constexpr bool is_sibling_beyond(const ChunkKey& key, std::uint32_t side) noexcept {
    const std::int32_t along = side / 2 == 0 ? key.x : side / 2 == 1 ? key.y : key.z;
    return (along & 1) != static_cast<std::int32_t>(side % 2);
}

// The children of a chunk that lie at one of its sides, as bits.
constexpr std::uint32_t children_at(std::uint32_t side) noexcept {
    std::uint32_t children = 0;
    for (std::uint32_t child = 0; child < 8; ++child) {
        if ((child >> side / 2 & 1) == side % 2) children |= 1u << child;
    }
    return children;
}

// Which children of the neighbour at (dx, dy, dz), each -1 to 1, touch the node, as bits.
constexpr std::uint32_t children_touching(std::int32_t dx, std::int32_t dy, std::int32_t dz) noexcept {
    std::uint32_t touching = 0;
    for (std::uint32_t child = 0; child < 8; ++child) {
        const auto touches = [&](std::int32_t step, std::uint32_t upper) {
            return step == 0 || (step < 0) == (upper == 1);
        };
        if (touches(dx, child & 1) && touches(dy, child >> 1 & 1) && touches(dz, child >> 2)) touching |= 1u << child;
    }
    return touching;
}

// Calls visit(dx, dy, dz) for the 26 neighbours.
template <class Visit>
void for_each_neighbour(Visit visit) {
    for (std::int32_t place = 0; place < 27; ++place) {
        if (place != 13) visit(place % 3 - 1, place / 3 % 3 - 1, place / 9 - 1);
    }
}

constexpr std::size_t hash_of(const ChunkKey& key) noexcept {
    const auto part = [](std::int32_t number) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(number));
    };
    std::uint64_t hash = (part(key.x) | part(key.y) << 32) * 0x9e3779b97f4a7c15u;
    hash ^= (part(key.z) | part(key.lod) << 32) * 0xc2b2ae3d27d4eb4fu;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return static_cast<std::size_t>(hash ^ hash >> 29);
}

struct KeyHash {
    std::size_t operator()(const ChunkKey& key) const noexcept { return hash_of(key); }
};

}  // namespace quarry::terrain::streaming
