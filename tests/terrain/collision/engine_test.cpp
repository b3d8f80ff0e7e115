// What a collision world does in which frame, with jobs that end when the test says so.
#include "terrain/collision/engine.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/streamer_options.hpp"
#include "tests/terrain/collision/scripted_jobs.hpp"

namespace quarry::terrain::collision {
namespace {

struct ScriptedCollision {
    explicit ScriptedCollision(const std::shared_ptr<const Field>& ground, CollisionOptions options = small())
        : world(ground), cells(options.cells) {
        auto scripted = std::make_unique<ScriptedPatchJobs>();
        jobs = scripted.get();
        options.on_error = [this](const ChunkError& error) { errors.push_back(error.key); };
        engine = std::make_unique<Engine>(std::move(scripted), world.field(), options);
    }
    static CollisionOptions small() {
        CollisionOptions options;
        options.cells = 16;
        options.radius = 24;
        options.wait = 0;
        return options;
    }
    void dig(Position at, float radius) {
        const EditReport report = world.apply({.kind = EditKind::dig, .at = at, .radius = radius});
        ASSERT_TRUE(report.any());
        engine->edit(world.field(), std::span(&report.changed, 1));
    }
    DeliveryReport deliver(const DeliveryBudget& budget = DeliveryBudget::everything()) {
        return engine->deliver(budget, {this, [](void* self, CollisionEvent& event) {
                                            static_cast<ScriptedCollision*>(self)->host.take(event);
                                        }});
    }
    void settle(const std::vector<Position>& anchors) {
        for (int i = 0; i < 50; ++i) {
            engine->update(anchors);
            jobs->run_all();
            deliver();
            if (engine->at_rest()) return;
        }
        FAIL() << "does not come to rest";
    }
    std::vector<ChunkKey> held() const {
        std::set<std::array<std::int32_t, 3>> keys;
        for (const auto& [id, patch] : host.shapes) keys.insert({patch->chunk.x, patch->chunk.y, patch->chunk.z});
        std::vector<ChunkKey> list;
        for (const auto& key : keys) list.push_back({0, key[0], key[1], key[2]});
        return list;
    }

    EditWorld world;
    std::int32_t cells;
    ScriptedPatchJobs* jobs = nullptr;
    std::unique_ptr<Engine> engine;
    ShapeHost host;
    std::vector<ChunkKey> errors;
};

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

// Frames from an edit to the last patch that it changes, as the host sees them.
int frames_until_delivered(ScriptedCollision& collision, const std::vector<Position>& anchors, const Position& around,
                           const DeliveryBudget& budget) {
    for (int frame = 0; frame < 100; ++frame) {
        collision.engine->update(anchors, 1);
        collision.deliver(budget);
        if (collision.engine->ready_around(around, 6)) return frame;
    }
    return 100;
}

TEST(CollisionEngine, WhatAnEditChangesFurtherAwayComesWithinThreeFramesWhoeverMakesIt) {
    CollisionOptions options = ScriptedCollision::small();
    options.wait = 1;  // as long as it takes
    ScriptedCollision collision(hills(), options);
    std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    const Position place{20, 0, 22};
    collision.dig(place, 4);
    // Much new ground at the same time, nearer to somebody; no worker gets to anything; a tiny budget.
    anchors.push_back({120, 0, 0});
    EXPECT_LE(frames_until_delivered(collision, anchors, place, DeliveryBudget::only_items(1)), 3);
    EXPECT_FALSE(collision.jobs->waiting.empty());
    EXPECT_LE(collision.engine->stats().longest_frames, 3u);
    EXPECT_EQ(collision.engine->stats().edits_late, 0u);
    // Workers that make all of it at once, and the same budget.
    collision.dig({20, -3, 22}, 4);
    collision.engine->update(anchors, 1);
    collision.jobs->run_all();
    EXPECT_LE(frames_until_delivered(collision, anchors, place, DeliveryBudget::only_items(1)), 2);
    EXPECT_EQ(collision.engine->stats().edits_late, 0u);
}

TEST(CollisionEngine, WithoutTimeToWaitALateEditIsCounted) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    collision.dig({20, 0, 22}, 4);
    for (int frame = 0; frame < 6; ++frame) {
        collision.engine->update(anchors);
        collision.deliver();
    }
    EXPECT_EQ(collision.engine->stats().edits_late, 0u) << "nothing was delivered yet";
    collision.jobs->run_all();
    collision.engine->update(anchors);
    collision.deliver();
    EXPECT_EQ(collision.engine->stats().longest_frames, 6u);
    EXPECT_GT(collision.engine->stats().edits_late, 0u);
}

// In each frame of a stroke its chunks change again: none of the edits may wait for its end.
TEST(CollisionEngine, AStrokeThatGoesOnIsDeliveredAsItGoes) {
    CollisionOptions options = ScriptedCollision::small();
    options.wait = 1;
    ScriptedCollision collision(hills(), options);
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    const std::size_t before = collision.host.events;
    for (int frame = 0; frame < 40; ++frame) {
        collision.dig({18 + 0.1 * frame, -0.2 * frame, 22}, 3);
        collision.engine->update(anchors);
        // A worker needs a frame for what it has begun: what comes of it is behind by one edit.
        while (collision.jobs->end()) {
        }
        while (collision.jobs->begin()) {
        }
        collision.deliver(DeliveryBudget::only_items(1));
    }
    EXPECT_GE(collision.host.events - before, 20u);
    EXPECT_LE(collision.engine->stats().longest_frames, 3u);
    EXPECT_EQ(collision.engine->stats().edits_late, 0u);
}

// Another ground is no edit: it comes within the budget, however long that takes.
TEST(CollisionEngine, AnExchangeOfTheGroundKeepsToTheBudget) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    collision.engine->exchange(hills(4));
    collision.engine->update(anchors, 0);
    collision.jobs->run_all();
    for (int frame = 0; frame < 8; ++frame) {
        collision.engine->update(anchors, 0);
        EXPECT_EQ(collision.deliver(DeliveryBudget::only_items(1)).delivered, 1u);
    }
}

