// What a collision world refuses, and how it goes on after errors.
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "terrain/collision/engine.hpp"
#include "tests/terrain/collision/scripted_collision.hpp"

namespace quarry::terrain::collision {
namespace {

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
