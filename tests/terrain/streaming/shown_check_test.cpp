#include "quarry/terrain/shown_check.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::terrain {
namespace {

// A coarse chunk beside four pairs of fine ones.
ShownWorld two_levels() {
    ShownWorld world;
    world.max_lod = 3;
    world.chunks.push_back({{1, 0, 0, 0}, 0, true});
    for (std::int32_t i = 0; i < 8; ++i) {
        const ChunkKey key{0, 2 + (i & 1), i >> 1 & 1, i >> 2};
        world.chunks.push_back({key, (i & 1) == 0 ? side::low_x : 0, true});
    }
    return world;
}

TEST(CheckShown, FindsNothingWrongWithARightCut) {
    const ShownCheck found = check_shown(two_levels());
    EXPECT_TRUE(found.is_right()) << found.first;
}

TEST(CheckShown, FindsAChunkWithinAnother) {
    ShownWorld world = two_levels();
    world.chunks.push_back({{0, 1, 1, 1}, 0, false});
    EXPECT_EQ(check_shown(world).overlaps, 1u);
    world = two_levels();
    world.chunks.push_back(world.chunks[3]);
    EXPECT_EQ(check_shown(world).overlaps, 1u);
}

TEST(CheckShown, FindsAMaskThatMissesACoarserNeighbour) {
    ShownWorld world = two_levels();
    world.chunks[1].mask = 0;
    EXPECT_EQ(check_shown(world).wrong_masks, 1u);
}

TEST(CheckShown, FindsAMaskTowardsANeighbourThatIsNotCoarser) {
    ShownWorld world = two_levels();
    world.chunks[1].mask |= side::high_x;
    EXPECT_EQ(check_shown(world).wrong_masks, 1u);
    world = two_levels();
    world.chunks[0].mask = side::high_x;
    EXPECT_EQ(check_shown(world).wrong_masks, 1u);
}

TEST(CheckShown, AllowsAnyMaskTowardsNothing) {
    ShownWorld world = two_levels();
    world.chunks[1].mask |= side::low_y;
    EXPECT_TRUE(check_shown(world).is_right());
}

TEST(CheckShown, FindsLevelsThatDifferByTwo) {
    ShownWorld world = two_levels();
    // In a corner only.
    world.chunks.push_back({{2, 1, -1, -1}, 0, false});
    EXPECT_GT(check_shown(world).unbalanced, 0u);
}

TEST(CheckShown, FindsWhatIsMissingInside) {
    ShownWorld world;
    world.max_lod = 3;
    for (std::int32_t i = 0; i < 27; ++i) {
        const ChunkKey key{0, i % 3, i / 3 % 3, i / 9};
        if (i != 13) world.chunks.push_back({key, 0, true});
    }
    world.missing.push_back({0, 1, 1, 1});
    EXPECT_EQ(check_shown(world).holes, 1u);
    // Through another missing one it is connected with the outside.
    world.chunks.erase(world.chunks.begin() + 12);
    world.missing.push_back({0, 0, 1, 1});
    EXPECT_EQ(check_shown(world).holes, 0u) << check_shown(world).first;
    // What bounds prove empty closes it.
    world.missing.pop_back();
    world.empty.push_back({0, 0, 1, 1});
    EXPECT_EQ(check_shown(world).holes, 1u);
}

// A flat world of 5 x 5 chunks between empty ones; those in `missing` are not shown.
ShownWorld flat(const std::vector<std::pair<std::int32_t, std::int32_t>>& missing) {
    ShownWorld world;
    world.max_lod = 3;
    for (std::int32_t i = 0; i < 75; ++i) {
        const ChunkKey key{0, i % 5, i / 25 - 1, i / 5 % 5};
        const bool is_missing = std::find(missing.begin(), missing.end(), std::pair(key.x, key.z)) != missing.end();
        if (key.y != 0) {
            world.empty.push_back(key);
        } else if (is_missing) {
            world.missing.push_back(key);
        } else {
            world.chunks.push_back({key, 0, true});
        }
    }
    return world;
}

TEST(CheckShown, FindsAHoleOfAnyShape) {
    EXPECT_EQ(check_shown(flat({{1, 1}, {2, 1}, {1, 2}, {2, 2}})).holes, 4u);
    EXPECT_EQ(check_shown(flat({{1, 1}, {1, 2}, {2, 2}})).holes, 3u);
    EXPECT_EQ(check_shown(flat({{1, 1}, {1, 2}, {0, 2}})).holes, 0u);
    EXPECT_EQ(check_shown(flat({{0, 0}, {0, 1}, {4, 3}})).holes, 0u);
}

TEST(CheckShown, ACornerDoesNotConnect) {
    EXPECT_EQ(check_shown(flat({{0, 0}, {1, 1}})).holes, 1u);
}

TEST(CheckShown, AHoleIsWhatADeliveryCutOff) {
    const ShownWorld open = flat({{0, 2}, {1, 2}, {2, 2}});
    const ShownWorld closed = flat({{2, 2}});
    EXPECT_EQ(check_shown(closed, open).holes, 1u);
    EXPECT_EQ(check_shown(closed, closed).holes, 0u);
    EXPECT_EQ(check_shown(closed, closed).surrounded, 1u);
    // What was shown and is not any more.
    EXPECT_EQ(check_shown(closed, flat({})).holes, 1u);
}

}  // namespace
}  // namespace quarry::terrain