TEST(CollisionEngine, WhatEditsTouchGoesByTheFrameLaneAndTheRestDoesNot) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    collision.dig({20, 0, 22}, 3);
    // Half of what is planned now is new.
    collision.engine->update(std::vector<Position>{{3, 0, 5}, {120, 0, 0}});
    std::size_t edited = 0;
    std::size_t others = 0;
    for (const PatchRequest& request : collision.jobs->waiting) {
        ++(request.by_frame_lane && !request.is_near ? edited : others);
        if (request.key.x >= 6 && !request.is_near) {
            EXPECT_FALSE(request.by_frame_lane);
        }
    }
    EXPECT_GT(edited, 0u);
    EXPECT_GT(others, 10u);
}

TEST(CollisionEngine, ADigWhileAChunkIsBeingMadeIsNotLost) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.settle(anchors);
    collision.dig({6, 0, 6}, 3);
    collision.engine->update(anchors);
    while (collision.jobs->begin()) {
    }
    collision.dig({7, -2, 6}, 4);
    collision.engine->update(anchors);
    EXPECT_TRUE(collision.jobs->waiting.empty()) << "a chunk is made twice at once";
    while (collision.jobs->end()) {
    }
    collision.engine->update(anchors);
    EXPECT_FALSE(collision.engine->at_rest());
    collision.settle(anchors);
    collision.host.expect_is(*collision.world.field(), keys_around(anchors, 26, 16), 16);
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

