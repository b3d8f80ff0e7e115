#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/world.hpp"
#include "terrain/streaming/keys.hpp"
#include "tests/terrain/streaming/scripted_host.hpp"

namespace quarry::terrain::streaming {
namespace {

std::shared_ptr<const Field> proof_hills() {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = 3, .frequency = 0.03, .amplitude = 20});
}

Viewer watching(double x, double z = 0) {
    return {.position = {x, 5, z}, .direction = {1, 0, 0}};
}

bool is_within(ChunkKey key, const ChunkKey& other) {
    while (key.lod < other.lod) key = parent_of(key);
    return key == other;
}

// The part of a leaf that keys cover, in chunks of LOD 0; they do not overlap.
double volume_of(const ChunkKey& leaf, const std::vector<ChunkKey>& keys) {
    double volume = 0;
    for (const ChunkKey& key : keys) {
        if (is_within(key, leaf)) volume += std::ldexp(1, 3 * key.lod);
        if (leaf.lod < key.lod && is_within(leaf, key)) volume += std::ldexp(1, 3 * leaf.lod);
    }
    return volume;
}

// A leaf of the plan of which only some of the finer chunks were there when viewers moved away: what is missing of it
// was not counted, so chunks around it closed it in.
TEST(StreamEngineProof, AllOfThePlanIsShownOrEmptyOrMissing) {
    StreamerOptions options = ScriptedStreamer::small_options();
    options.hysteresis = 0;
    options.radius = 80;
    options.lod_distance = 20;
    options.max_lod = 3;
    Random random(11);
    SCOPED_TRACE(random.seed());
    ScriptedStreamer streamer(proof_hills(), options);
    Viewer viewer = watching(0);
    for (int frame = 0; frame < 60; ++frame) {
        const Position by = random.position(12);
        viewer.position = {viewer.position.x + by.x, 5, viewer.position.z + by.z};
        streamer.update({viewer});
        for (int job = 0; job < 15; ++job) {
            streamer.jobs->begin();
            streamer.jobs->end();
        }
        streamer.deliver();
        const ShownWorld world = streamer.engine->shown();
        std::vector<ChunkKey> keys(world.empty);
        keys.insert(keys.end(), world.missing.begin(), world.missing.end());
        for (const ShownChunk& chunk : world.chunks) keys.push_back(chunk.key);
        for (const PlacedChunk& leaf : octree_world({.viewer = viewer.position,
                                       .radius = options.radius,
                                       .lod_distance = options.lod_distance,
                                       .max_lod = options.max_lod,
                                       .cells = options.cells})) {
            ASSERT_EQ(volume_of(leaf.key, keys), std::ldexp(1, 3 * leaf.key.lod)) << "in frame " << frame;
        }
    }
}

