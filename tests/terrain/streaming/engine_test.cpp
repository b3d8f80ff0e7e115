#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/world.hpp"
#include "tests/terrain/streaming/scripted_host.hpp"
#include "tests/terrain/test_fields.hpp"

namespace quarry::terrain::streaming {
namespace {

std::shared_ptr<const Field> hills() {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = 3, .frequency = 0.03, .amplitude = 20});
}

Viewer at(double x, double y, double z) {
    return {.position = {x, y, z}, .direction = {1, 0, 0}};
}

TEST(StreamEngine, ShowsTheOctreeWorldWithItsMasksWhenAtRest) {
    Random random(1);
    SCOPED_TRACE(random.seed());
    // Bounds that exclude nothing: every leaf has a chunk.
    const auto field = std::make_shared<test_support::Static>(7, 0.5);
    for (int round = 0; round < 4; ++round) {
        StreamerOptions options = ScriptedStreamer::small_options();
        options.hysteresis = 0;
        options.radius = 60;
        options.lod_distance = random.real(8, 40);
        options.max_lod = 3;
        ScriptedStreamer streamer(field, options);
        const Position viewer = random.position(100);
        streamer.settle({{.position = viewer}});
        std::set<ShownPlace> expected;
        for (const PlacedChunk& chunk : octree_world({.viewer = viewer,
                                        .radius = options.radius,
                                        .lod_distance = options.lod_distance,
                                        .max_lod = 3,
                                        .cells = 8})) {
            expected.insert({chunk.key.lod, chunk.key.x, chunk.key.y, chunk.key.z, chunk.mask});
        }
        EXPECT_EQ(places_shown(streamer.engine->shown()), expected);
        streamer.check_closed();
    }
}

TEST(StreamEngine, ShowsNearChunksFirstWithoutAGap) {
    ScriptedStreamer streamer(hills());
    const std::vector<Viewer> viewers{at(3, 5, 7)};
    streamer.update(viewers);
    std::set<std::tuple<int, int, int, int>> seen;
    std::vector<double> distances;  // of meshes in the order in which they are shown
    for (int step = 0; step < 3000 && !streamer.engine->at_rest(); ++step) {
        streamer.jobs->begin();
        streamer.jobs->end();
        streamer.deliver();
        if (step % 16 == 0) streamer.update(viewers);
        streamer.host.for_each_visible([&](const ChunkKey& key, std::uint32_t, const Mesh&) {
            if (!seen.insert({key.lod, key.x, key.y, key.z}).second) return;
            const double width = std::ldexp(8, key.lod);
            distances.push_back(
                std::hypot((key.x + 0.5) * width - 3, (key.y + 0.5) * width - 5, (key.z + 0.5) * width - 7));
        });
    }
    EXPECT_TRUE(streamer.engine->at_rest());
    // None comes before one at less than half its distance.
    ASSERT_GT(distances.size(), 50u);
    double nearest_later = distances.back();
    for (std::size_t i = distances.size(); i-- > 0;) {
        EXPECT_GE(nearest_later, distances[i] / 2) << i << " of " << distances.size();
        nearest_later = std::min(nearest_later, distances[i]);
    }
    EXPECT_TRUE(streamer.engine->ready_around({3, 5, 7}, 100));
    streamer.check_closed();
}

TEST(StreamEngine, IsReadyAroundAsFarAsViewersSeeWhereRootsAreSmall) {
    StreamerOptions options = ScriptedStreamer::small_options();
    options.max_lod = 2;
    ScriptedStreamer streamer(hills(), options);
    streamer.settle({at(0, 5, 0)});
    EXPECT_TRUE(streamer.engine->ready_around({0, 5, 0}, options.radius));
    EXPECT_FALSE(streamer.engine->ready_around({200, 5, 0}, options.radius));
}

// Workers end all that they have between two frames, never within one: what a neighbour's change makes necessary takes
// a frame each time, unless the host's thread does it.
TEST(StreamEngine, ChunksNextToAViewerAreShownAtMostTwoFramesAfterThePlanWantsThem) {
    StreamerOptions options = ScriptedStreamer::small_options();
    // Four chunks, as by default. The first speed is 100 units/s at 60 Hz with chunks of 32 cells.
    options.lod_distance = 32;
    for (const double speed : {0.417, 0.55, 0.8, 1.2}) {
        ScriptedStreamer streamer(hills(), options);
        streamer.settle({at(0, 5, 0)});
        const StreamerStats before = streamer.engine->stats();
        for (int frame = 1; frame < 500; ++frame) {
            streamer.update({at(frame * speed, 5, frame * 0.4 * speed)});
            streamer.deliver();
            streamer.jobs->run_all();
        }
        const StreamerStats after = streamer.engine->stats();
        std::uint64_t in_time = 0;
        for (std::size_t frames = 0; frames < after.late.size(); ++frames) {
            const std::uint64_t shown = after.late[frames] - before.late[frames];
            if (frames <= 2) {
                in_time += shown;
            } else {
                EXPECT_EQ(shown, 0u) << frames << " frames at " << speed;
            }
        }
        EXPECT_GT(in_time, 100u);
    }
}

