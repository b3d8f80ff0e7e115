#include <atomic>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/simd.hpp"
#include "quarry/terrain/world.hpp"
#include "tests/terrain/patchwork.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/test_fields.hpp"

namespace quarry::terrain {
namespace {

WorldOptions with_cells(std::int32_t cells) {
    WorldOptions options;
    options.extract.cells = cells;
    return options;
}

// What a plain loop gives.
WorldMesh meshed_one_by_one(const Field& field, const std::vector<PlacedChunk>& places, const WorldOptions& options) {
    WorldMesh world;
    world.counts.total = places.size();
    for (const PlacedChunk& place : places) {
        const ChunkMesh chunk = extract(field, place.key, options.extract);
        world.contents.push_back(chunk.content);
        world.counts.rejected += chunk.content == ChunkContent::rejected ? 1 : 0;
        world.counts.sampled_empty += chunk.content == ChunkContent::empty ? 1 : 0;
        if (chunk.content != ChunkContent::surface) continue;
        ++world.counts.surface;
        world.meshes.push_back(bake(chunk, place.mask));
        world.extracted.push_back(chunk);
        world.vertices += world.meshes.back().positions.size();
        world.triangles += world.meshes.back().indices.size() / 3;
    }
    return world;
}

const std::vector<PlacedChunk>& small_octree() {
    static const std::vector<PlacedChunk> places =
        octree_world({.viewer = {5, 3, -7}, .radius = 200, .lod_distance = 25, .cells = 8});
    return places;
}

TEST(MeshWorld, GivesWhatChunksGiveOneByOneInTheOrderOfThePlaces) {
    const NoiseField hills({.seed = 3, .amplitude = 20});
    const SphereField ball({5, 3, -7}, 60);
    Pool pool(3);
    for (const Field* field : {static_cast<const Field*>(&hills), static_cast<const Field*>(&ball)}) {
        const WorldMesh expected = meshed_one_by_one(*field, small_octree(), with_cells(8));
        const WorldMesh world = mesh_world(pool, *field, small_octree(), with_cells(8));
        EXPECT_GT(world.counts.surface, 50u);
        EXPECT_GT(world.counts.rejected, 50u);
        EXPECT_EQ(world.counts, expected.counts);
        EXPECT_EQ(world.contents, expected.contents);
        EXPECT_EQ(world.meshes, expected.meshes);
        EXPECT_TRUE(world.extracted.empty());
        EXPECT_EQ(world.vertices, expected.vertices);
        EXPECT_EQ(world.triangles, expected.triangles);
    }
}

TEST(MeshWorld, KeepsWhatAnyMaskIsBakedFromWhenAsked) {
    const NoiseField hills({.seed = 3, .amplitude = 20});
    Pool pool(2);
    WorldOptions options = with_cells(8);
    options.keep = Keep::extracted;
    const WorldMesh world = mesh_world(pool, hills, small_octree(), options);
    EXPECT_EQ(world.extracted, meshed_one_by_one(hills, small_octree(), options).extracted);
    EXPECT_TRUE(world.meshes.empty());
    EXPECT_EQ(world.counts.surface, world.extracted.size());
    EXPECT_GT(world.triangles, 1000u);
}

// R9
TEST(MeshWorld, EveryChunkEndsInOneState) {
    // Bounds that say nothing: what has no surface is found by its samples.
    class Blunt final : public test_support::Ball {
      public:
        using Ball::Ball;
        Interval bounds(const Box&) const override { return {-1e9f, 1e9f}; }
    };
    Pool pool(2);
    const std::vector<PlacedChunk> places = sphere_world(60, {.cells = 8});
    for (const bool blunt : {false, true}) {
        const Blunt without_bounds({0, 0, 0}, 30);
        const test_support::Ball with_bounds({0, 0, 0}, 30);
        const Field& field = blunt ? static_cast<const Field&>(without_bounds) : with_bounds;
        const WorldMesh world = mesh_world(pool, field, places, with_cells(8));
        EXPECT_EQ(world.counts.total, places.size());
        EXPECT_EQ(world.counts.rejected + world.counts.sampled_empty + world.counts.surface, places.size());
        EXPECT_EQ(world.counts.surface, world.meshes.size());
        EXPECT_EQ(world.counts.rejected == 0, blunt);
        EXPECT_EQ(world.counts.sampled_empty > world.counts.surface, blunt);
    }
}

// R11
TEST(Quiet, MeshingAWorldPrintsNothing) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Pool pool(2);
    const WorldMesh world = mesh_world(pool, NoiseField({.seed = 11, .amplitude = 20}), small_octree(), with_cells(8));
    EXPECT_GT(world.counts.surface, 0u);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

// R18
TEST(MeshWorld, HasTheSameHashForAnyNumberOfWorkersAndEverySimdTarget) {
    const KeepSimdTarget keep;
    const NoiseField hills({.seed = 11, .amplitude = 20});
    std::uint64_t expected = 0;
    for (int workers = 1; workers <= 8; ++workers) {
        Pool pool(workers);
        const WorldMesh world = mesh_world(pool, hills, small_octree(), with_cells(8));
        const std::uint64_t hash = content_hash(pool, world);
        if (workers == 1) expected = hash;
        EXPECT_EQ(hash, expected) << workers << " workers";
        ASSERT_EQ(world.surface_by_worker.size(), static_cast<std::size_t>(workers));
        EXPECT_EQ(std::accumulate(world.surface_by_worker.begin(), world.surface_by_worker.end(), std::uint64_t{0}),
                  world.counts.surface);
    }
    Pool pool(2);
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        EXPECT_EQ(content_hash(pool, mesh_world(pool, hills, small_octree(), with_cells(8))), expected)
            << name_of(target);
    }
    EXPECT_NE(
        content_hash(pool, mesh_world(pool, NoiseField({.seed = 12, .amplitude = 20}), small_octree(), with_cells(8))),
        expected);
}

// R17: the cut and its masks fit together.
TEST(MeshWorld, OctreeWorldOfABallIsClosed) {
    const test_support::Ball ball({11, -2, 4}, 90);
    Pool pool(2);
    WorldOptions options = with_cells(8);
    options.keep = Keep::extracted;
    // The second one is balanced by splitting more than distances ask for.
    for (const double lod_distance : {30.0, 3.0}) {
        const std::vector<PlacedChunk> places =
            octree_world({.viewer = {80, 10, 0}, .radius = 400, .lod_distance = lod_distance, .cells = 8});
        const WorldMesh world = mesh_world(pool, ball, places, options);
        std::vector<test_support::Patch> patches;
        std::size_t next = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (world.contents[i] != ChunkContent::surface) continue;
            patches.push_back({world.extracted[next++], places[i].mask});
        }
        const test_support::Surface surface = test_support::by_identity(patches);
        EXPECT_EQ(surface.open_edges(test_support::never_open), 0u);
        EXPECT_EQ(surface.euler_characteristic(), 2);
        EXPECT_EQ(test_support::by_position(patches).open_edges(test_support::never_open), 0u);
    }
}

