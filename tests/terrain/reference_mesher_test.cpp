#include "tests/terrain/reference_mesher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/test_fields.hpp"

// R17: a second mesher that shares nothing with the first, fed the same samples, finds the same surface.

namespace quarry::terrain {
namespace {

using test_support::ReferenceMesher;

ReferenceMesher::CrossedEdge edge_of(Vector3 at) {
    const auto whole = [](float coordinate) { return static_cast<int>(std::floor(coordinate)); };
    const int axis = at.x != std::floor(at.x) ? 0 : at.y != std::floor(at.y) ? 1 : 2;
    return {whole(at.x), whole(at.y), whole(at.z), axis};
}

// Whether two lattice edges border one face of a cell: it has a middle that both are half a cell away from.
bool share_a_face(const ReferenceMesher::CrossedEdge& a, const ReferenceMesher::CrossedEdge& b) {
    std::array<int, 3> apart{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto twice = [&](const ReferenceMesher::CrossedEdge& edge) {
            return 2 * edge[axis] + (edge[3] == static_cast<int>(axis) ? 1 : 0);
        };
        apart[axis] = std::abs(twice(a) - twice(b));
    }
    std::sort(apart.begin(), apart.end());
    const bool beside = apart == std::array<int, 3>{0, 1, 1};
    const bool opposite = apart == std::array<int, 3>{0, 0, 2} && a[3] == b[3];
    return beside || opposite;
}

// One chunk by both meshers, from the same samples.
struct Both {
    Both(const Field& field, ChunkKey key, std::int32_t cells)
        : mesh(extract(field, key, with_cells(cells))),
          block(samples_of(key, with_cells(cells))),
          samples(sampled(field, block)),
          reference(block, samples) {}

    static ExtractOptions with_cells(std::int32_t cells) {
        ExtractOptions options;
        options.cells = cells;
        return options;
    }

