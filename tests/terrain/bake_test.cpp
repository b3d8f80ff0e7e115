#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/patchwork.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/test_fields.hpp"

// R17: what a chunk looks like for each of the 64 side masks.

namespace quarry::terrain {
namespace {

using test_support::Ball;
using test_support::Slope;
using test_support::Static;

struct Vector {
    double x, y, z;
};

Vector between(Vector3 a, Vector3 b) {
    return {double{b.x} - a.x, double{b.y} - a.y, double{b.z} - a.z};
}

Vector cross(Vector a, Vector b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double dot(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class AnyMesh>
Vector normal_of(const AnyMesh& mesh, std::size_t first) {
    const Vector3 a = mesh.positions[mesh.indices[first]];
    return cross(between(a, mesh.positions[mesh.indices[first + 1]]),
                 between(a, mesh.positions[mesh.indices[first + 2]]));
}

ExtractOptions small_chunk() {
    ExtractOptions options;
    options.cells = 8;
    return options;
}

TEST(Bake, WithoutActiveSidesIsTheRegularMesh) {
    const ChunkMesh mesh = extract(Ball({16, 16, 16}, 20), {0, 0, 0, 0});
    const Mesh baked = bake(mesh, 0);
    EXPECT_EQ(baked.key, mesh.key);
    EXPECT_EQ(baked.positions.size(), mesh.full_vertices);
    EXPECT_EQ(baked.indices.size(), mesh.regular.count);
    EXPECT_TRUE(std::equal(baked.positions.begin(), baked.positions.end(), mesh.positions.begin()));
    EXPECT_EQ(baked.bounds, mesh.bounds);
    EXPECT_NE(content_hash(baked), content_hash(bake(mesh, side::low_x)));
}

TEST(Bake, RefusesAMaskOfMoreThanSixBits) {
    EXPECT_THROW(bake(ChunkMesh{}, 64), std::invalid_argument);
    EXPECT_EQ(bake(ChunkMesh{}, 63).indices.size(), 0u);
}

TEST(Bake, BorderLayerIsMappedToThreeQuartersWhereASideIsActive) {
    // A vertical wall that runs from side to side: its vertices lie at whole y and z or x.
    const Slope wall({1, 0, 0.5}, 4.1);
    const ChunkMesh mesh = extract(wall, {0, 0, 0, 0}, small_chunk());
    const Mesh baked = bake(mesh, side::low_y);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < mesh.full_vertices; ++i) {
        const Vector3 at = mesh.positions[i];
        const bool stays = at.x == 0 || at.x == 8 || at.z == 0 || at.z == 8 || at.y >= 1;
        EXPECT_EQ(baked.positions[i].y == at.y, stays) << i;
        const bool is_beside_a_side = at.x < 1 || at.x > 7 || at.z < 1 || at.z > 7;
        if (stays || is_beside_a_side) continue;
        EXPECT_EQ(baked.positions[i].y, 0.25f + 0.75f * at.y);
        ++moved;
    }
    EXPECT_GT(moved, 3u);
}

TEST(Bake, VerticesOnSidesThatAreNotActiveAndHalfResolutionOnesStay) {
    const ChunkMesh mesh = extract(Static(3, 0.5), {0, 0, 0, 0}, small_chunk());
    for (std::uint32_t mask = 0; mask < 64; ++mask) {
        const Mesh baked = bake(mesh, mask);
        for (std::uint32_t i = 0; i < mesh.full_vertices; ++i) {
            if ((test_support::sides_at(mesh, i) & ~mask) == 0) continue;
            EXPECT_EQ(baked.positions[i], mesh.positions[i]);
            EXPECT_EQ(baked.normals[i], mesh.normals[i]);
        }
        for (std::size_t i = mesh.full_vertices; i < baked.positions.size(); ++i) {
            const auto half = mesh.positions.begin() + static_cast<std::ptrdiff_t>(mesh.full_vertices);
            EXPECT_NE(std::find(half, mesh.positions.end(), baked.positions[i]), mesh.positions.end());
        }
    }
}

TEST(Bake, UsesEveryVertexAndHasNoTriangleWithTwoCornersInOnePlace) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        SCOPED_TRACE(seed_text());
        const ChunkMesh mesh = extract(Static(test_seed() + seed, 0.5), {0, 0, 0, 0}, small_chunk());
        for (std::uint32_t mask = 0; mask < 64; ++mask) {
            const Mesh baked = bake(mesh, mask);
            std::vector<bool> used(baked.positions.size(), false);
            for (std::size_t i = 0; i < baked.indices.size(); i += 3) {
                for (std::size_t corner = 0; corner < 3; ++corner) {
                    const std::uint32_t a = baked.indices[i + corner];
                    const std::uint32_t b = baked.indices[i + (corner + 1) % 3];
                    ASSERT_LT(a, baked.positions.size());
                    EXPECT_NE(baked.positions[a], baked.positions[b]);
                    used[a] = true;
                }
            }
            EXPECT_EQ(std::count(used.begin(), used.end(), false), 0);
            EXPECT_EQ(baked.bounds, bounds_of(baked.positions));
        }
    }
}

TEST(Bake, ShrinkingTurnsNoTriangleOverHoweverRoughTheField) {
    std::size_t checked = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        SCOPED_TRACE(seed_text());
        const ChunkMesh mesh =
            extract(Static(test_seed() + seed, 0.3 + 0.05 * static_cast<double>(seed)), {0, 0, 0, 0}, small_chunk());
        for (std::uint32_t mask = 1; mask < 64; ++mask) {
            const Mesh baked = bake(mesh, mask);
            for (std::size_t i = 0; i < mesh.regular.count; i += 3) {
                EXPECT_GT(dot(normal_of(mesh, i), normal_of(baked, i)), 0) << "seed " << seed << " mask " << mask;
                ++checked;
            }
        }
    }
    EXPECT_GT(checked, 100'000u);
}

// Whether a corner lies on a side that is not active: the transition cell has no width there, and which way such a
// triangle faces is up to how the vertices of the two resolutions were rounded and clamped.
bool is_collapsed(const Mesh& baked, std::size_t first, std::uint32_t mask, float cells) {
    for (std::uint32_t side = 0; side < side::count; ++side) {
        if ((mask >> side & 1) != 0) continue;
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const std::array<double, 3> at = test_support::as_array(baked.positions[baked.indices[first + corner]]);
            if (at[side / 2] == (side % 2 == 0 ? 0 : cells)) return true;
        }
    }
    return false;
}

