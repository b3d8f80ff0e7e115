#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/streamer_options.hpp"
#include "terrain/collision/engine.hpp"
#include "tests/terrain/collision/scripted_jobs.hpp"

namespace quarry::terrain::collision {

// The engine of a collision world, with jobs that end when the test says so and a host that takes what it delivers.
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

}  // namespace quarry::terrain::collision
