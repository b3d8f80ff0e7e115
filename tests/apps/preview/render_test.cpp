#include "preview/render.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/combined_field.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/world.hpp"

namespace quarry::app::preview {
namespace {

using terrain::Mesh;
using terrain::Position;

RenderOptions small(int width = 64, int height = 64) {
    RenderOptions options;
    options.width = width;
    options.height = height;
    options.samples = 1;
    return options;
}

// A ball of radius 10 in the middle of chunk 0.
std::vector<Mesh> ball() {
    const terrain::SphereField field({16, 16, 16}, 10);
    return {terrain::bake(terrain::extract(field, {}), 0)};
}

void add_quad(Mesh& mesh, std::vector<std::uint32_t>& indices, std::array<terrain::Vector3, 4> corners,
              terrain::Vector3 normal) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (const terrain::Vector3& corner : corners) {
        mesh.positions.push_back(corner);
        mesh.normals.push_back(normal);
    }
    for (const std::uint32_t i : {0U, 1U, 2U, 0U, 2U, 3U}) indices.push_back(first + i);
}

// Flat ground, and in its middle a wall along z.
std::vector<Mesh> ground_with_wall() {
    Mesh mesh;
    std::vector<std::uint32_t> indices;
    add_quad(mesh, indices, {{{0, 0, 0}, {0, 0, 32}, {32, 0, 32}, {32, 0, 0}}}, {0, 1, 0});
    add_quad(mesh, indices, {{{16, 0, 8}, {16, 0, 24}, {16, 6, 24}, {16, 6, 8}}}, {-1, 0, 0});
    mesh.indices = terrain::IndexList(indices, mesh.positions.size());
    mesh.regular_indices = static_cast<std::uint32_t>(indices.size());
    return {mesh};
}

int brightness(const Pixel& pixel) {
    return pixel.red + pixel.green + pixel.blue;
}

TEST(Render, EmptyWorldIsSkyThatGetsBluerUpwards) {
    Pool pool(2);
    const std::vector<Mesh> none;
    RenderOptions options = small();
    options.camera = Camera{{0, 0, 0}, {0, 0.2, -1}, 60};
    options.to_sun = Position{0, 0.4, 1};
    const Image image = render(pool, none, options);
    ASSERT_EQ(image.pixels.size(), 64u * 64u);
    const auto blueness = [](const Pixel& pixel) { return 1.0 * pixel.blue / (pixel.red + 1); };
    EXPECT_GT(blueness(image.at(32, 1)), 1.2 * blueness(image.at(32, 40)));
    EXPECT_GT(image.at(32, 1).blue, image.at(32, 1).red);
    // Without a camera too, and in the other picture.
    options.camera.reset();
    EXPECT_EQ(render(pool, none, options).pixels.size(), 64u * 64u);
    EXPECT_EQ(render_lods(pool, none, options).pixels.size(), 64u * 64u);
}

TEST(Render, BallInFrontOfTheSkyHasTheSilhouetteOfABall) {
    Pool pool(2);
    RenderOptions options = small();
    options.camera = Camera{{16, 16, 60}, {16, 16, 16}, 45};
    options.to_sun = Position{1, 0.5, 1};
    const Image sky = render(pool, {}, options);
    const Image image = render(pool, ball(), options);
    // The ball's edge is where a ray touches it.
    const double radius = std::tan(std::asin(10.0 / 44)) / std::tan(22.5 * 3.14159265 / 180) * 32;
    int inside = 0;
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 64; ++x) {
            const double from_middle = std::hypot(x + 0.5 - 32, y + 0.5 - 32);
            const bool is_sky = image.at(x, y) == sky.at(x, y);
            if (from_middle < radius - 1) {
                EXPECT_FALSE(is_sky) << x << ", " << y;
                ++inside;
            }
            if (from_middle > radius + 1) {
                EXPECT_TRUE(is_sky) << x << ", " << y;
            }
        }
    }
    EXPECT_GT(inside, 800);
}

