// What a collision world does in which frame, with jobs that end when the test says so.
#include "terrain/collision/engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "tests/terrain/collision/scripted_collision.hpp"

namespace quarry::terrain::collision {
namespace {

TEST(CollisionEngine, HasAllChunksWithinTheRadiusOfEachAnchor) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}, {90.5, -4, 20}};
    collision.settle(anchors);
    // A little more than the radius, so that not every step makes a new plan.
    for (const ChunkKey& key : keys_around(anchors, 24, 16)) {
        const PatchSet wanted = make_patches(*source_of(collision.world.field()), key, nullptr);
        for (const auto& patch : wanted.patches) {
            EXPECT_TRUE(std::any_of(collision.host.shapes.begin(), collision.host.shapes.end(),
                                    [&](const auto& shape) { return shape.second->hash == patch->hash; }));
        }
    }
    collision.host.expect_is(*collision.world.field(), keys_around(anchors, 26, 16), 16);
    EXPECT_TRUE(collision.engine->ready_around({3, 0, 5}, 20));
    EXPECT_FALSE(collision.engine->ready_around({45, 0, 5}, 20));
    EXPECT_EQ(collision.engine->stats().patches, collision.host.shapes.size());
    collision.settle({});
    EXPECT_TRUE(collision.host.shapes.empty());
    EXPECT_EQ(collision.engine->stats().bytes, 0u);
    EXPECT_EQ(collision.engine->stats().triangles, 0u);
}

TEST(CollisionEngine, BeginsWithWhatIsNearestToAnAnchor) {
    ScriptedCollision collision(hills());
    collision.engine->update(std::vector<Position>{{3, 0, 5}});
    const auto distance = [](const PatchRequest& request) { return request.rank; };
    ASSERT_GT(collision.jobs->waiting.size(), 20u);
    EXPECT_TRUE(std::is_sorted(collision.jobs->waiting.begin(), collision.jobs->waiting.end(),
                               [&](const auto& a, const auto& b) { return distance(a) < distance(b); }));
    EXPECT_EQ(collision.jobs->waiting.front().key, (ChunkKey{0, 0, 0, 0}));
    EXPECT_TRUE(collision.jobs->waiting.front().is_near);
    EXPECT_FALSE(collision.jobs->waiting.back().is_near);
    // Somebody else comes nearer.
    collision.engine->update(std::vector<Position>{{20, 0, 5}});
    EXPECT_EQ(collision.jobs->waiting.front().key, (ChunkKey{0, 1, 0, 0}));
}

TEST(CollisionEngine, TellsOnlyOfPatchesThatADigHasChanged) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    const std::size_t before = collision.host.events;
    const std::size_t patches = collision.host.shapes.size();
    collision.dig({6, 0, 6}, 3);
    EXPECT_FALSE(collision.engine->at_rest());
    EXPECT_FALSE(collision.engine->ready_around({3, 0, 5}, 8));
    collision.engine->update(anchors);
    EXPECT_LE(collision.jobs->waiting.size(), 8u);
    collision.jobs->run_all();
    collision.engine->update(anchors);
    collision.deliver();
    EXPECT_TRUE(collision.engine->at_rest());
    EXPECT_GT(collision.host.events, before);
    EXPECT_LT(collision.host.events - before, patches / 2);
    collision.host.expect_is(*collision.world.field(), keys_around(anchors, 26, 16), 16);
}

TEST(CollisionEngine, WhatIsNearComesInTheSameFrameAndIsMadeByTheHostIfNeedBe) {
    CollisionOptions options = ScriptedCollision::small();
    options.wait = 1;  // as long as it takes
    ScriptedCollision collision(hills(), options);
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    collision.dig({6, 0, 6}, 3);
    // No worker is there to help.
    collision.engine->update(anchors);
    EXPECT_EQ(collision.engine->stats().late, 0u);
    EXPECT_GE(collision.engine->stats().in_frame, 1u);
    collision.deliver(DeliveryBudget::only_items(1));
    for (const auto& shape : collision.host.shapes) {
        const auto& patch = shape.second;
        const PlaceBox box{{patch->chunk.x * 16.0 + patch->bounds.low.x, patch->chunk.y * 16.0 + patch->bounds.low.y,
                            patch->chunk.z * 16.0 + patch->bounds.low.z},
                           {patch->chunk.x * 16.0 + patch->bounds.high.x, patch->chunk.y * 16.0 + patch->bounds.high.y,
                            patch->chunk.z * 16.0 + patch->bounds.high.z}};
        if (box.square_of_distance({3, 0, 5}) > 16) continue;
        const PatchSet wanted = make_patches(*source_of(collision.world.field()), patch->chunk, nullptr);
        EXPECT_TRUE(std::any_of(wanted.patches.begin(), wanted.patches.end(),
                                [&](const auto& each) { return each->hash == patch->hash; }));
    }
}