TEST(CollisionEngine, ABudgetIsKeptAndTheNearestComeFirst) {
    ScriptedCollision collision(hills());
    collision.engine->update(std::vector<Position>{{3, 0, 5}});
    collision.jobs->run_all();
    collision.engine->update(std::vector<Position>{{3, 0, 5}});
    const std::size_t all = collision.engine->stats().events;
    ASSERT_GT(all, 12u);
    std::vector<double> distances;
    std::size_t told = 0;
    while (told < all) {
        const DeliveryReport report = collision.engine->deliver(
            DeliveryBudget::only_items(3),
            {&distances, [](void* list, CollisionEvent& event) {
                 const MeshBounds& b = event.patch->bounds;
                 const PlaceBox box{
                     {event.chunk.x * 16.0 + b.low.x, event.chunk.y * 16.0 + b.low.y, event.chunk.z * 16.0 + b.low.z},
                     {event.chunk.x * 16.0 + b.high.x, event.chunk.y * 16.0 + b.high.y,
                      event.chunk.z * 16.0 + b.high.z}};
                 static_cast<std::vector<double>*>(list)->push_back(std::sqrt(box.square_of_distance({3, 0, 5})));
             }});
        ASSERT_GT(report.delivered, 0u);
        // More than the budget only where they are near.
        if (report.delivered > 3) {
            EXPECT_LE(distances.back(), 4.0);
        }
        told += report.delivered;
        EXPECT_EQ(report.carried_over, all - told);
    }
    EXPECT_TRUE(std::is_sorted(distances.begin(), distances.end()));
}

TEST(CollisionEngine, WhatIsNearACameraCountsAgainstTheBudgetAndWhatIsNearABodyDoesNot) {
    const auto delivered_at_once = [](std::size_t bodies) {
        ScriptedCollision collision(hills());
        const std::vector<Position> anchors{{3, 0, 5}};
        collision.engine->update(anchors, bodies);
        collision.jobs->run_all();
        collision.engine->update(anchors, bodies);
        return collision.deliver(DeliveryBudget::only_items(1)).delivered;
    };
    EXPECT_GT(delivered_at_once(1), 1u);
    EXPECT_EQ(delivered_at_once(0), 1u);
}

TEST(CollisionEngine, WhatIsNearABodyComesBeforeWhatIsNearerToACamera) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}, {20, 0, 5}};
    collision.engine->update(anchors, 1);
    collision.jobs->run_all();
    collision.engine->update(anchors, 1);
    collision.deliver(DeliveryBudget::only_items(1));
    for (const auto& [id, patch] : collision.host.shapes) EXPECT_LT(patch->chunk.x, 1) << "near the camera";
    EXPECT_THROW(collision.engine->update(anchors, 3), std::invalid_argument);
}

TEST(CollisionEngine, AnEventWhoseReceiverThrowsStaysInLine) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.engine->update(anchors);
    collision.jobs->run_all();
    collision.engine->update(anchors);
    const std::size_t all = collision.engine->stats().events;
    const CollisionInbox::Receiver throwing{nullptr, [](void*, CollisionEvent&) { throw std::runtime_error("full"); }};
    EXPECT_THROW(collision.engine->deliver(DeliveryBudget::everything(), throwing), std::runtime_error);
    EXPECT_EQ(collision.engine->stats().events, all);
    collision.deliver();
    collision.host.expect_is(*collision.world.field(), keys_around(anchors, 26, 16), 16);
}

TEST(CollisionEngine, CallsFromWithinADeliveryAreRefused) {
    ScriptedCollision collision(hills());
    const std::vector<Position> anchors{{3, 0, 5}};
    collision.engine->update(anchors);
    collision.jobs->run_all();
    collision.engine->update(anchors);
    const CollisionInbox::Receiver nosy{
        collision.engine.get(), [](void* engine, CollisionEvent&) { static_cast<Engine*>(engine)->update({}); }};
    EXPECT_THROW(collision.engine->deliver(DeliveryBudget::everything(), nosy), Error);
}

// A field that throws in one place.
class Pitfall final : public Field {
  public:
    void densities(std::span<const Position> points, std::span<float> out) const override {
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (points[i].x > 17 && points[i].x < 31) throw std::runtime_error("a pitfall");
            out[i] = static_cast<float>(points[i].y - 3.3);
        }
    }
    Interval bounds(const Box& box) const override {
        return {static_cast<float>(box.low.y - 3.4), static_cast<float>(box.high.y - 3.2)};
    }
    void gradients(std::span<const Position> /*points*/, double /*spacing*/, std::span<Gradient> out) const override {
        for (Gradient& gradient : out) gradient = {0, 1, 0};
    }
};