TEST(MeshWorld, TakesWorkersOfThePoolOnlyUnlessTheCallerIsPartOfIt) {
    const NoiseField hills({.seed = 3, .amplitude = 20});
    Pool pool(2);
    WorldMesh from_inside;
    pool.scope([&](Scope&) { from_inside = mesh_world(pool, hills, small_octree(), with_cells(8)); });
    EXPECT_GE(from_inside.surface_by_worker.size(), 2u);
    EXPECT_EQ(from_inside.meshes, mesh_world(pool, hills, small_octree(), with_cells(8)).meshes);
    const WorldMesh from_job =
        pool.submit([&] { return mesh_world(pool, hills, small_octree(), with_cells(8)); }).get();
    EXPECT_EQ(from_inside.meshes, from_job.meshes);
}

// Requests a stop once some chunks have been meshed.
class Stopping final : public test_support::DistanceField {
  public:
    explicit Stopping(std::stop_source& source) : source_(source) {}

    void sample(const SampleBlock& block, float* out) const override {
        if (++sampled == 10) source_.request_stop();
        Field::sample(block, out);
    }

    mutable std::atomic<int> sampled{0};

  private:
    double distance(Position at) const override { return at.y; }

    std::stop_source& source_;
};

TEST(MeshWorld, StopsSoonWhenAskedTo) {
    Pool pool(2);
    std::stop_source source;
    const Stopping field(source);
    WorldOptions options = with_cells(8);
    WorldProgress progress;
    options.stop_token = source.get_token();
    options.progress = &progress;
    const std::vector<PlacedChunk> places = box_world({400, 16, 400}, {.cells = 8});
    EXPECT_THROW(mesh_world(pool, field, places, options), Cancelled);
    EXPECT_GT(progress.to_mesh, 1000u);
    EXPECT_GE(progress.meshed, 1u);
    EXPECT_LT(progress.meshed, 100u);
    EXPECT_THROW(mesh_world(pool, field, places, options), Cancelled);
}