TEST(Render, ShadowFallsOnTheSideAwayFromTheSun) {
    Pool pool(2);
    RenderOptions options = small();
    options.haze = 0;
    options.to_sun = Position{-1, 1, 0};
    options.camera = Camera{{16, 60, 16}, {16, 0, 16}, 30};
    const std::vector<Mesh> meshes = ground_with_wall();
    // From straight above: x runs right, two pixels a unit, the wall is in the middle. It is 6 units high and the sun
    // at 45 degrees, so 3 units away from it the ground is in the shadow on one side only.
    const Image left = render(pool, meshes, options);
    EXPECT_LT(brightness(left.at(38, 32)), 0.7 * brightness(left.at(26, 32)));
    options.to_sun = Position{1, 1, 0};
    const Image right = render(pool, meshes, options);
    EXPECT_LT(brightness(right.at(26, 32)), 0.7 * brightness(right.at(38, 32)));
    // Beyond the end of the wall and of the shadow both are lit.
    EXPECT_NEAR(brightness(right.at(26, 8)), brightness(right.at(38, 8)), 40);
    EXPECT_GT(brightness(right.at(54, 32)), 0.8 * brightness(right.at(38, 32)));
}

TEST(Render, IsTheSameForAnyNumberOfWorkers) {
    const terrain::NoiseField field({.seed = 7, .amplitude = 24});
    const auto places = terrain::octree_world({.radius = 100, .lod_distance = 24, .max_lod = 3});
    std::vector<std::uint64_t> hashes;
    for (const int workers : {1, 2, 3, 4}) {
        Pool pool(workers);
        const terrain::WorldMesh world = terrain::mesh_world(pool, field, places);
        RenderOptions options = small(80, 44);
        options.samples = 2;
        options.water_level = 0;
        hashes.push_back(hash_of(render(pool, world.meshes, options)));
        hashes.push_back(hash_of(render_lods(pool, world.meshes, options)));
    }
    for (std::size_t i = 2; i < hashes.size(); ++i) EXPECT_EQ(hashes[i], hashes[i - 2]) << i;
    EXPECT_NE(hashes[0], hashes[1]);
}

TEST(Render, FarFromTheOriginAndInAnyVoxelSizeLooksTheSame) {
    Pool pool(2);
    RenderOptions options = small();
    options.camera = Camera{{40, 30, 60}, {16, 16, 16}, 45};
    const Image image = render(pool, ball(), options);
    std::vector<Mesh> moved = ball();
    moved[0].key = {0, 1 << 20, 0, 0};
    const double shift = 32.0 * (1 << 20);
    options.camera = Camera{{40 + shift, 30, 60}, {16 + shift, 16, 16}, 45};
    EXPECT_EQ(hash_of(render(pool, moved, options)), hash_of(image));
}

TEST(Render, WaterHidesWhatLiesDeepBelowIt) {
    Pool pool(2);
    RenderOptions options = small();
    options.camera = Camera{{16, 40, 60}, {16, 16, 16}, 45};
    const Image dry = render(pool, ball(), options);
    options.water_level = 500;  // above the eye: no water is drawn
    EXPECT_EQ(hash_of(render(pool, ball(), options)), hash_of(dry));
    options.water_level = 30;
    EXPECT_NE(hash_of(render(pool, ball(), options)), hash_of(dry));
}

TEST(RenderLods, ColoursLevelsAndTransitionCells) {
    Pool pool(2);
    const terrain::PlaneField field({0, 3.3, 0}, {0, 1, 0});
    const terrain::ChunkMesh chunk = terrain::extract(field, {});
    RenderOptions options = small();
    options.camera = Camera{{16, 60, 16}, {16.001, 0, 16}, 30};
    options.to_sun = Position{0, 1, 0};
    const auto reds = [&](std::uint32_t mask) {
        const std::vector<Mesh> meshes{terrain::bake(chunk, mask)};
        const Image image = render_lods(pool, meshes, options);
        int count = 0;
        for (const Pixel& pixel : image.pixels) {
            if (pixel.red > 2 * pixel.green && pixel.red > 2 * pixel.blue && pixel.red > 100) ++count;
        }
        return count;
    };
    const int none = reds(0);
    EXPECT_EQ(none, 0);
    EXPECT_GT(reds(terrain::side::low_x), 20);
    std::vector<Mesh> coarse{terrain::bake(chunk, 0)};
    const Pixel finest = render_lods(pool, coarse, options).at(30, 30);
    coarse[0].key.lod = 3;
    options.camera = Camera{{128, 480, 128}, {128.01, 0, 128}, 30};
    EXPECT_NE(render_lods(pool, coarse, options).at(30, 30), finest);
}

