#include "quarry/terrain/edited_field.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/closedness.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_materials.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/raycast.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/translated_field.hpp"
#include "quarry/terrain/world.hpp"
#include "tests/terrain/edits/dense_world.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

std::shared_ptr<const Field> some_ground() {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = 11, .amplitude = 24});
}

// Fifty edits of all kinds within 30 units of the middle.
std::shared_ptr<const EditedField> edited(double voxel_size, std::uint64_t number) {
    Random random(number);
    EditWorld world(some_ground(), {.lattice = {.voxel_size = voxel_size}});
    for (std::uint32_t i = 0; i < 50; ++i) world.apply(test_support::random_edit(random, 30, i));
    return world.field();
}

SampleBlock block_near(Random& random, double voxel_size) {
    return {.first = random.point(40),
            .step = 1 << random.integer(0, 3),
            .nx = random.integer(1, 35),
            .ny = random.integer(1, 12),
            .nz = random.integer(1, 12),
            .lattice = {.voxel_size = voxel_size}};
}

TEST(EditedField, BlocksHaveTheBitsOfPointsOnItsOwnLatticeAndOnOthers) {
    Random random(511);
    SCOPED_TRACE(seed_text());
    for (const double voxel_size : {1.0, 0.3}) {
        const auto field = edited(voxel_size, 512);
        for (int round = 0; round < 60; ++round) {
            const SampleBlock block = block_near(random, round % 3 == 0 ? 0.7 : voxel_size);
            ASSERT_TRUE(same_bits(sampled(*field, block), sampled_by_points(*field, block))) << round;
        }
    }
}

TEST(EditedField, ACoarseSampleIsTheFineOneAtThatPlace) {
    const auto field = edited(1, 513);
    const SampleBlock fine{.first = {-128, -64, -128}, .nx = 257, .ny = 129, .nz = 257};
    const std::vector<float> all = sampled(*field, fine);
    for (std::int32_t step = 2; step <= kLargestStep; step *= 2) {
        const SampleBlock coarse{
            .first = fine.first, .step = step, .nx = 256 / step + 1, .ny = 128 / step + 1, .nz = 256 / step + 1};
        const std::vector<float> some = sampled(*field, coarse);
        for (std::int32_t z = 0; z < coarse.nz; ++z) {
            for (std::int32_t y = 0; y < coarse.ny; ++y) {
                for (std::int32_t x = 0; x < coarse.nx; ++x) {
                    ASSERT_EQ(some[coarse.index(x, y, z)], all[fine.index(x * step, y * step, z * step)]) << step;
                }
            }
        }
    }
}

TEST(EditedField, BoundsHoldEverySampleAndEveryPointBetween) {
    Random random(514);
    SCOPED_TRACE(seed_text());
    for (const double voxel_size : {1.0, 0.3}) {
        const auto field = edited(voxel_size, 515);
        for (int round = 0; round < 200; ++round) {
            const SampleBlock block = block_near(random, voxel_size);
            const Box box = box_of(block);
            const Interval bounds = field->bounds(box);
            std::vector<float> samples = sampled(*field, block);
            for (int i = 0; i < 50; ++i) {
                samples.push_back(field->density_at({random.real(box.low.x, std::nextafter(box.high.x, 1e9)),
                                                     random.real(box.low.y, std::nextafter(box.high.y, 1e9)),
                                                     random.real(box.low.z, std::nextafter(box.high.z, 1e9))}));
            }
            const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
            ASSERT_LE(bounds.low, *low) << "round " << round;
            ASSERT_GE(bounds.high, *high) << "round " << round;
        }
    }
}

TEST(EditedField, ADigIntoAChunkThatWasRejectedShows) {
    EditWorld world(std::make_shared<PlaneField>(Position{0, 100, 0}, Position{0, 1, 0}));
    const ChunkKey deep{0, 0, 0, 0};
    ASSERT_EQ(extract(*world.field(), deep).content, ChunkContent::rejected);
    world.apply({.kind = EditKind::dig, .at = {16, 16, 16}, .radius = 5});
    EXPECT_EQ(extract(*world.field(), deep).content, ChunkContent::surface);
    EXPECT_EQ(extract(*world.field(), {1, 0, 0, 0}).content, ChunkContent::surface);
    EXPECT_EQ(extract(*world.field(), {0, 3, 0, 0}).content, ChunkContent::rejected);
}

