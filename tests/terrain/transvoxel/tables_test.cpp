#include "terrain/transvoxel/tables.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "terrain/transvoxel/cell_shape.hpp"
#include "terrain/transvoxel/triangulation.hpp"

// R17: regular and transition cells without a crack, as far as the tables go.

namespace quarry::terrain::transvoxel {
namespace {

using DirectedEdge = std::pair<int, int>;
using Place = std::tuple<int, int, int>;
using PlacedEdges = std::multiset<std::pair<Place, Place>>;

template <std::size_t Most>
std::multiset<DirectedEdge> directed_edges(const Case<Most>& entry) {
    std::multiset<DirectedEdge> edges;
    for (std::size_t i = 0; i < std::size_t{3} * entry.triangle_count; i += 3) {
        for (std::size_t j = 0; j < 3; ++j) edges.insert({entry.edges[i + j], entry.edges[i + (j + 1) % 3]});
    }
    return edges;
}

// Edges of triangles that no other triangle of the cell runs through in the other direction.
template <std::size_t Most>
std::multiset<DirectedEdge> boundary(const Case<Most>& entry) {
    const std::multiset<DirectedEdge> all = directed_edges(entry);
    std::multiset<DirectedEdge> open;
    for (const auto& [a, b] : all) {
        if (!all.contains({b, a})) open.insert({a, b});
    }
    return open;
}

// The part of the boundary in one face, at the places of the edges' middles moved by `by`.
template <std::size_t Most>
PlacedEdges boundary_in(const CellShape& shape, const Case<Most>& entry, std::size_t face, Point by) {
    const std::vector<std::uint32_t> faces_of = shape.faces_of_edges();
    const auto place = [&](int edge) {
        const Point middle = shape.middle(static_cast<std::size_t>(edge));
        return Place(middle.x + by.x, middle.y + by.y, middle.z + by.z);
    };
    PlacedEdges placed;
    for (const auto& [a, b] : boundary(entry)) {
        if ((faces_of[static_cast<std::size_t>(a)] & faces_of[static_cast<std::size_t>(b)] & 1u << face) == 0) continue;
        placed.insert({place(a), place(b)});
    }
    return placed;
}

PlacedEdges reversed(const PlacedEdges& edges) {
    PlacedEdges other;
    for (const auto& [a, b] : edges) other.insert({b, a});
    return other;
}

std::uint32_t signs_of_face(const CellShape& shape, std::size_t face, Point by, std::size_t inside) {
    std::vector<std::pair<Place, bool>> corners;
    for (const std::uint8_t corner : shape.faces[face]) {
        const Point at = shape.corners[corner];
        corners.emplace_back(Place(at.x + by.x, at.y + by.y, at.z + by.z), (inside >> shape.signs[corner] & 1) != 0);
    }
    std::sort(corners.begin(), corners.end());
    std::uint32_t signs = 0;
    for (const auto& corner : corners) signs = signs * 2 + (corner.second ? 1 : 0);
    return signs;
}

// What each pattern of signs makes of a face; all cases that show the pattern must agree.
template <std::size_t Most, std::size_t Cases>
std::map<std::uint32_t, PlacedEdges> edges_by_signs(const CellShape& shape, const std::array<Case<Most>, Cases>& cases,
                                                    std::size_t face, Point by = {}) {
    std::map<std::uint32_t, PlacedEdges> found;
    for (std::size_t inside = 0; inside < Cases; ++inside) {
        const PlacedEdges edges = boundary_in(shape, cases[inside], face, by);
        const auto [at, is_new] = found.emplace(signs_of_face(shape, face, by, inside), edges);
        EXPECT_EQ(at->second, edges) << "face " << face << " case " << inside;
        (void)is_new;
    }
    return found;
}

void expect_opposite(const std::map<std::uint32_t, PlacedEdges>& one,
                     const std::map<std::uint32_t, PlacedEdges>& other) {
    ASSERT_EQ(one.size(), other.size());
    for (const auto& [signs, edges] : one) {
        ASSERT_TRUE(other.contains(signs));
        EXPECT_EQ(edges, reversed(other.at(signs))) << "signs " << signs;
    }
}

template <std::size_t Most, std::size_t Cases>
void expect_surfaces_that_end_on_faces_only(const CellShape& shape, const std::array<Case<Most>, Cases>& cases) {
    const std::vector<std::uint32_t> faces_of = shape.faces_of_edges();
    for (std::size_t inside = 0; inside < Cases; ++inside) {
        const std::multiset<DirectedEdge> all = directed_edges(cases[inside]);
        std::set<DirectedEdge> segments;
        for (const Loop& loop : find_loops(shape, static_cast<std::uint32_t>(inside))) {
            for (std::size_t i = 0; i < loop.size(); ++i) segments.insert({loop[i], loop[(i + 1) % loop.size()]});
        }
        const std::multiset<DirectedEdge> open = boundary(cases[inside]);
        EXPECT_EQ(std::set<DirectedEdge>(open.begin(), open.end()), segments) << "case " << inside;
        for (const auto& [a, b] : all) {
            EXPECT_EQ(all.count({a, b}), 1u) << "case " << inside;
            const bool in_a_face = (faces_of[static_cast<std::size_t>(a)] & faces_of[static_cast<std::size_t>(b)]) != 0;
            const bool is_ring = Cases == 512 && inside == kRingCase;
            EXPECT_TRUE(is_ring || in_a_face == segments.contains({a, b})) << "case " << inside;
        }
    }
}

struct Limits {
    std::size_t loops = 0;
    std::size_t vertices = 0;
    std::size_t triangles = 0;

