#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::impl {

// What of a mesh goes into a file.
struct Kept {
    std::uint32_t vertices = 0;  // that some triangle uses
    std::uint64_t indices = 0;
    MeshBounds bounds{};  // of those vertices
};

// A mesh's triangles and vertices as they are written.
struct Piece {
    std::vector<std::uint32_t> vertices;   // of the mesh, in the order in which they are written
    std::vector<std::uint32_t> triangles;  // places in that order
};

// Throws std::invalid_argument, which names the mesh by its number, unless it is whole.
void require_whole(const Mesh& mesh, std::size_t number);

// The indices of the triangles that are kept: not those with two corners in one place and, for collisions, not those
// without area. For positions on the lattice the latter is decided without rounding.
void kept_triangles(const Mesh& mesh, bool collision, std::vector<std::uint32_t>& out);

Kept count_kept(const Mesh& mesh, bool collision);

// Fills `piece`. Optimised: triangles in the order that suits the vertex cache, vertices in the order of their first
// use; else both as in the mesh.
void make_piece(const Mesh& mesh, bool collision, bool optimise, Piece& piece);

// Reorders the triangles of a mesh with that many vertices.
void optimise_order(std::vector<std::uint32_t>& triangles, std::size_t vertices);

}  // namespace quarry::terrain::impl
