#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/extract.hpp"
#include "tests/terrain/surface_check.hpp"

namespace quarry::terrain::test_support {

// A chunk of some cut through the levels of detail, with the sides that have a coarser neighbour.
struct Patch {
    ChunkMesh mesh;
    std::uint32_t mask = 0;
};

// In units of the finest lattice, both included.
struct Region {
    std::array<double, 3> low{};
    std::array<double, 3> high{};
};

inline std::array<double, 3> on_lattice(const ChunkMesh& mesh, std::array<double, 3> local) {
    const double step = static_cast<double>(1 << mesh.key.lod);
    const std::array<double, 3> corner{mesh.key.x * 1.0 * mesh.cells, mesh.key.y * 1.0 * mesh.cells,
                                       mesh.key.z * 1.0 * mesh.cells};
    return {(corner[0] + local[0]) * step, (corner[1] + local[1]) * step, (corner[2] + local[2]) * step};
}

inline std::array<double, 3> as_array(Vector3 at) {
    return {at.x, at.y, at.z};
}

// The sides that a vertex lies on.
inline std::uint32_t sides_at(const ChunkMesh& mesh, std::uint32_t vertex) {
    std::uint32_t sides = 0;
    const std::array<double, 3> at = as_array(mesh.positions[vertex]);
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
        if (at[axis] == 0) sides |= 1u << 2 * axis;
        if (at[axis] == mesh.cells) sides |= 2u << 2 * axis;
    }
    return sides;
}

// What a vertex is, whichever chunk it is in: the middle of the lattice edge that it lies on, and that edge's length.
// (Two edges with one middle have different lengths.) Where all sides that a full-resolution vertex lies on are active
// it belongs to its chunk alone: the fine chunk diagonally across an edge between two coarse ones has one of its own.
inline VertexName name_of(const Patch& patch, std::uint32_t vertex) {
    const ChunkMesh& mesh = patch.mesh;
    const bool is_full = vertex < mesh.full_vertices;
    const double width = is_full ? 1 : 2;
    std::array<double, 3> middle{};
    const std::array<double, 3> at = as_array(mesh.positions[vertex]);
    int crossed_axes = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double place = at[axis] / width;
        const bool crosses = place != std::floor(place);
        crossed_axes += crosses ? 1 : 0;
        middle[axis] = (std::floor(place) + (crosses ? 0.5 : 0)) * width;
    }
    EXPECT_EQ(crossed_axes, 1);
    const std::uint32_t sides = sides_at(mesh, vertex);
    const bool is_private = is_full && sides != 0 && (sides & ~patch.mask) == 0;
    const double owner =
        is_private ? 1 + (mesh.key.x & 255) + 256.0 * (mesh.key.y & 255) + 65536.0 * (mesh.key.z & 255) : 0;
    const std::array<double, 3> place = on_lattice(mesh, middle);
    return {place[0], place[1], place[2], width * (1 << mesh.key.lod), owner};
}

// All triangles of the patches by the identity of their vertices.
inline void add_by_identity(const Patch& patch, Surface& surface) {
    const ChunkMesh& mesh = patch.mesh;
    const auto add = [&](IndexRange range) {
        for (std::uint32_t i = range.first; i < range.first + range.count; i += 3) {
            surface.add(name_of(patch, mesh.indices[i]), name_of(patch, mesh.indices[i + 1]),
                        name_of(patch, mesh.indices[i + 2]));
        }
    };
    add(mesh.regular);
    for (std::uint32_t side = 0; side < side::count; ++side) {
        if ((patch.mask >> side & 1) != 0) add(mesh.transitions[side]);
    }
}

// All triangles of the patches as they are drawn, by the positions of their vertices.
inline void add_by_position(const Patch& patch, Surface& surface) {
    const Mesh baked = bake(patch.mesh, patch.mask);
    const auto name = [&](std::uint32_t vertex) {
        const std::array<double, 3> at = on_lattice(patch.mesh, as_array(baked.positions[vertex]));
        return VertexName{at[0], at[1], at[2], 0, 0};
    };
    for (std::size_t i = 0; i < baked.indices.size(); i += 3) {
        surface.add(name(baked.indices[i]), name(baked.indices[i + 1]), name(baked.indices[i + 2]));
    }
}

inline Surface by_identity(const std::vector<Patch>& patches) {
    Surface surface;
    for (const Patch& patch : patches) add_by_identity(patch, surface);
    return surface;
}

inline Surface by_position(const std::vector<Patch>& patches) {
    Surface surface;
    for (const Patch& patch : patches) add_by_position(patch, surface);
    return surface;
}

// Whether two vertices lie on one outer face of the region: edges there may be open.
inline auto on_the_rim_of(const Region& region) {
    return [region](const VertexName& a, const VertexName& b) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (a[axis] == region.low[axis] && b[axis] == region.low[axis]) return true;
            if (a[axis] == region.high[axis] && b[axis] == region.high[axis]) return true;
        }
        return false;
    };
}

}  // namespace quarry::terrain::test_support
