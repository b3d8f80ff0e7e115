#include "quarry/terrain/showcase.hpp"

#include <cstddef>
#include <memory>
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

TEST(Showcase, HasATunnelThatIsOpenInsideAndSolidAround) {
    const std::shared_ptr<const Field> field = showcase_field();
    // Deep in the mountain, on the ring and beside it.
    EXPECT_FALSE(is_solid(*field, {202, 8, -165}));
    EXPECT_FALSE(is_solid(*field, {132, 8, -235}));
    EXPECT_TRUE(is_solid(*field, {202, 24, -165}));
    EXPECT_TRUE(is_solid(*field, {132, 8, -165}));
}

TEST(Showcase, HasOverhangs) {
    const std::shared_ptr<const Field> field = showcase_field();
    // Straight down: air below rock, at some of the places around the middle that lie above the water.
    int overhangs = 0;
    for (int i = 0; i < 20; ++i) {
        for (int j = 0; j < 20; ++j) {
            const double x = (i - 10) * 60.0;
            const double z = (j - 10) * 60.0;
            const auto ground = highest_ground_below(*field, x, 500, z, {.reach = 600, .resolution = 4});
            if (!ground) continue;
            for (double y = *ground - 4; y > kShowcaseWaterLevel; y -= 4) {
                if (is_solid(*field, {x, y, z})) continue;
                ++overhangs;
                break;
            }
        }
    }
    EXPECT_GE(overhangs, 5);
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
