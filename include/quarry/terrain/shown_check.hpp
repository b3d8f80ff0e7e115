#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/chunk_state.hpp"

namespace quarry::terrain {

struct ShownChunk {
    ChunkKey key;
    std::uint32_t mask = 0;
    bool has_mesh = false;  // without one it is empty
    ChunkId id{};           // of one with a mesh
};

// What is shown of a world at one moment.
struct ShownWorld {
    std::vector<ShownChunk> chunks;
    std::vector<ChunkKey> empty;    // parts of the plan that bounds prove empty: they count as shown
    std::vector<ChunkKey> missing;  // parts of the plan that nothing is shown of, yet
    std::int32_t max_lod = 0;
};

struct ShownCheck {
    std::size_t overlaps = 0;     // chunks in a place where another one is shown, too
    std::size_t wrong_masks = 0;  // chunks with a mesh whose mask does not fit their neighbours
    std::size_t unbalanced = 0;   // chunks that touch one more than one level coarser
    std::size_t holes = 0;        // missing parts that what is shown encloses
    std::string first;            // the first thing that was found

    bool is_right() const noexcept { return overlaps + wrong_masks + unbalanced + holes == 0; }
};

// Whether what is shown is a set of whole nodes of the octree without overlap, levels of which differ by at most one
// where two touch, with masks that fit; and whether nothing is missing inside: a missing part between two chunks that
// are shown on opposite sides of it must be connected, through missing parts that touch, with the outside of the plan.
QUARRY_API ShownCheck check_shown(const ShownWorld& world);

}  // namespace quarry::terrain
