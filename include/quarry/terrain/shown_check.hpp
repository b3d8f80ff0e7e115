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
    std::size_t surrounded = 0;   // missing parts that are not connected with the outside of the plan
    std::size_t holes = 0;        // of these, the ones that count: see check_shown
    std::string first;            // the first thing that was found

    bool is_right() const noexcept { return overlaps + wrong_masks + unbalanced + holes == 0; }
};

// Whether what is shown is a set of whole nodes of the octree without overlap, levels of which differ by at most one
// where two touch, with masks that fit; and whether nothing is missing inside: from each missing part one must come to
// the outside of the plan through missing parts that share faces. A part from which one cannot is a hole.
QUARRY_API ShownCheck check_shown(const ShownWorld& world);

// The same after a delivery, with what was shown after the last update: all that is surrounded now and was not then is
// a hole. Deliveries make none. The plan itself can take in a place that is surrounded already: by empty space, or by
// chunks that are shown.
QUARRY_API ShownCheck check_shown(const ShownWorld& world, const ShownWorld& planned);

}  // namespace quarry::terrain