TEST(MeshWorld, ProgressEndsAtTheNumberOfChunksThatAreMeshed) {
    Pool pool(2);
    WorldProgress progress;
    WorldOptions options = with_cells(8);
    options.progress = &progress;
    const WorldMesh world = mesh_world(pool, NoiseField({.amplitude = 20}), small_octree(), options);
    EXPECT_EQ(progress.meshed, progress.to_mesh);
    // Bounds of layers reject some more.
    EXPECT_GE(progress.meshed, world.counts.surface + world.counts.sampled_empty);
    EXPECT_LT(progress.meshed, world.counts.total);
}

TEST(EstimateWorld, ComesCloseToWhatTheWorldHas) {
    const NoiseField hills({.seed = 3, .amplitude = 20});
    Pool pool(2);
    const WorldEstimate estimate = estimate_world(pool, hills, small_octree(), with_cells(8));
    WorldProgress progress;
    WorldOptions options = with_cells(8);
    options.progress = &progress;
    const WorldMesh world = mesh_world(pool, hills, small_octree(), options);
    EXPECT_EQ(estimate.to_mesh, progress.to_mesh);
    EXPECT_NEAR(estimate.vertices() / static_cast<double>(world.vertices), 1, 0.15);
    EXPECT_NEAR(estimate.triangles() / static_cast<double>(world.triangles), 1, 0.15);
    EXPECT_GT(estimate.bytes(), 24 * estimate.vertices() + 6 * estimate.triangles());
    EXPECT_LT(estimate.bytes(), 2 * (24 * estimate.vertices() + 6 * estimate.triangles()));
    EXPECT_EQ(estimate_world(pool, hills, {}).vertices(), 0);
}

TEST(MeshWorld, RefusesPlacesThatNoChunkCanHave) {
    Pool pool(2);
    const SphereField ball({0, 0, 0}, 10);
    const auto refusal = [&](PlacedChunk place, const WorldOptions& options = {}) {
        const std::vector<PlacedChunk> places{{}, place};
        return refusal_of([&] { mesh_world(pool, ball, places, options); });
    };
    EXPECT_NE(refusal({{0, 0, 0, 0}, 64}).find("mask"), std::string::npos);
    EXPECT_NE(refusal({{8, 0, 0, 0}, 0}).find("lod"), std::string::npos);
    EXPECT_NE(refusal({{-1, 0, 0, 0}, 0}).find("lod"), std::string::npos);
    EXPECT_NE(refusal({{0, 0, 1 << 29, 0}, 0}).find("chunk coordinate y"), std::string::npos);
    EXPECT_NE(refusal_of([&] { mesh_world(pool, ball, {}, with_cells(7)); }).find("cells"), std::string::npos);
    const WorldMesh empty = mesh_world(pool, ball, {});
    EXPECT_EQ(empty.counts, WorldCounts{});
    EXPECT_NE(content_hash(pool, empty), 0u);
}

TEST(MeshWorld, PassesOnWhatTheFieldThrows) {
    class Broken final : public test_support::Ball {
      public:
        using Ball::Ball;
        void sample(const SampleBlock&, float*) const override { throw std::runtime_error("no sample"); }
    };
    Pool pool(2);
    EXPECT_THROW(mesh_world(pool, Broken({0, 0, 0}, 30), sphere_world(60, {.cells = 8}), with_cells(8)),
                 std::runtime_error);
}

}  // namespace
}  // namespace quarry::terrain