TEST(EditedField, AHoleIsRoundAndItsNormalsPointToItsMiddle) {
    EditWorld world(std::make_shared<PlaneField>(Position{0, 100, 0}, Position{0, 1, 0}));
    const Position middle{16.3, 15.8, 16.1};
    world.apply({.kind = EditKind::dig, .at = middle, .radius = 9});
    const auto field = world.field();
    for (const std::int32_t lod : {0, 1}) {
        const ChunkMesh mesh = extract(*field, {lod, 0, 0, 0});
        ASSERT_EQ(mesh.content, ChunkContent::surface);
        const double step = 1 << lod;
        for (std::uint32_t i = 0; i < mesh.full_vertices; ++i) {
            const Vector3 at = mesh.positions[i];
            const Position from{at.x * step - middle.x, at.y * step - middle.y, at.z * step - middle.z};
            const double length = std::hypot(from.x, from.y, from.z);
            ASSERT_NEAR(length, 9, 0.1 * step);
            const Vector3 n = mesh.normals[i];
            ASSERT_LT((n.x * from.x + n.y * from.y + n.z * from.z) / length, lod == 0 ? -0.97 : -0.93);
        }
    }
}

// Where a brick has all samples beside a place they are found in another way than where several do.
TEST(EditedField, GradientsDoNotDependOnWhereBricksBegin) {
    Random random(531);
    SCOPED_TRACE(seed_text());
    const auto ground = std::make_shared<PlaneField>(Position{}, Position{0, 1, 0});
    // On edges of the lattice within a hole, some of them beside points that no edit has changed.
    std::vector<Position> places;
    for (int i = 0; i < 500; ++i) {
        std::array<double, 3> at{};
        for (double& along : at) along = random.integer(-9, 9);
        at[static_cast<std::size_t>(random.integer(0, 2))] += random.integer(1, 63) / 64.0;
        places.push_back({at[0], at[1], at[2]});
    }
    const auto gradients_at = [&](const Position& middle) {
        EditWorld world(ground);
        world.apply({.kind = EditKind::dig, .at = {middle.x, 0, middle.z}, .radius = 7});
        std::vector<Position> points;
        for (const Position& place : places) points.push_back({place.x + middle.x, place.y, place.z + middle.z});
        std::vector<Gradient> found(points.size());
        world.field()->gradients(points, 1, found);
        return found;
    };
    const std::vector<Gradient> wanted = gradients_at({8, 0, 8});
    for (int shift = 1; shift < 16; ++shift) {
        const std::vector<Gradient> found = gradients_at({8.0 + shift, 0, 8.0 + 7 * shift});
        for (std::size_t i = 0; i < places.size(); ++i) {
            ASSERT_EQ(found[i].x, wanted[i].x) << shift;
            ASSERT_EQ(found[i].y, wanted[i].y) << shift;
            ASSERT_EQ(found[i].z, wanted[i].z) << shift;
        }
    }
}

