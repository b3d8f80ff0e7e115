#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "quarry/export.hpp"
#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/mesh.hpp"
#include "quarry/terrain/mesh_memory.hpp"

namespace quarry::terrain {

// How far extraction had to look.
enum class ChunkContent : std::uint8_t {
    rejected,  // the field's bounds exclude a surface: no sample was taken
    empty,     // the samples are all inside or all outside
    surface,
};

// Part of an index list.
struct IndexRange {
    // The first index and how many there are.
    std::uint32_t first = 0;
    std::uint32_t count = 0;

    friend constexpr bool operator==(const IndexRange&, const IndexRange&) = default;
};

// A vertex less than one cell away from some sides. Where such a side is active (its neighbour is coarser) bake moves
// the vertex to make room for transition cells.
struct BorderVertex {
    // Its place among the vertices.
    std::uint32_t vertex = 0;
    std::uint32_t sides = 0;  // the near ones, as bits; at least one

    friend constexpr bool operator==(const BorderVertex&, const BorderVertex&) = default;
};

// All that any of the 64 side masks needs. Positions and triangles are as those of Mesh.
struct ChunkMesh {
    // Which chunk it is, and what it holds.
    ChunkKey key;
    ChunkContent content = ChunkContent::rejected;
    std::int32_t cells = 0;  // along each axis

    // The first full_vertices are those of the chunk's own cells; the rest are half-resolution vertices, which the
    // coarser neighbours have too. Each lattice edge has at most one vertex of either kind.
    MeshVector<Vector3> positions;
    MeshVector<Vector3> normals;
    MeshVector<MaterialWeights> materials;  // one for each position, or none at all
    // What the weights are of, one for each position; none where the world has at most four materials: then they are of
    // the materials 0 to 3.
    MeshVector<MaterialIndices> material_indices;
    std::uint32_t full_vertices = 0;

    // Three for each triangle: first those of the chunk's own cells, then those of each side.
    IndexList indices;
    IndexRange regular;
    std::array<IndexRange, side::count> transitions{};  // one for each side, in the order of the bits

    // Vertices that move where a neighbour is coarser, and where to.
    MeshVector<BorderVertex> border;

    MeshBounds bounds;  // of full vertices that have not moved

    friend bool operator==(const ChunkMesh&, const ChunkMesh&) = default;
};

// Equal for equal meshes, on any machine.
QUARRY_API std::uint64_t content_hash(const ChunkMesh& mesh) noexcept;

// The chunk as it is drawn when exactly the sides in mask have a coarser neighbour. Holds no vertex that no triangle
// uses and no triangle with two corners in one place. Throws std::invalid_argument for a mask above 63.
QUARRY_API Mesh bake(const ChunkMesh& mesh, std::uint32_t mask);

}  // namespace quarry::terrain