TEST(ChooseCamera, StandsAboveTheGroundOfALandscape) {
    Pool pool(2);
    const terrain::NoiseField field({.amplitude = 24});
    const auto places = terrain::sphere_world(128);
    const terrain::WorldMesh world = terrain::mesh_world(pool, field, places);
    const Camera camera = choose_camera(pool, world.meshes, small());
    EXPECT_GE(field.density_at(camera.eye), 1);
    EXPECT_LT(std::hypot(camera.eye.x, camera.eye.z), 160);
    const double ahead = std::hypot(camera.target.x - camera.eye.x, camera.target.z - camera.eye.z);
    EXPECT_LT(std::abs(camera.target.y - camera.eye.y), 0.5 * ahead);
}

TEST(ChooseCamera, SeesAllOfASingleThing) {
    Pool pool(2);
    RenderOptions options = small(96, 64);
    options.camera = choose_camera(pool, ball(), options);
    const Image sky = render(pool, {}, options);
    const Image image = render(pool, ball(), options);
    int shown = 0;
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 96; ++x) {
            const bool on_rim = x == 0 || y == 0 || x == 95 || y == 63;
            const bool is_ball = image.at(x, y) != sky.at(x, y);
            EXPECT_FALSE(on_rim && is_ball) << x << ", " << y;
            shown += is_ball ? 1 : 0;
        }
    }
    // A ball as high as nine tenths of the picture covers 2,600 pixels.
    EXPECT_GT(shown, 2'000);
}

TEST(ChooseCamera, SeesAllOfAnIsland) {
    Pool pool(2);
    // A dome that is 40 units wide where it rises out of the water, in the middle of 256 units of sea.
    const auto sea = std::make_shared<terrain::PlaneField>(terrain::Position{0, -20, 0}, terrain::Position{0, 1, 0});
    const auto dome = std::make_shared<terrain::SphereField>(terrain::Position{0, -10, 0}, 30);
    const terrain::CombinedField field(terrain::Combination::unite, sea, dome, 8);
    const terrain::WorldMesh world = terrain::mesh_world(pool, field, terrain::box_world({256, 128, 256}, {}));
    RenderOptions options = small(96, 64);
    options.water_level = 0;
    const Camera camera = choose_camera(pool, world.meshes, options);
    const double distance = std::hypot(camera.eye.x, camera.eye.y - 10, camera.eye.z);
    EXPECT_GT(distance, 50);
    EXPECT_LT(distance, 140);
    EXPECT_GT(camera.eye.y, 10) << "above the water";
    EXPECT_NEAR(camera.target.x, 0, 3);
    EXPECT_NEAR(camera.target.y, 10, 3);
    EXPECT_NEAR(camera.target.z, 0, 3);
}

TEST(RenderOptions, OutOfRangeAreRefusedWithTheirName) {
    Pool pool(1);
    const auto refused = [&](auto change) -> std::string {
        RenderOptions options = small(8, 8);
        change(options);
        try {
            render(pool, {}, options);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(refused([](RenderOptions&) {}), "");
    EXPECT_EQ(refused([](RenderOptions& o) { o.width = 0; }), "RenderOptions.width must be 1 .. 16384");
    EXPECT_EQ(refused([](RenderOptions& o) { o.height = 99'999; }), "RenderOptions.height must be 1 .. 16384");
    EXPECT_EQ(refused([](RenderOptions& o) { o.samples = 3; }), "RenderOptions.samples must be 1, 2 or 4");
    EXPECT_EQ(refused([](RenderOptions& o) { o.haze = 1; }), "RenderOptions.haze must be 0 .. 0.99");
    EXPECT_NE(refused([&](RenderOptions& o) { o.water_level = nan; }), "");
    EXPECT_NE(refused([&](RenderOptions& o) { o.to_sun = Position{nan, 0, 0}; }), "");
    EXPECT_NE(refused([](RenderOptions& o) { o.lattice.voxel_size = 0; }), "");
    EXPECT_NE(refused([](RenderOptions& o) { o.camera = Camera{}; }), "");
    EXPECT_NE(refused([](RenderOptions& o) { o.camera = Camera{{0, 0, 0}, {1, 0, 0}, 180}; }), "");
}

}  // namespace
}  // namespace quarry::app::preview
