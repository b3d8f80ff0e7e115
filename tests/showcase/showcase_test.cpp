#include "showcase/showcase.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/raycast.hpp"
#include "quarry/terrain/world.hpp"

namespace quarry::terrain {
namespace {

bool is_solid(const Field& field, Position place) {
    return field.density_at(place) < 0;
}

TEST(Showcase, RejectsMostChunksOfItsWorldByBounds) {
    const std::shared_ptr<const Field> field = showcase_field();
    const std::vector<PlacedChunk> places = octree_world({});
    std::size_t rejected = 0;
    for (const PlacedChunk& place : places) {
        if (!field->bounds(box_of(samples_of(place.key, {}))).may_have_surface()) ++rejected;
    }
    EXPECT_GT(places.size(), 1'000u);
    EXPECT_GT(rejected, places.size() / 2);
}

constexpr std::uint64_t kSeeds[] = {kShowcaseSeed, 1, 2, 3, 4, 5, 6, 7, 8, 9};

std::optional<double> ground_at(const Field& field, double x, double z) {
    return highest_ground_below(field, x, 600, z, {.reach = 800, .resolution = 2});
}

TEST(Showcase, HasATunnelThatIsOpenInsideAndSolidAround) {
    for (const std::uint64_t seed : kSeeds) {
        const std::shared_ptr<const Field> field = showcase_field(seed);
        // Deep in the mountain, on the ring and above it.
        EXPECT_FALSE(is_solid(*field, {-190, 14, -110})) << seed;
        EXPECT_TRUE(is_solid(*field, {-190, 40, -110})) << seed;
        EXPECT_TRUE(is_solid(*field, {-190, -14, -110})) << seed;
    }
}

TEST(Showcase, HasAFjordWithShoresBetweenMountainsWhateverTheSeed) {
    for (const std::uint64_t seed : kSeeds) {
        const std::shared_ptr<const Field> field = showcase_field(seed);
        // Water along the middle.
        for (const double z : {60.0, 0.0, -120.0, -240.0, -360.0}) {
            const double x = 15 - 0.13 * (60 - z);
            EXPECT_LT(ground_at(*field, x, z).value_or(-600), kShowcaseWaterLevel) << seed << ", z " << z;
        }
        // Land to both sides, which rises to mountains.
        double left = 0;
        double right = 0;
        int grassy = 0;
        for (int i = 0; i < 16; ++i) {
            const double z = -40.0 * i;
            for (int j = 4; j < 16; ++j) {
                const double at_left = ground_at(*field, -30.0 * j, z).value_or(-600);
                const double at_right = ground_at(*field, 30.0 * j, z).value_or(-600);
                left = std::max(left, at_left);
                right = std::max(right, at_right);
                for (const double height : {at_left, at_right}) grassy += height > 6 && height < 110 ? 1 : 0;
            }
        }
        EXPECT_GT(left, 120) << seed;
        EXPECT_GT(right, 120) << seed;
        EXPECT_GT(grassy, 60) << seed;
    }
}

// At LOD 3 samples are 8 units apart: a cave of twice that is still open there, and its walls closed.
TEST(Showcase, CavesAreOpenAlsoAtLod3) {
    for (const std::uint64_t seed : kSeeds) {
        const std::shared_ptr<const Field> field = showcase_field(seed);
        int open = 0;
        for (int i = 0; i <= 10; ++i) {
            const double share = i / 10.0;
            const Position at{160 + 140 * share, 14 + 12 * share, -200 - 90 * share};
            const Position sample{8 * std::round(at.x / 8), 8 * std::round(at.y / 8), 8 * std::round(at.z / 8)};
            open += is_solid(*field, sample) ? 0 : 1;
        }
        EXPECT_EQ(open, 11) << seed;
    }
}

TEST(Showcase, HasOverhangs) {
    const std::shared_ptr<const Field> field = showcase_field();
    // Straight down: air below rock, at some of the places around the middle that lie above the water.
    int overhangs = 0;
    for (int i = 0; i < 40; ++i) {
        for (int j = 0; j < 40; ++j) {
            const double x = (i - 20) * 20.0;
            const double z = (j - 30) * 20.0;
            const auto ground = highest_ground_below(*field, x, 500, z, {.reach = 600, .resolution = 4});
            if (!ground) continue;
            for (double y = *ground - 4; y > kShowcaseWaterLevel; y -= 4) {
                if (is_solid(*field, {x, y, z})) continue;
                ++overhangs;
                break;
            }
        }
    }
    EXPECT_GE(overhangs, 20);
}

TEST(Showcase, IsMadeOfFourMaterials) {
    const std::shared_ptr<const Materials> materials = showcase_materials();
    const std::vector<Position> places{{0, 60, 0}, {0, 60, 0}, {0, 320, 0}, {0, kShowcaseWaterLevel - 6, 0}};
    const std::vector<Vector3> normals{{0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}};
    std::vector<MaterialWeights> weights(places.size());
    materials->weights(places, normals, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_GT(weights[i].of[i], 200) << i;
}

TEST(Showcase, OfAnotherSeedIsAnotherPlace) {
    const std::vector<Position> places{{300, 100, 300}};
    EXPECT_EQ(showcase_field()->density_at(places[0]), showcase_field(kShowcaseSeed)->density_at(places[0]));
    EXPECT_NE(showcase_field(7)->density_at(places[0]), showcase_field()->density_at(places[0]));
}

}  // namespace
}  // namespace quarry::terrain