    bool operator==(const Limits&) const = default;
};

template <std::size_t Most, std::size_t Cases>
Limits limits_without(const CellShape& shape, const std::array<Case<Most>, Cases>& cases, std::size_t left_out) {
    Limits limits;
    for (std::size_t inside = 0; inside < Cases; ++inside) {
        if (inside == left_out) continue;
        const std::vector<Loop> loops = find_loops(shape, static_cast<std::uint32_t>(inside));
        std::size_t vertices = 0;
        for (const Loop& loop : loops) vertices += loop.size();
        limits.loops = std::max(limits.loops, loops.size());
        limits.vertices = std::max(limits.vertices, vertices);
        limits.triangles = std::max(limits.triangles, std::size_t{cases[inside].triangle_count});
    }
    return limits;
}

constexpr int kWidth = 8;

TEST(TransvoxelTables, RegularCasesHaveAtMost4LoopsOf12VerticesAnd5Triangles) {
    EXPECT_EQ(limits_without(regular_shape(), tables().regular, 256), (Limits{4, 12, 5}));
}

TEST(TransvoxelTables, TransitionCasesHaveAtMost4LoopsOf12VerticesAnd9TrianglesButForTheRing) {
    EXPECT_EQ(limits_without(transition_shape(), tables().transition, kRingCase), (Limits{4, 12, 9}));
}

TEST(TransvoxelTables, CheckerboardIsARingOf12TrianglesBetweenLoopsOf8And4) {
    std::vector<Loop> loops = find_loops(transition_shape(), kRingCase);
    ASSERT_EQ(loops.size(), 2u);
    std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.size() > b.size(); });
    EXPECT_EQ(loops[0].size(), 8u);
    EXPECT_EQ(loops[1].size(), 4u);
    EXPECT_EQ(tables().transition[kRingCase].triangle_count, 12);
    // A ring: V - E + F = 0, with 12 vertices, 12 triangles, and 12 open and 12 inner edges.
    EXPECT_EQ(boundary(tables().transition[kRingCase]).size(), 12u);
}

TEST(TransvoxelTables, RegularSurfacesEndOnFacesOnlyAndUseNoEdgeTwice) {
    expect_surfaces_that_end_on_faces_only(regular_shape(), tables().regular);
}

TEST(TransvoxelTables, TransitionSurfacesEndOnFacesOnlyAndUseNoEdgeTwice) {
    expect_surfaces_that_end_on_faces_only(transition_shape(), tables().transition);
}