    ChunkMesh mesh;
    SampleBlock block;
    std::vector<float> samples;
    ReferenceMesher reference;
};

// Vertices on lines along which chunks meet lie where the finest level has them: chunk_edges_test.cpp.
bool is_settled(Vector3 at, std::int32_t cells) {
    if (cells != 32) return false;
    int planes = 0;
    for (const float along : {at.x, at.y, at.z}) planes += along == 0 || along == 16 || along == 32 ? 1 : 0;
    return planes == 2;
}

void expect_agreement(const Field& field, ChunkKey key, std::int32_t cells) {
    const Both both(field, key, cells);
    const ChunkMesh& mesh = both.mesh;
    const ReferenceMesher& reference = both.reference;

    std::set<ReferenceMesher::Line> lines;
    std::set<ReferenceMesher::Line> inner;
    for (std::size_t i = 0; i < mesh.regular.count; i += 3) {
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const auto a = edge_of(mesh.positions[mesh.indices[i + corner]]);
            const auto b = edge_of(mesh.positions[mesh.indices[i + (corner + 1) % 3]]);
            (share_a_face(a, b) ? lines : inner).insert({a, b});
        }
    }
    EXPECT_EQ(lines, reference.lines());
    // A loop of n vertices is filled by n - 2 triangles and n - 3 inner edges, each of which has two directions.
    EXPECT_EQ(mesh.regular.count / 3, inner.size() / 2 + reference.loops());
    for (std::size_t i = 0; i < mesh.full_vertices; ++i) {
        const Vector3 at = mesh.positions[i];
        if (is_settled(at, cells)) continue;
        const double along = double{at.x} + at.y + at.z - std::floor(at.x) - std::floor(at.y) - std::floor(at.z);
        EXPECT_NEAR(along, std::clamp(reference.crossing(edge_of(at)), 0.02, 0.98), 1.0 / 4096);
    }
}

// The lattice edge of a half-resolution vertex, which is two cells long.
ReferenceMesher::CrossedEdge half_edge_of(Vector3 at) {
    const std::array<float, 3> place{at.x, at.y, at.z};
    ReferenceMesher::CrossedEdge edge{0, 0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        edge[axis] = 2 * static_cast<int>(std::floor(place[axis] / 2));
        if (place[axis] != static_cast<float>(edge[axis])) edge[3] = static_cast<int>(axis);
    }
    return edge;
}

bool are_in_line(const ReferenceMesher::CrossedEdge& a, const ReferenceMesher::CrossedEdge& b) {
    const auto axis = static_cast<std::size_t>(a[3]);
    return a[3] == b[3] && a[axis] != b[axis];
}

bool is_on_rim(const ReferenceMesher::CrossedEdge& edge, std::size_t axis, std::int32_t cells) {
    for (std::size_t other = 0; other < 3; ++other) {
        if (other == axis || edge[3] == static_cast<int>(other)) continue;
        if (edge[other] == 0 || edge[other] == cells) return true;
    }
    return false;
}

// The transition cells of a side fill the gap between two lists of lines: what the chunk's own cells leave on that side
// (there they run the other way), and what cells of twice the width would leave. All that is open besides lies on the
// side's rim.
void expect_transitions_agree(const Field& field, ChunkKey key, std::int32_t cells) {
    const Both both(field, key, cells);
    const ChunkMesh& mesh = both.mesh;
    const ReferenceMesher& reference = both.reference;
    for (std::uint32_t side = 0; side < side::count; ++side) {
        SCOPED_TRACE("side " + std::to_string(side));
        const std::size_t axis = side / 2;
        const int high = static_cast<int>(side % 2);
        using Vertex = std::pair<bool, ReferenceMesher::CrossedEdge>;  // whether of half the resolution
        const auto vertex = [&](std::uint32_t index) -> Vertex {
            const Vector3 at = mesh.positions[index];
            const bool is_half = index >= mesh.full_vertices;
            return {is_half, is_half ? half_edge_of(at) : edge_of(at)};
        };
        std::multiset<std::pair<Vertex, Vertex>> open;
        const IndexRange range = mesh.transitions[side];
        for (std::size_t i = range.first; i < range.first + range.count; i += 3) {
            for (std::size_t corner = 0; corner < 3; ++corner) {
                const Vertex a = vertex(mesh.indices[i + corner]);
                const Vertex b = vertex(mesh.indices[i + (corner + 1) % 3]);
                const auto other_way = open.find({b, a});
                if (other_way != open.end()) {
                    open.erase(other_way);
                } else {
                    open.insert({a, b});
                }
            }
        }
        std::set<ReferenceMesher::Line> full, half;
        for (const auto& [a, b] : open) {
            if (!a.first && !b.first && share_a_face(a.second, b.second) && !are_in_line(a.second, b.second)) {
                full.insert({b.second, a.second});
            } else if (a.first && b.first) {
                half.insert({a.second, b.second});
            } else {
                EXPECT_TRUE(is_on_rim(a.second, axis, cells) && is_on_rim(b.second, axis, cells));
            }
        }
        EXPECT_EQ(full, reference.side_lines(axis, high, 1));
        EXPECT_EQ(half, reference.side_lines(axis, high, 2));
    }
}

TEST(ReferenceMesher, AgreesOnRandomSigns) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        SCOPED_TRACE(seed_text() + " + " + std::to_string(seed));
        const test_support::Static field(test_seed() + seed, 0.25 + 0.1 * static_cast<double>(seed));
        expect_agreement(field, {0, 1, -1, 2}, 12);
        expect_transitions_agree(field, {0, 1, -1, 2}, 12);
    }
}

TEST(ReferenceMesher, AgreesOnNoise) {
    Random random(1);
    SCOPED_TRACE(seed_text());
    for (int round = 0; round < 6; ++round) {
        const NoiseField field({.seed = static_cast<std::uint64_t>(random.integer(0, 1 << 30)),
                                .octaves = random.integer(1, 6),
                                .frequency = random.real(0.01, 0.2),
                                .amplitude = random.real(4, 40)});
        const ChunkKey key{random.integer(0, 3), random.integer(-3, 3), random.integer(-1, 0), random.integer(-3, 3)};
        SCOPED_TRACE(round);
        expect_agreement(field, key, 16);
        expect_transitions_agree(field, key, 16);
    }
}

TEST(ReferenceMesher, AgreesOnSmoothSurfaces) {
    expect_agreement(test_support::Ball({16, 15, 14}, 13), {0, 0, 0, 0}, 32);
    expect_agreement(test_support::Ring(30, 9), {0, 0, -1, 0}, 32);
    expect_agreement(test_support::Ring(30, 9), {1, -1, 0, 0}, 32);
    expect_transitions_agree(test_support::Ball({16, 15, 14}, 17), {0, 0, 0, 0}, 32);
    expect_transitions_agree(test_support::Ring(30, 9), {1, -1, 0, 0}, 32);
}

}  // namespace
}  // namespace quarry::terrain
