#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "quarry/export.hpp"
#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/material_weights.hpp"
#include "quarry/terrain/mesh_memory.hpp"

namespace quarry::terrain {

// A place or a direction in a mesh.
struct Vector3 {
    // Relative to the origin of its chunk.
    float x = 0;
    float y = 0;
    float z = 0;

    friend constexpr bool operator==(const Vector3&, const Vector3&) = default;
};

// The smallest box around a mesh.
struct MeshBounds {
    // Corners, both included.
    Vector3 low{};
    Vector3 high{};

    friend constexpr bool operator==(const MeshBounds&, const MeshBounds&) = default;
};

// The smallest box around all positions; all zero where there are none.
QUARRY_API MeshBounds bounds_of(std::span<const Vector3> positions) noexcept;

// Vertex numbers in 16 bits where the mesh has at most kMostShortVertices vertices, else in 32.
class QUARRY_API IndexList {
  public:
    // 65,535 itself is not used as a number: hosts take it for the end of a strip.
    static constexpr std::size_t kMostShortVertices = 65'535;

    IndexList() = default;
    // Short if the number of vertices allows it.
    IndexList(std::span<const std::uint32_t> indices, std::size_t vertices);
    // Of a mesh with at most kMostShortVertices vertices.
    explicit IndexList(MeshVector<std::uint16_t> indices) noexcept : short_(std::move(indices)) {}

    // Number and kind of the indices, and one of them.
    std::size_t size() const noexcept { return short_.size() + long_.size(); }
    bool empty() const noexcept { return size() == 0; }
    bool is_short() const noexcept { return long_.empty(); }
    std::uint32_t operator[](std::size_t i) const noexcept { return is_short() ? short_[i] : long_[i]; }

    // All numbers; the one that does not fit is_short() is empty.
    std::span<const std::uint16_t> short_indices() const noexcept { return short_; }
    std::span<const std::uint32_t> long_indices() const noexcept { return long_; }

    friend bool operator==(const IndexList&, const IndexList&) = default;

  private:
    MeshVector<std::uint16_t> short_;
    MeshVector<std::uint32_t> long_;
};

// A chunk's triangles, ready to draw. Positions are in lattice units of the chunk's LOD from the chunk's corner (a
// neighbour's equal vertex has equal bits once both are moved to a common corner); the host scales them by the voxel
// size times 2^LOD. Triangles are counter-clockwise seen from outside the solid; normals have length 1 and point there.
struct Mesh {
    // Which chunk it is, and its vertices relative to the origin of that.
    ChunkKey key;
    MeshVector<Vector3> positions;
    MeshVector<Vector3> normals;
    MeshVector<MaterialWeights> materials;  // one for each position, or none at all
    // What the weights are of, one for each position; none where the world has at most four materials: then they are of
    // the materials 0 to 3.
    MeshVector<MaterialIndices> material_indices;
    // Three for each triangle.
    IndexList indices;
    std::uint32_t regular_indices = 0;  // the first ones, of the chunk's own cells; the rest are of transition cells
    // Of the positions.
    MeshBounds bounds;

    friend bool operator==(const Mesh&, const Mesh&) = default;
};

// A number that depends on every bit of the mesh, the same on every machine.
QUARRY_API std::uint64_t content_hash(const Mesh& mesh) noexcept;

}  // namespace quarry::terrain