TEST(CollisionEngine, ErrorsOfAFieldAreToldByChunkAndTheRestGoesOn) {
    ScriptedCollision collision(std::make_shared<Pitfall>());
    const std::vector<Position> anchors{{8, 4, 8}};
    collision.settle(anchors);
    EXPECT_FALSE(collision.errors.empty());
    for (const ChunkKey& key : collision.errors) EXPECT_EQ(key.x, 1);
    EXPECT_EQ(collision.engine->stats().failed, collision.errors.size());
    EXPECT_FALSE(collision.host.shapes.empty());
    EXPECT_TRUE(collision.engine->ready_around({4, 4, 4}, 3));
    EXPECT_FALSE(collision.engine->ready_around({15, 4, 4}, 3));
    // Not again and again.
    const std::size_t told = collision.errors.size();
    collision.settle(anchors);
    EXPECT_EQ(collision.errors.size(), told);
    // Another ground mends it.
    collision.engine->exchange(hills());
    collision.settle(anchors);
    EXPECT_EQ(collision.engine->stats().failed, 0u);
    EXPECT_TRUE(collision.engine->ready_around({15, 4, 4}, 3));
    collision.host.expect_is(*hills(), keys_around(anchors, 26, 16), 16);
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

std::string refusal_of(CollisionOptions options) {
    try {
        check(options);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(CollisionEngine, AbsurdOptionsAreRefusedWithALineThatSaysWhatIsAllowed) {
    EXPECT_EQ(refusal_of({}), "");
    EXPECT_EQ(refusal_of({.radius = 1000}), "radius is 1000.000000; at most 256.000000, which is 8 chunks, is allowed");
    EXPECT_EQ(refusal_of({.radius = kNan}), "radius is nan; above 0 to 1e+09 is allowed");
    EXPECT_EQ(refusal_of({.near = 65}), "near is 65; 0 to 64 is allowed");
    EXPECT_EQ(refusal_of({.near = kNan}), "near is nan; 0 to 64 is allowed");
    EXPECT_EQ(refusal_of({.wait = -1}), "wait is -1; 0 to 1 is allowed");
    EXPECT_EQ(refusal_of({.edit_frames = 0}), "edit_frames is 0; 1 to 1e+06 is allowed");
    EXPECT_EQ(refusal_of({.cells = 7}), "cells is 7; an even number from 4 to 62 is allowed");
    EXPECT_EQ(refusal_of({.lattice = {.voxel_size = kNan}}), "voxel_size is nan; 1e-06 to 1e+06 is allowed");
    EXPECT_EQ(refusal_of({.simplify = 2}), "simplify is 2; 0 to 1 is allowed");
    EXPECT_EQ(refusal_of({.most_chunks = 0}), "most_chunks is 0; 8 to 1.04858e+06 is allowed");
    EXPECT_EQ(refusal_of({.pending = 0}), "pending is 0; 8 to 65536 is allowed");
    EXPECT_EQ(refusal_of({.lane = Lane::host}), "lane is host; a lane of workers is needed");
}

TEST(CollisionEngine, AbsurdAnchorsAndEditsAreRefusedAndChangeNothing) {
    ScriptedCollision collision(hills());
    collision.settle({{3, 0, 5}});
    const auto shapes = collision.host.shapes;
    EXPECT_THROW(collision.engine->update(std::vector<Position>{{0, kNan, 0}}), std::invalid_argument);
    EXPECT_THROW(collision.engine->update(std::vector<Position>{{1e12, 0, 0}}), std::invalid_argument);
    EXPECT_THROW(collision.engine->update(std::vector<Position>(257)), std::invalid_argument);
    EXPECT_THROW(collision.engine->edit(nullptr, {}), std::invalid_argument);
    EXPECT_THROW(collision.engine->exchange(nullptr), std::invalid_argument);
    const Box upside_down{{0, 1, 0}, {1, 0, 1}};
    EXPECT_THROW(collision.engine->edit(hills(), std::span(&upside_down, 1)), std::invalid_argument);
    const Box endless{{0, 0, 0}, {1, kInfinite, 1}};
    EXPECT_THROW(collision.engine->edit(hills(), std::span(&endless, 1)), std::invalid_argument);
    EXPECT_TRUE(collision.engine->at_rest());
    collision.settle({{3, 0, 5}});
    EXPECT_EQ(collision.host.shapes, shapes);
}

}  // namespace
}  // namespace quarry::terrain::collision
