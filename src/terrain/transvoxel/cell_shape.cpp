#include "terrain/transvoxel/cell_shape.hpp"

#include <cstddef>

namespace quarry::terrain::transvoxel {
namespace {

// A cell is 8 eighths wide; a transition cell is as deep as shrinking makes room for: a quarter of a cell.
constexpr int kCell = 8;
constexpr int kTransitionDepth = 2;

CellShape make_regular_shape() {
    CellShape shape;
    for (std::uint8_t corner = 0; corner < 8; ++corner) {
        shape.corners.push_back({kCell * (corner & 1), kCell * (corner >> 1 & 1), kCell * (corner >> 2 & 1)});
        shape.signs.push_back(corner);
    }
    shape.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (const int along : {1, 2, 4}) {
        for (int corner = 0; corner < 8; ++corner) {
            if ((corner & along) != 0) continue;
            shape.edges.push_back({static_cast<std::uint8_t>(corner), static_cast<std::uint8_t>(corner | along)});
        }
    }
    return shape;
}

CellShape make_transition_shape() {
    CellShape shape;
    for (int corner = 0; corner < 9; ++corner) {
        shape.corners.push_back({kCell * (corner % 3), kCell * (corner / 3), kTransitionDepth});
    }
    for (int corner = 0; corner < 4; ++corner) {
        shape.corners.push_back({2 * kCell * (corner & 1), 2 * kCell * (corner >> 1), 0});
    }
    shape.signs = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 2, 6, 8};
    shape.faces = {{0, 1, 4, 3},     {1, 2, 5, 4},      {3, 4, 7, 6},     {4, 5, 8, 7},     {9, 11, 12, 10},
                   {9, 10, 2, 1, 0}, {6, 7, 8, 12, 11}, {0, 3, 6, 11, 9}, {10, 12, 8, 5, 2}};
    shape.edges = {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {6, 7},  {7, 8},   {0, 3},  {1, 4},
                   {2, 5}, {3, 6}, {4, 7}, {5, 8}, {9, 10}, {11, 12}, {9, 11}, {10, 12}};
    shape.coplanar_faces = 0b1111;
    return shape;
}

}  // namespace

int CellShape::edge_between(std::uint8_t a, std::uint8_t b) const {
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
        const auto [from, to] = edges[edge];
        if ((from == a && to == b) || (from == b && to == a)) return static_cast<int>(edge);
    }
    return -1;
}

Point CellShape::middle(std::size_t edge) const {
    const Point a = corners[edges[edge].from];
    const Point b = corners[edges[edge].to];
    return {(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
}

std::vector<std::uint32_t> CellShape::faces_of_edges() const {
    std::vector<std::uint32_t> faces_of(edges.size(), 0);
    for (std::size_t face = 0; face < faces.size(); ++face) {
        const std::vector<std::uint8_t>& cycle = faces[face];
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            const int edge = edge_between(cycle[i], cycle[(i + 1) % cycle.size()]);
            if (edge >= 0) faces_of[static_cast<std::size_t>(edge)] |= std::uint32_t{1} << face;
        }
    }
    return faces_of;
}

const CellShape& regular_shape() {
    static const CellShape shape = make_regular_shape();
    return shape;
}

const CellShape& transition_shape() {
    static const CellShape shape = make_transition_shape();
    return shape;
}

}  // namespace quarry::terrain::transvoxel
