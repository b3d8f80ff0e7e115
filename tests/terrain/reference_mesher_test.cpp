#include "tests/terrain/reference_mesher.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/extract.hpp"
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

void expect_agreement(const Field& field, ChunkKey key, std::int32_t cells) {
    ExtractOptions options;
    options.cells = cells;
    const ChunkMesh mesh = extract(field, key, options);
    ASSERT_EQ(cells % 4, 0) << "rows are counted from the chunk's corner";
    const SampleBlock block = samples_of(key, options);
    std::vector<float> samples(block.size());
    field.sample(block, samples.data());
    const ReferenceMesher reference(block, samples);

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
        const double along = double{at.x} + at.y + at.z - std::floor(at.x) - std::floor(at.y) - std::floor(at.z);
        // On every fourth row of every fourth layer, where chunks of two levels may meet, it is a multiple of 1/32.
        const auto edge = edge_of(at);
        bool on_line = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (edge[3] != static_cast<int>(axis)) on_line = on_line && edge[axis] % 4 == 0;
        }
        const double tolerance = on_line ? 1.0 / 64 : 1.0 / 4096;
        EXPECT_NEAR(along, std::clamp(reference.crossing(edge), on_line ? 1.0 / 32 : 0.02, on_line ? 31.0 / 32 : 0.98),
                    tolerance);
    }
}

TEST(ReferenceMesher, AgreesOnRandomSigns) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        SCOPED_TRACE(seed);
        expect_agreement(test_support::Static(seed, 0.25 + 0.1 * static_cast<double>(seed)), {0, 1, -1, 2}, 12);
    }
}

TEST(ReferenceMesher, AgreesOnSmoothSurfaces) {
    expect_agreement(test_support::Ball({16, 15, 14}, 13), {0, 0, 0, 0}, 32);
    expect_agreement(test_support::Ring(30, 9), {0, 0, -1, 0}, 32);
    expect_agreement(test_support::Ring(30, 9), {1, -1, 0, 0}, 32);
}

}  // namespace
}  // namespace quarry::terrain
