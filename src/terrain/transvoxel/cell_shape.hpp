#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace quarry::terrain::transvoxel {

// In eighths of a cell, so that the middle of every edge is a whole number too.
struct Point {
    int x = 0;
    int y = 0;
    int z = 0;
};

// Between two corners whose signs may differ; from is the one with the lower lattice address.
struct Edge {
    std::uint8_t from = 0;
    std::uint8_t to = 0;
};

// All that the tables are derived from. Faces are cycles of corners, counter-clockwise seen from outside.
struct CellShape {
    std::vector<Point> corners;
    std::vector<std::uint8_t> signs;  // whose sign a corner has: its own, or the one of the corner that it copies
    std::vector<std::vector<std::uint8_t>> faces;
    std::vector<Edge> edges;
    std::uint32_t coplanar_faces = 0;  // one bit each

    // The edge between two corners, in whichever order; -1 where there is none that can be crossed.
    int edge_between(std::uint8_t a, std::uint8_t b) const;

    Point middle(std::size_t edge) const;

    // For each edge the faces that it borders, one bit each.
    std::vector<std::uint32_t> faces_of_edges() const;
};

inline constexpr std::size_t kRegularEdges = 12;
inline constexpr std::size_t kTransitionEdges = 16;

// Corner x + 2 y + 4 z. Edge 4 a + i runs along axis a; i counts its place on the other two axes, the earlier axis
// first.
const CellShape& regular_shape();

// Corners 0-8 are the full-resolution face, 3 v + u, deep in the cell (w > 0); 9-12 are the half-resolution face (w =
// 0) and copy 0, 2, 6, 8. Edges 0-5 run along u and 6-11 along v on the full-resolution face; 12 and 13 along u, 14 and
// 15 along v on the half-resolution one. Faces 0-3: the full-resolution quads; 4: the half-resolution quad; 5-8: the
// sides at v = 0, v = 2, u = 0, u = 2.
const CellShape& transition_shape();

inline constexpr std::size_t kHalfResolutionFace = 4;
inline constexpr std::size_t kFirstSideFace = 5;
inline constexpr std::size_t kFirstHalfResolutionEdge = 12;

}  // namespace quarry::terrain::transvoxel