TEST(StreamEngine, FlyingOnReplacesChunksInClosedGroups) {
    ScriptedStreamer streamer(hills());
    streamer.settle({at(0, 5, 0)});
    for (int frame = 1; frame < 150; ++frame) {
        streamer.update({at(frame * 1.5, 5, frame * 0.4)});
        streamer.jobs->run_all();
        streamer.deliver();
        if (frame % 10 == 0) streamer.check_closed();
    }
    const StreamerStats stats = streamer.engine->stats();
    EXPECT_GT(stats.groups_shown, 50u);
    EXPECT_GT(stats.rebaked, 20u);
    EXPECT_LE(streamer.host.largest_group, kMostInGroup);
    EXPECT_EQ(stats.largest_group, streamer.host.largest_group);
    EXPECT_LT(stats.wasted_share(), 0.1);
    streamer.settle({at(225, 5, 60)});
    EXPECT_EQ(streamer.engine->shown().missing.size(), 0u);
}

class StreamEngineRandom : public testing::TestWithParam<std::uint64_t> {};

// Any order of completion, any movement: in every frame what is shown is right (ScriptedStreamer::deliver checks it).
TEST_P(StreamEngineRandom, WalkIsAlwaysClosedAndEndsAtRest) {
    Random random(GetParam());
    SCOPED_TRACE(random.seed());
    StreamerOptions options = ScriptedStreamer::small_options();
    options.lod_distance = random.real(10, 40);
    options.hysteresis = random.real(0, 0.4);
    options.radius = random.real(60, 150);
    options.max_lod = random.integer(2, 4);
    options.pending = static_cast<std::size_t>(random.integer(128, 400));
    options.cache_bytes = static_cast<std::size_t>(random.integer(0, 4'000'000));
    ScriptedStreamer streamer(hills(), options);
    std::vector<Viewer> viewers{at(0, 0, 0)};
    for (int frame = 0; frame < 120; ++frame) {
        const int kind = random.integer(0, 39);
        if (kind == 0) viewers[0].position = random.position(2000);
        if (kind == 1 && viewers.size() < 3) viewers.push_back(at(random.real(-200, 200), 0, 0));
        if (kind == 2 && viewers.size() > 1) viewers.pop_back();
        if (kind == 3) viewers[0].direction = random.position(1);
        const bool leaps = random.integer(0, 9) == 0;
        const double speed = leaps ? 30 : 3;
        for (Viewer& viewer : viewers) {
            const Position by = random.position(speed);
            viewer.position = {viewer.position.x + by.x, std::clamp(viewer.position.y + by.y, -40.0, 60.0),
                               viewer.position.z + by.z};
        }
        streamer.update(viewers);
        const int jobs = random.integer(0, 60);
        for (int job = 0; job < jobs; ++job) {
            if (random.integer(0, 3) != 0) streamer.jobs->begin(static_cast<std::size_t>(random.integer(0, 1000)));
            if (random.integer(0, 3) != 0) streamer.jobs->end(static_cast<std::size_t>(random.integer(0, 1000)));
        }
        streamer.deliver(DeliveryBudget::only_items(static_cast<std::size_t>(random.integer(1, 80))));
        EXPECT_LE(streamer.engine->stats().in_state[0] + streamer.in(ChunkState::queued) +
                      streamer.in(ChunkState::meshing) + streamer.in(ChunkState::ready) +
                      streamer.in(ChunkState::handed_over),
                  options.pending);
        if (HasFailure()) break;
    }
    streamer.settle(viewers);
    const ShownWorld world = streamer.engine->shown();
    EXPECT_TRUE(world.missing.empty());
    streamer.check_closed();
    // Every chunk is shown or gone, and the host has no more than that.
    for (const ChunkState state : {ChunkState::planned, ChunkState::queued, ChunkState::meshing, ChunkState::ready,
                                   ChunkState::handed_over, ChunkState::retiring}) {
        EXPECT_EQ(streamer.in(state), 0u) << name_of(state);
    }
    EXPECT_EQ(streamer.host.size(), streamer.host.visible());
    EXPECT_LE(streamer.engine->stats().cached_bytes, options.cache_bytes);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StreamEngineRandom, testing::Range<std::uint64_t>(1, 25));

}  // namespace
}  // namespace quarry::terrain::streaming
