// When an edit of the ground reaches the host, and what else is delivered beside it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "terrain/collision/engine.hpp"
#include "tests/terrain/collision/scripted_collision.hpp"

namespace quarry::terrain::collision {
namespace {

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

}  // namespace
}  // namespace quarry::terrain::collision