TEST(TransvoxelTables, NeighbouringRegularCasesAgreeOnTheirSharedFace) {
    const std::array<Point, 3> steps{Point{kWidth, 0, 0}, Point{0, kWidth, 0}, Point{0, 0, kWidth}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto high = edges_by_signs(regular_shape(), tables().regular, 2 * axis + 1);
        const auto low = edges_by_signs(regular_shape(), tables().regular, 2 * axis, steps[axis]);
        EXPECT_EQ(high.size(), 16u);
        expect_opposite(high, low);
    }
}

TEST(TransvoxelTables, NeighbouringTransitionCasesAgreeOnTheirSides) {
    const std::size_t low_v = kFirstSideFace, high_v = low_v + 1, low_u = low_v + 2, high_u = low_v + 3;
    expect_opposite(edges_by_signs(transition_shape(), tables().transition, high_v),
                    edges_by_signs(transition_shape(), tables().transition, low_v, {0, 2 * kWidth, 0}));
    expect_opposite(edges_by_signs(transition_shape(), tables().transition, high_u),
                    edges_by_signs(transition_shape(), tables().transition, low_u, {2 * kWidth, 0, 0}));
}

TEST(TransvoxelTables, TransitionCasesAgreeWithTheRegularCellsOnBothResolutions) {
    // The regular cell above a full-resolution quad shows its low z face; its corners are at the quad's.
    const int depth = transition_shape().corners[0].z;
    const auto regular_low = [&](Point by) { return edges_by_signs(regular_shape(), tables().regular, 4, by); };
    for (std::size_t quad = 0; quad < 4; ++quad) {
        const Point at{kWidth * static_cast<int>(quad % 2), kWidth * static_cast<int>(quad / 2), depth};
        expect_opposite(edges_by_signs(transition_shape(), tables().transition, quad), regular_low(at));
    }
    // The coarse cell beyond the half-resolution quad is twice as wide and shows its high z face.
    std::map<std::uint32_t, PlacedEdges> coarse;
    for (const auto& [signs, edges] : edges_by_signs(regular_shape(), tables().regular, 5, {0, 0, -kWidth})) {
        PlacedEdges scaled;
        const auto twice = [](Place p) { return Place(2 * std::get<0>(p), 2 * std::get<1>(p), 2 * std::get<2>(p)); };
        for (const auto& [a, b] : edges) scaled.insert({twice(a), twice(b)});
        coarse.emplace(signs, scaled);
    }
    expect_opposite(edges_by_signs(transition_shape(), tables().transition, kHalfResolutionFace), coarse);
}

TEST(TransvoxelTables, ShapesListEveryEdgeOnTwoFacesInOppositeDirections) {
    for (const CellShape* shape : {&regular_shape(), &transition_shape()}) {
        std::multiset<DirectedEdge> walked;
        for (const auto& cycle : shape->faces) {
            for (std::size_t i = 0; i < cycle.size(); ++i) walked.insert({cycle[i], cycle[(i + 1) % cycle.size()]});
        }
        for (const auto& [a, b] : walked) {
            EXPECT_EQ(walked.count({a, b}), 1u);
            EXPECT_EQ(walked.count({b, a}), 1u);
        }
    }
}

TEST(TransvoxelTables, ASingleInsideCornerIsCutOffByATriangleThatFacesAwayFromIt) {
    const RegularCase& entry = tables().regular[1];
    ASSERT_EQ(entry.triangle_count, 1);
    const Point a = regular_shape().middle(entry.edges[0]);
    const Point b = regular_shape().middle(entry.edges[1]);
    const Point c = regular_shape().middle(entry.edges[2]);
    const int normal_x = (b.y - a.y) * (c.z - a.z) - (b.z - a.z) * (c.y - a.y);
    const int normal_y = (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z);
    const int normal_z = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    EXPECT_GT(normal_x, 0);
    EXPECT_GT(normal_y, 0);
    EXPECT_GT(normal_z, 0);
}

}  // namespace
}  // namespace quarry::terrain::transvoxel
