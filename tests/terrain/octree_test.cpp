#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/extract.hpp"
#include "tests/terrain/octree_cut.hpp"
#include "tests/terrain/patchwork.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/test_fields.hpp"

// R17: cuts through an octree with five levels and at least 500 chunks are closed to the last edge.

namespace quarry::terrain {
namespace {

using test_support::Ball;
using test_support::OctreeCut;
using test_support::Patch;
using test_support::Region;
using test_support::Static;
using test_support::Surface;

constexpr std::int32_t kRootLod = 6;
constexpr std::size_t kLeaves = 500;

std::vector<Patch> mesh_cut(const Field& field, std::uint32_t seed, std::int32_t cells) {
    OctreeCut cut(kRootLod);
    cut.split_at_random(kLeaves, seed);
    ExtractOptions options;
    options.cells = cells;
    std::vector<Patch> patches;
    std::set<std::int32_t> levels;
    for (const ChunkKey& key : cut.leaves()) {
        patches.push_back({extract(field, key, options), cut.mask(key)});
        levels.insert(key.lod);
    }
    EXPECT_GE(levels.size(), 5u);
    EXPECT_GE(patches.size(), kLeaves);
    return patches;
}

TEST(OctreeCut, OfRandomSignsIsClosedAndManifold) {
    const double width = 4 << kRootLod;
    const auto rim = test_support::on_the_rim_of(Region{{0, 0, 0}, {width, width, width}});
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(seed_text() + ", cut " + std::to_string(seed));
        const std::vector<Patch> patches = mesh_cut(Static(test_seed() + seed, 0.2 + 0.1 * seed), seed, 4);
        const Surface identity = test_support::by_identity(patches);
        EXPECT_GT(identity.triangles(), 10'000u);
        EXPECT_EQ(identity.open_edges(rim), 0u);
        EXPECT_EQ(identity.repeated_edges(), 0u);
        EXPECT_EQ(identity.bad_links(rim), 0u);
        EXPECT_EQ(test_support::by_position(patches).open_edges(rim), 0u);
    }
}

TEST(OctreeCut, OfABallIsASphereOfItsVolume) {
    const double radius = 50;
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(seed);
        const std::vector<Patch> patches = mesh_cut(Ball({60.2, 61.7, 59.4}, radius), seed, 8);
        const Surface identity = test_support::by_identity(patches);
        EXPECT_EQ(identity.open_edges(test_support::never_open), 0u);
        EXPECT_EQ(identity.bad_links(test_support::never_open), 0u);
        EXPECT_EQ(identity.euler_characteristic(), 2);
        const Surface drawn = test_support::by_position(patches);
        EXPECT_EQ(drawn.open_edges(test_support::never_open), 0u);
        EXPECT_NEAR(drawn.volume() / (4.0 / 3 * 3.14159265358979 * std::pow(radius, 3)), 1, 0.03);
    }
}

}  // namespace
}  // namespace quarry::terrain
