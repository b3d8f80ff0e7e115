#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain {

// No patch has more triangles than this.
inline constexpr std::size_t kMostPatchTriangles = 512;

// No triangle of a patch is lower than this, over its longest side, in voxels.
inline constexpr double kLeastPatchHeight = 0.01;

// A part of a chunk's surface that a physics engine takes as one shape. Positions and triangles are as those of Mesh:
// voxels from the chunk's corner, counter-clockwise seen from outside the ground.
struct CollisionPatch {
    ChunkKey chunk;          // of LOD 0
    std::uint32_t part = 0;  // which part of the chunk's space: equal for as long as the chunk is cut the same way
    std::vector<Vector3> positions;      // of the vertices
    std::vector<std::uint16_t> indices;  // three for each triangle
    MeshBounds bounds;                   // of the positions
    std::uint64_t hash = 0;              // of all of the above; equal for equal patches, on any machine
    std::shared_ptr<void> prepared{};    // what CollisionOptions::prepare made of it

    // How many triangles it has.
    std::size_t triangles() const noexcept { return indices.size() / 3; }
};

}  // namespace quarry::terrain