TEST(EditedField, AWorldWithEditsIsClosedAtEveryLod) {
    Pool pool({.workers = 2});
    const auto field = edited(1, 516);
    const std::vector<PlacedChunk> places =
        octree_world({.viewer = {3, 2, 1}, .radius = 300, .lod_distance = 24, .max_lod = 4, .cells = 8});
    const WorldMesh world = mesh_world(pool, *field, places, {.extract = {.cells = 8}});
    std::vector<ChunkKey> keys;
    for (const PlacedChunk& place : places) keys.push_back(place.key);
    const Closedness found = check_closedness(world.meshes, keys, 8);
    EXPECT_GT(found.edges, 10'000u);
    EXPECT_TRUE(found.is_closed()) << found.cracks;
}

TEST(EditedField, MeshesAtTheCoarsestLodToo) {
    // Ground lowered by 60 units around some of the points that LOD 7 reads, as deep as its edges reach.
    EditWorld world(std::make_shared<PlaneField>(Position{}, Position{0, 1, 0}));
    for (const double x : {128, 256}) {
        for (const double z : {128, 256}) {
            world.apply({.kind = EditKind::raise,
                         .shape = BrushShape::box,
                         .at = {x, 0, z},
                         .extent = {9, 190, 9},
                         .amount = -60});
        }
    }
    const ChunkMesh mesh = extract(*world.field(), {7, 0, -1, 0}, {.cells = 4});
    ASSERT_EQ(mesh.content, ChunkContent::surface);
    float lowest = 1e9F;
    for (std::uint32_t i = 0; i < mesh.full_vertices; ++i) lowest = std::min(lowest, mesh.positions[i].y);
    // In voxels of LOD 7 above the chunk's lower side, which is at -512.
    EXPECT_NEAR(lowest * 128 - 512, -60, 0.1);
}

TEST(EditedField, RaysFindTheGroundAsItIsNow) {
    EditWorld world(std::make_shared<PlaneField>(Position{}, Position{0, 1, 0}));
    EXPECT_NEAR(highest_ground_below(*world.field(), 0, 50, 0).value(), 0, 0.01);
    world.apply({.kind = EditKind::dig, .at = {0, 0, 0}, .radius = 8});
    EXPECT_NEAR(highest_ground_below(*world.field(), 0, 50, 0).value(), -8, 0.05);
    world.apply(
        {.kind = EditKind::add, .shape = BrushShape::capsule, .at = {0, 10, 0}, .extent = {0, 10, 0}, .radius = 3});
    EXPECT_NEAR(highest_ground_below(*world.field(), 0, 50, 0).value(), 23, 0.05);
}

TEST(EditedField, CanBePartOfOtherFields) {
    EditWorld world(std::make_shared<PlaneField>(Position{}, Position{0, 1, 0}));
    world.apply({.kind = EditKind::dig, .at = {0, 0, 0}, .radius = 8});
    const TranslatedField moved(world.field(), {100, 0, 0});
    const SampleBlock block{.first = {90, -10, -10}, .nx = 21, .ny = 21, .nz = 21};
    const SampleBlock home{.first = {-10, -10, -10}, .nx = 21, .ny = 21, .nz = 21};
    EXPECT_TRUE(same_bits(sampled(moved, block), sampled(*world.field(), home)));
}

TEST(EditedField, PlacesThatAreNoneDoNoHarm) {
    const auto field = edited(1, 517);
    for (const double bad : {kNan, kInfinite, -1e300}) {
        field->density_at({bad, 0, 0});
        field->gradient_at({0, bad, 0}, 1);
    }
}

// Paint lies over what is below, fades with its brush, and is taken back by undo.
TEST(EditedMaterials, PaintCoversAndUndoTakesItBack) {
    EditWorld world(std::make_shared<PlaneField>(Position{}, Position{0, 1, 0}));
    const auto below = std::make_shared<LayeredMaterials>(1);
    world.apply({.kind = EditKind::paint, .material = 3, .stroke = 7, .at = {0, 0, 0}, .radius = 6});
    world.apply({.kind = EditKind::paint, .material = 2, .stroke = 8, .at = {40, 0, 0}, .radius = 6, .strength = 0.5});
    const std::vector<Position> places{{0, 0, 0}, {1.3, 0.2, -2}, {40, 0, 0}, {20, 0, 0}};
    const std::vector<Vector3> normals(places.size(), {0, 1, 0});
    std::vector<MaterialWeights> out(places.size());
    world.materials(below)->weights(places, normals, out);
    EXPECT_EQ(out[0].of[3], 255);
    EXPECT_EQ(out[1].of[3], 255);
    EXPECT_NEAR(out[2].of[2], 128, 2);
    EXPECT_NEAR(out[2].of[1], 127, 2);
    EXPECT_EQ(out[3].of[1], 255);
    world.apply({.kind = EditKind::undo, .stroke = 7});
    world.materials(below)->weights(places, normals, out);
    EXPECT_EQ(out[0].of[1], 255);
    EXPECT_NE(refusal_of([&] { world.materials(nullptr); }).find("materials that lie below"), std::string::npos);
}

TEST(EditedMaterials, WeightsAddUpEverywhere) {
    Random random(518);
    SCOPED_TRACE(seed_text());
    EditWorld world(some_ground());
    for (int i = 0; i < 200; ++i) {
        world.apply({.kind = EditKind::paint,
                     .material = static_cast<std::uint8_t>(random.integer(0, 3)),
                     .at = random.position(10),
                     .radius = static_cast<float>(random.real(1, 9)),
                     .strength = static_cast<float>(random.real(0, 1)),
                     .falloff = static_cast<float>(random.real(0, 4))});
    }
    const auto materials = world.materials(std::make_shared<LayeredMaterials>(0));
    for (int i = 0; i < 2000; ++i) {
        const Position at = random.position(15);
        const Vector3 up{0, 1, 0};
        MaterialWeights weights;
        materials->weights(std::span(&at, 1), std::span(&up, 1), std::span(&weights, 1));
        ASSERT_EQ(weights.of[0] + weights.of[1] + weights.of[2] + weights.of[3], 255);
    }
}

}  // namespace
}  // namespace quarry::terrain
