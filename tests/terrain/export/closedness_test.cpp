#include "quarry/terrain/closedness.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/export/worlds.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/surface_check.hpp"

// R17: the search for cracks that programs run finds what the tests' own one finds.

namespace quarry::terrain {
namespace {

using test_support::Static;
using test_support::Surface;
using test_support::VertexName;
using test_support::World;

Closedness check(const World& world) {
    return check_closedness(world.meshes, world.places, world.cells);
}

Surface surface_of(const World& world) {
    Surface surface;
    for (const Mesh& mesh : world.meshes) {
        const double step = 1 << mesh.key.lod;
        const auto name = [&](std::uint32_t vertex) {
            const Vector3& at = mesh.positions[vertex];
            return VertexName{(mesh.key.x * 1.0 * world.cells + at.x) * step,
                              (mesh.key.y * 1.0 * world.cells + at.y) * step,
                              (mesh.key.z * 1.0 * world.cells + at.z) * step, 0, 0};
        };
        for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
            surface.add(name(mesh.indices[i]), name(mesh.indices[i + 1]), name(mesh.indices[i + 2]));
        }
    }
    return surface;
}

TEST(Closedness, OfABallHasNeitherCracksNorRim) {
    const World world = test_support::ball_world();
    const Closedness found = check(world);
    EXPECT_EQ(found.cracks, 0u);
    EXPECT_EQ(found.rim, 0u);
    EXPECT_EQ(found.first_crack, std::nullopt);
    // Each triangle has three edges, each edge two triangles.
    EXPECT_EQ(2 * found.edges, 3 * surface_of(world).triangles());
}

TEST(Closedness, OfRandomSignsAgreesWithTheSlowSearch) {
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(seed);
        const World world = test_support::octree_world(Static(seed, 0.2 + 0.2 * seed), seed, 4);
        const double width = 4 << 6;
        const auto on_rim = [&](const VertexName& a, const VertexName& b) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                if (a[axis] == b[axis] && (a[axis] == 0 || a[axis] == width)) return true;
            }
            return false;
        };
        const Closedness found = check(world);
        const Surface surface = surface_of(world);
        ASSERT_EQ(surface.open_edges(on_rim), 0u);
        EXPECT_EQ(found.cracks, 0u);
        EXPECT_GT(found.rim, 1000u);
        // The slow search counts an open edge once for each direction that occurs.
        EXPECT_EQ(found.rim, surface.open_edges(test_support::never_open));
    }
}

TEST(Closedness, FindsEveryTriangleThatIsMissing) {
    Random random(5);
    const World world = test_support::ball_world();
    for (int trial = 0; trial < 20; ++trial) {
        World damaged = world;
        Mesh& mesh = damaged.meshes[static_cast<std::size_t>(
            random.integer(0, static_cast<std::int32_t>(world.meshes.size()) - 1))];
        std::vector<std::uint32_t> indices;
        for (std::size_t i = 0; i < mesh.indices.size(); ++i) indices.push_back(mesh.indices[i]);
        const auto first = 3 * random.integer(0, static_cast<std::int32_t>(indices.size() / 3) - 1);
        const auto from = indices.begin() + first;
        if (trial % 2 == 0) {
            indices.erase(from, from + 3);
        } else {
            std::swap(from[0], from[1]);
        }
        mesh.indices = IndexList(indices, mesh.positions.size());
        const Closedness found = check(damaged);
        EXPECT_EQ(found.cracks, 3u) << "seed " << random.seed() << ", trial " << trial;
        EXPECT_TRUE(found.first_crack.has_value());
        EXPECT_FALSE(found.is_closed());
    }
}

TEST(Closedness, FindsAVertexThatIsOffByTheSmallestStep) {
    World world = test_support::ball_world();
    std::size_t moved = 0;
    for (Mesh& mesh : world.meshes) {
        const auto on_side = std::find_if(mesh.positions.begin(), mesh.positions.end(),
                                          [](const Vector3& at) { return at.x == 0 && at.y > 1 && at.y < 7; });
        if (on_side == mesh.positions.end()) continue;
        on_side->y += 1.0F / 4096;
        ++moved;
        break;
    }
    ASSERT_EQ(moved, 1u);
    EXPECT_GT(check(world).cracks, 0u);
}

TEST(Closedness, FindsAChunkThatIsMissing) {
    World world = test_support::ball_world();
    world.meshes.erase(world.meshes.begin() + 7);
    const Closedness found = check(world);
    EXPECT_GT(found.cracks, 0u);
    EXPECT_EQ(found.rim, 0u);
}

TEST(Closedness, AChunkThatWasNeverPlacedLeavesARim) {
    World world = test_support::ball_world();
    const ChunkKey key = world.meshes[7].key;
    world.meshes.erase(world.meshes.begin() + 7);
    std::erase(world.places, key);
    const Closedness found = check(world);
    EXPECT_EQ(found.cracks, 0u);
    EXPECT_GT(found.rim, 0u);
}

TEST(Closedness, KnowsTheWrongMaskForACrack) {
    const test_support::Ball ball({60.2, 61.7, 59.4}, test_support::kBallRadius);
    World world = test_support::ball_world();
    std::size_t wrong = 0;
    for (Mesh& mesh : world.meshes) {
        if (mesh.regular_indices == mesh.indices.size()) continue;
        ExtractOptions options;
        options.cells = world.cells;
        mesh = bake(extract(ball, mesh.key, options), 0);
        ++wrong;
        break;
    }
    ASSERT_EQ(wrong, 1u);
    EXPECT_GT(check(world).cracks, 0u);
}

TEST(Closedness, IsTheSameWithAPool) {
    Pool pool(3);
    const World world = test_support::octree_world(Static(9, 0.5), 9, 4);
    EXPECT_EQ(check_closedness(world.meshes, world.places, world.cells, &pool), check(world));
}

TEST(Closedness, OfNothingIsEmpty) {
    EXPECT_EQ(check_closedness({}, {}, 32), Closedness{});
    const std::vector<Mesh> one(1);
    EXPECT_EQ(check_closedness(one, {}, 32), Closedness{});
}

TEST(Closedness, CountsEdgesThatAreUsedTwice) {
    World world = test_support::ball_world();
    const std::uint64_t before = check(world).repeated;
    world.meshes.push_back(world.meshes[3]);
    EXPECT_GT(check(world).repeated, before);
}

TEST(Closedness, RefusesMeshesThatAreNotOnTheLattice) {
    World world = test_support::ball_world();
    world.meshes[2].positions[0].x += 1e-6F;
    EXPECT_NE(refusal_of([&] { check(world); }).find("mesh 2"), std::string::npos);
    EXPECT_THROW(check_closedness({}, {}, 31), std::invalid_argument);
}

}  // namespace
}  // namespace quarry::terrain
