#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain {

// How the triangles of a world hang together when vertices in one lattice place are one.
struct Closedness {
    std::uint64_t edges = 0;     // lines between two vertices, whichever way they are walked
    std::uint64_t cracks = 0;    // edges walked more often one way than the other, where the world goes on
    std::uint64_t rim = 0;       // the same on an outer face of the world, where nothing is to meet them
    std::uint64_t repeated = 0;  // edges walked more than once in one direction: the surface touches itself there
    std::optional<Position> first_crack;  // the middle of one, in voxels of LOD 0

    // Whether no crack was found.
    bool is_closed() const noexcept { return cracks == 0; }

    friend bool operator==(const Closedness&, const Closedness&) = default;
};

// Looks at every edge of every triangle. `places` are all chunks of the world, also those without a surface: an edge
// on a side of a chunk beyond which there is none of them is part of the rim. Vertices of different chunks are matched
// by exact lattice places, never by distance; within a chunk those on its sides too. Triangles with two corners in one
// place do not count. Chunks do not overlap. Throws std::invalid_argument for meshes that could not be exported welded.
QUARRY_API Closedness check_closedness(std::span<const Mesh> meshes, std::span<const ChunkKey> places,
                                       std::int32_t cells, Pool* pool = nullptr);

}  // namespace quarry::terrain
