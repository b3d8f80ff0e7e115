// Triangles that are too low are taken out of a mesh, and the mesh stays as closed as it was.
#include "terrain/collision/tidy.hpp"

#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/collision_patch.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain::collision {
namespace {

std::map<std::pair<std::uint32_t, std::uint32_t>, int> open_edges(const Surface& surface) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (std::size_t i = 0; i < surface.indices.size(); i += 3) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = surface.indices[i + k];
            const std::uint32_t b = surface.indices[i + (k + 1) % 3];
            edges[std::minmax(a, b)] += a < b ? 1 : -1;
        }
    }
    std::erase_if(edges, [](const auto& each) { return each.second == 0; });
    return edges;
}

std::size_t low_triangles(const Surface& surface) {
    std::size_t low = 0;
    for (std::size_t i = 0; i < surface.indices.size(); i += 3) {
        const auto at = [&](std::size_t k) { return surface.positions[surface.indices[i + k]]; };
        low += height_of(at(0), at(1), at(2)) < kLeastPatchHeight ? 1 : 0;
    }
    return low;
}

TEST(CollisionTidy, HeightIsTheSmallestOfThree) {
    EXPECT_DOUBLE_EQ(height_of({0, 0, 0}, {4, 0, 0}, {2, 1, 0}), 1);
    EXPECT_DOUBLE_EQ(height_of({0, 0, 0}, {3, 0, 0}, {0, 4, 0}), 12.0 / 5);
    EXPECT_EQ(height_of({1, 1, 1}, {1, 1, 1}, {1, 1, 1}), 0);
    EXPECT_EQ(height_of({0, 0, 0}, {1, 0, 0}, {2, 0, 0}), 0);
}

// A square of four corners that are fixed, and one within that is nearly on a side.
TEST(CollisionTidy, AFreeVertexBesideASideBecomesOneWithACorner) {
    Surface surface;
    surface.positions = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0.5F, 0, 0.001F}};
    surface.indices = {0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0};
    surface.fixed.resize(5);
    fix_border(surface);
    EXPECT_EQ(surface.fixed, (std::vector<std::uint8_t>{1, 1, 1, 1, 0}));
    const auto before = open_edges(surface);
    EXPECT_EQ(remove_slivers(surface), 0u);
    EXPECT_EQ(low_triangles(surface), 0u);
    EXPECT_EQ(open_edges(surface), before);
    EXPECT_EQ(surface.indices.size(), 6u);
}

// Three fixed corners in one line: the other diagonal helps.
TEST(CollisionTidy, AFlatTriangleOfFixedCornersGetsTheOtherDiagonal) {
    Surface surface;
    surface.positions = {{0, 0, 0}, {0.5F, 0, 0}, {1, 0, 0}, {0.5F, 0, 1}};
    surface.indices = {0, 2, 1, 2, 0, 3};
    surface.fixed.resize(4);
    fix_border(surface);
    const auto before = open_edges(surface);
    EXPECT_EQ(remove_slivers(surface), 0u);
    EXPECT_EQ(low_triangles(surface), 0u);
    EXPECT_EQ(open_edges(surface), before);
    EXPECT_EQ(surface.indices.size(), 6u);
}

TEST(CollisionTidy, WhatCannotBeHelpedIsCountedAndLeft) {
    Surface surface;
    surface.positions = {{0, 0, 0}, {0.5F, 0, 0}, {1, 0, 0}};
    surface.indices = {0, 2, 1};
    surface.fixed = {1, 1, 1};
    EXPECT_EQ(remove_slivers(surface), 1u);
    EXPECT_EQ(surface.indices.size(), 3u);
}

// Any mesh at all: what is open stays open, nothing else becomes so, and as many slivers are left as it says.
TEST(CollisionTidy, OfRandomMeshesLeavesTheBorderAsItIs) {
    Random random(77);
    SCOPED_TRACE(seed_text());
    std::size_t removed = 0;
    for (int round = 0; round < 300; ++round) {
        constexpr std::uint32_t kSide = 7;
        Surface surface;
        // A sheet whose vertices come near each other.
        for (std::uint32_t z = 0; z < kSide; ++z) {
            for (std::uint32_t x = 0; x < kSide; ++x) {
                const auto place = [&](std::uint32_t at) {
                    return static_cast<float>(at + 0.5 * random.integer(-1, 1) + random.real(-0.004, 0.004));
                };
                surface.positions.push_back({place(x), static_cast<float>(random.real(-0.01, 0.01)), place(z)});
            }
        }
        for (std::uint32_t z = 0; z + 1 < kSide; ++z) {
            for (std::uint32_t x = 0; x + 1 < kSide; ++x) {
                const std::uint32_t a = z * kSide + x;
                for (const std::uint32_t index : {a, a + kSide, a + 1, a + 1, a + kSide, a + kSide + 1}) {
                    surface.indices.push_back(index);
                }
            }
        }
        surface.fixed.resize(surface.positions.size());
        fix_border(surface);
        const auto before = open_edges(surface);
        const std::size_t low = low_triangles(surface);
        const std::size_t left = remove_slivers(surface);
        removed += low - std::min(low, left);
        ASSERT_EQ(open_edges(surface), before);
        ASSERT_LE(low_triangles(surface), left);
    }
    EXPECT_GT(removed, 100u);
}

}  // namespace
}  // namespace quarry::terrain::collision