TEST(CollisionEngine, WithoutTimeToWaitItSaysSo) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    const std::uint64_t late = collision.engine->stats().late;
    collision.dig({6, 0, 6}, 3);
    collision.engine->update(anchors);
    collision.deliver();
    EXPECT_EQ(collision.engine->stats().late, late);
    // Too late for the delivery before.
    collision.jobs->run_all();
    collision.engine->update(anchors);
    EXPECT_EQ(collision.engine->stats().late, late + 1);
    collision.deliver();
    EXPECT_EQ(collision.engine->stats().longest_frames, 1u);
    // In time, though nobody waits: the delivery takes what is there.
    const std::uint64_t in_frame = collision.engine->stats().in_frame;
    collision.dig({6, -2, 6}, 3);
    collision.engine->update(anchors);
    collision.jobs->run_all();
    collision.deliver();
    collision.engine->update(anchors);
    EXPECT_EQ(collision.engine->stats().late, late + 1);
    EXPECT_EQ(collision.engine->stats().in_frame, in_frame + 1);
    // Or somebody waits later.
    collision.dig({6, -4, 6}, 3);
    collision.engine->update(anchors);
    collision.engine->wait_for_near(1);
    collision.deliver();
    collision.engine->update(anchors);
    EXPECT_EQ(collision.engine->stats().in_frame, in_frame + 2);
    EXPECT_THROW(collision.engine->wait_for_near(kNan), std::invalid_argument);
}

TEST(CollisionEngine, APatchThatChangesBackBeforeItIsToldOfIsNoNews) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    const std::size_t before = collision.host.events;
    // Away and back, without a delivery in between.
    collision.engine->update({});
    EXPECT_FALSE(collision.engine->at_rest());
    collision.engine->update(anchors);
    collision.jobs->run_all();
    collision.engine->update(anchors);
    collision.deliver();
    collision.host.expect_is(*collision.world.field(), keys_around(anchors, 26, 16), 16);
    EXPECT_GT(collision.host.events, before);
}

// Anchors that come and go, digs at any time, results in any order, small budgets: in the end all is as it is.
TEST(CollisionEngine, InAnyOrderNothingIsLost) {
    Random random(91);
    SCOPED_TRACE(seed_text());
    for (int round = 0; round < 4; ++round) {
        CollisionOptions options = ScriptedCollision::small();
        options.cells = 8;
        options.radius = 12;
        if (round == 3) options.simplify = 0.1;
        ScriptedCollision collision(hills(), options);
        std::vector<Position> anchors{{0, 0, 0}};
        for (int frame = 0; frame < 120; ++frame) {
            for (Position& anchor : anchors) {
                anchor.x += random.real(-2, 3);
                anchor.z += random.real(-2, 2);
            }
            if (random.integer(0, 20) == 0) anchors.push_back({random.real(-20, 20), random.real(-5, 5), 0});
            if (random.integer(0, 25) == 0 && anchors.size() > 1) anchors.pop_back();
            if (random.integer(0, 2) == 0) {
                const EditReport report =
                    collision.world.apply({.kind = static_cast<EditKind>(random.integer(0, 1)),
                                           .at = {anchors[0].x + random.real(-10, 10), random.real(-8, 8),
                                                  anchors[0].z + random.real(-10, 10)},
                                           .radius = static_cast<float>(random.real(1, 5))});
                if (report.any()) collision.engine->edit(collision.world.field(), std::span(&report.changed, 1));
            }
            collision.engine->update(anchors);
            for (int i = random.integer(0, 30); i > 0; --i)
                collision.jobs->begin(static_cast<std::size_t>(random.integer(0, 1000)));
            for (int i = random.integer(0, 30); i > 0; --i)
                collision.jobs->end(static_cast<std::size_t>(random.integer(0, 1000)));
            collision.deliver(random.integer(0, 1) == 0 ? DeliveryBudget::everything()
                                                        : DeliveryBudget(std::chrono::hours(1), 3));
            if (testing::Test::HasFailure()) FAIL() << "round " << round << ", frame " << frame;
        }
        collision.settle(anchors);
        EXPECT_EQ(collision.engine->stats().patches, collision.host.shapes.size());
        // Fewer than the radius holds there are not, and each is up to date.
        const auto source = source_of(collision.world.field(), 8, options.simplify);
        for (const ChunkKey& key : keys_around(anchors, 12, 8)) {
            for (const auto& patch : make_patches(*source, key, nullptr).patches) {
                EXPECT_TRUE(std::any_of(collision.host.shapes.begin(), collision.host.shapes.end(),
                                        [&](const auto& shape) { return shape.second->hash == patch->hash; }));
            }
        }
        for (const ChunkKey& key : collision.held()) {
            std::size_t there = 0;
            for (const auto& [id, patch] : collision.host.shapes) there += patch->chunk == key ? 1 : 0;
            EXPECT_EQ(there, make_patches(*source, key, nullptr).patches.size());
        }
    }
}

TEST(CollisionEngine, MemoryIsBoundedByTheNumberOfChunks) {
    CollisionOptions options = ScriptedCollision::small();
    options.most_chunks = 20;
    ScriptedCollision collision(hills(), options);
    std::vector<Position> anchors;
    for (int i = 0; i < 40; ++i) anchors.push_back({i * 100.0, 0, 0});
    collision.settle(anchors);
    EXPECT_EQ(collision.engine->stats().chunks, 20u);
    EXPECT_GT(collision.engine->stats().left_out, 100u);
    anchors.resize(1);
    collision.settle(anchors);
    EXPECT_TRUE(collision.engine->ready_around({0, 0, 0}, 4));
}

}  // namespace
}  // namespace quarry::terrain::collision