TEST(Bake, TrianglesOfASmoothSurfaceFaceOutwardsForEveryMask) {
    std::size_t transitions = 0;
    for (const Position normal : {Position{1, 0.3, 0.2}, Position{-0.2, 1, 0.4}, Position{0.5, -0.6, 1}}) {
        const Slope field(normal, (normal.x + normal.y + normal.z) * 4.3 / std::hypot(normal.x, normal.y, normal.z));
        const ChunkMesh mesh = extract(field, {0, 0, 0, 0}, small_chunk());
        ASSERT_EQ(mesh.content, ChunkContent::surface);
        for (std::uint32_t mask = 0; mask < 64; ++mask) {
            const Mesh baked = bake(mesh, mask);
            for (std::size_t i = 0; i < baked.indices.size(); i += 3) {
                const bool is_regular = i < mesh.regular.count;
                if (!is_regular && is_collapsed(baked, i, mask, 8)) continue;
                const double facing = dot(normal_of(baked, i), {normal.x, normal.y, normal.z});
                EXPECT_GT(facing, 0) << "mask " << mask << " at " << i;
                transitions += is_regular ? 0 : 1;
            }
        }
    }
    EXPECT_GT(transitions, 1000u);
}

TEST(Bake, NormalsBelongToTheEdgeAndDoNotDependOnTheMask) {
    const Ball field({4.1, 3.9, 4.2}, 4.4);
    const ChunkMesh mesh = extract(field, {0, 0, 0, 0}, small_chunk());
    for (std::uint32_t i = 0; i < mesh.full_vertices; ++i) {
        const Vector3 at = mesh.positions[i];
        const Gradient gradient = field.gradient_at({at.x, at.y, at.z}, 1);
        EXPECT_NEAR(mesh.normals[i].x, gradient.x, 0.1);
        EXPECT_NEAR(mesh.normals[i].y, gradient.y, 0.1);
        EXPECT_NEAR(mesh.normals[i].z, gradient.z, 0.1);
    }
    for (std::uint32_t mask = 0; mask < 64; ++mask) {
        const Mesh baked = bake(mesh, mask);
        for (std::uint32_t i = 0; i < mesh.full_vertices; ++i) EXPECT_EQ(baked.normals[i], mesh.normals[i]);
    }
}

// R18: whichever way a mesh is made.
TEST(Bake, ExtractBakedGivesWhatBakeGives) {
    const NoiseField field{NoiseOptions{}};
    ExtractScratch scratch;
    ExtractOptions options;
    options.cells = 16;
    const LayeredMaterials materials(1);
    std::set<ChunkContent> seen;
    for (const Materials* const with :
         {static_cast<const Materials*>(nullptr), static_cast<const Materials*>(&materials)}) {
        options.materials = with;
        for (std::int32_t i = 0; i < 60; ++i) {
            const ChunkKey key{i % 3, i / 4 - 3, i % 5 - 2, i - 30};
            const ChunkMesh chunk = extract(field, key, options);
            for (const std::uint32_t mask : {0u, 1u, 22u, 63u}) {
                const BakedChunk baked = extract_baked(field, key, mask, options, scratch);
                EXPECT_EQ(baked.content, chunk.content);
                EXPECT_EQ(baked.mesh, bake(chunk, mask)) << "chunk " << i << ", mask " << mask;
            }
            seen.insert(chunk.content);
        }
    }
    EXPECT_TRUE(seen.contains(ChunkContent::rejected) && seen.contains(ChunkContent::surface));
}

}  // namespace
}  // namespace quarry::terrain