TEST(StreamEngineProof, WhatThePlanLeavesBehindIsHiddenAtOnce) {
    ScriptedStreamer streamer(proof_hills());
    streamer.settle({watching(0)});
    ASSERT_GT(streamer.host.visible(), 64u);
    streamer.update({watching(5'000)});
    streamer.deliver(DeliveryBudget::only_items(1));
    EXPECT_EQ(streamer.host.visible(), 0u);
    // Back again: no part of it stands alone.
    streamer.update({watching(0)});
    for (int frame = 0; frame < 500 && !streamer.engine->at_rest(); ++frame) {
        streamer.jobs->run_all();
        streamer.deliver(DeliveryBudget::only_items(5));
        streamer.update({watching(0)});
    }
    EXPECT_TRUE(streamer.engine->at_rest());
}

// In how many frames a chunk was seen in each state.
using Seen = std::array<int, kChunkStates>;

void look(const ScriptedStreamer& streamer, Seen& seen) {
    for (std::size_t state = 0; state < kChunkStates; ++state) {
        if (streamer.engine->stats().in_state[state] != 0) ++seen[state];
    }
}

// Some frames of a world that fills, or of one that was complete and is flown through, with few jobs and few events.
void go_on(ScriptedStreamer& streamer, int frames) {
    if (frames % 2 == 0) streamer.settle({watching(0)});
    for (int frame = 0; frame < frames; ++frame) {
        streamer.update({watching(frame * 4.0)});
        for (int job = 0; job < 12; ++job) streamer.jobs->begin();
        for (int job = 0; job < 8; ++job) streamer.jobs->end();
        streamer.deliver(DeliveryBudget::only_items(static_cast<std::size_t>(1 + frames % 7)));
    }
}

// No chunk is seen as planned: in the call that plans it, it is queued.
constexpr std::array kStatesOfAWorld{ChunkState::queued,      ChunkState::meshing, ChunkState::ready,
                                     ChunkState::handed_over, ChunkState::shown,   ChunkState::retiring};

TEST(StreamEngineProof, ChunksAreGivenUpInEveryState) {
    Seen seen{};
    ChunkTransitions transitions{};
    for (int frames = 1; frames < 40; frames += 3) {
        ScriptedStreamer streamer(proof_hills());
        go_on(streamer, frames);
        look(streamer, seen);
        // Nothing of it is wanted any more.
        streamer.update({watching(100'000)});
        EXPECT_EQ(streamer.engine->stats().queued, streamer.jobs->queued());
        streamer.settle({watching(100'000)});
        for (const ShownChunk& chunk : streamer.engine->shown().chunks) ASSERT_GT(chunk.key.x << chunk.key.lod, 10'000);
        EXPECT_EQ(streamer.host.size(), streamer.host.visible());
        const StreamerStats stats = streamer.engine->stats();
        for (const ChunkState state : kStatesOfAWorld) {
            EXPECT_TRUE(state == ChunkState::shown || streamer.in(state) == 0) << name_of(state);
            for (std::size_t to = 0; to < kChunkStates; ++to) {
                const auto from = static_cast<std::size_t>(state);
                transitions[from][to] += stats.transitions[from][to];
            }
        }
    }
    for (const ChunkState state : kStatesOfAWorld) {
        const auto& from = transitions[static_cast<std::size_t>(state)];
        EXPECT_GT(seen[static_cast<std::size_t>(state)], 0) << name_of(state);
        EXPECT_GT(
            from[static_cast<std::size_t>(ChunkState::retiring)] + from[static_cast<std::size_t>(ChunkState::retired)],
            0u)
            << name_of(state);
    }
}

TEST(StreamEngineProof, AStreamerIsDestroyedWithChunksInEveryState) {
    Seen seen{};
    for (int frames = 1; frames < 40; frames += 2) {
        ScriptedStreamer streamer(proof_hills());
        go_on(streamer, frames);
        if (frames % 4 == 1) streamer.engine->exchange(proof_hills(), streamer.engine->options());
        look(streamer, seen);
    }
    for (const ChunkState state : kStatesOfAWorld) {
        EXPECT_GT(seen[static_cast<std::size_t>(state)], 0) << name_of(state);
    }
}

// Hills that cannot be computed in many places; which those are depends on the place alone.
class Moody final : public Field {
  public:
    void densities(std::span<const Position> points, std::span<float> out) const override {
        for (const Position& point : points) {
            const double at = std::sin(point.x * 12.9898 + point.y * 37.719 + point.z * 78.233) * 43758.5453;
            if (at - std::floor(at) < 0.0002) throw std::runtime_error("a bad day");
        }
        hills_.densities(points, out);
    }
    Interval bounds(const Box& box) const override { return hills_.bounds(box); }
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override {
        hills_.gradients(points, spacing, out);
    }

  private:
    NoiseField hills_{{.seed = 3, .frequency = 0.03, .amplitude = 20}};
};

void fly_through_errors(Random random) {
    SCOPED_TRACE(random.seed());
    for (int round = 0; round < 4; ++round) {
        StreamerOptions options = ScriptedStreamer::small_options();
        options.radius = 90;
        ScriptedStreamer streamer(std::make_shared<Moody>(), options);
        Viewer viewer = watching(0);
        for (int frame = 0; frame < 60; ++frame) {
            const Position by = random.position(frame % 20 == 19 ? 100 : 4);
            viewer.position = {viewer.position.x + by.x, 5, viewer.position.z + by.z};
            streamer.update({viewer});
            for (int job = 0; job < 40; ++job) {
                streamer.jobs->begin(static_cast<std::size_t>(random.integer(0, 1000)));
                streamer.jobs->end(static_cast<std::size_t>(random.integer(0, 1000)));
            }
            streamer.deliver(DeliveryBudget::only_items(40));
            if (testing::Test::HasFailure()) return;
        }
        streamer.settle({viewer});
        EXPECT_GT(streamer.errors.size(), 5u);
        EXPECT_EQ(streamer.engine->stats().failed, streamer.errors.size());
        EXPECT_GT(streamer.host.visible(), 20u);
        EXPECT_EQ(streamer.host.size(), streamer.host.visible());
    }
}

TEST(StreamEngineProof, ErrorsInSomeChunksLeaveTheRestClosedAndAtRest) {
    fly_through_errors(Random(5));
}

// Chunks of a leaf that is shown in part could not join. Nothing more came of the leaf, and others waited for it.
TEST(StreamEngineProof, NobodyWaitsForALeafWhoseChunksCannotJoin) {
    for (const std::uint64_t seed : {std::uint64_t{16}, std::uint64_t{53}}) fly_through_errors(Random(5, seed));
}

// As few chunks under way as is allowed, a host that takes one event a frame, and a world of some hundred chunks.
TEST(StreamEngineProof, FullQueuesBoundAllAndEndAtRest) {
    StreamerOptions options = ScriptedStreamer::small_options();
    options.pending = 128;
    options.radius = 100;
    ScriptedStreamer streamer(proof_hills(), options);
    std::size_t most = 0;
    for (int frame = 0; frame < 200; ++frame) {
        streamer.update({watching(frame * 0.5)});
        if (frame % 3 == 0) streamer.jobs->run_all();
        streamer.deliver(DeliveryBudget::only_items(1));
        const StreamerStats stats = streamer.engine->stats();
        std::size_t pending = 0;
        for (std::size_t state = 0; state < static_cast<std::size_t>(ChunkState::shown); ++state) {
            pending += stats.in_state[state];
        }
        most = std::max(most, pending);
        ASSERT_LE(pending, options.pending);
        ASSERT_LE(streamer.host.size(), streamer.host.visible() + 2 * options.pending);
    }
    EXPECT_GT(most, options.pending / 3);
    streamer.settle({watching(100)});
    EXPECT_TRUE(streamer.engine->shown().missing.empty());
}

}  // namespace
}  // namespace quarry::terrain::streaming
