#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "terrain/collision/engine.hpp"
#include "tests/terrain/collision/collision_support.hpp"

namespace quarry::terrain::collision {

// Begins and ends requests when it is told to.
class ScriptedPatchJobs final : public PatchJobs {
  public:
    void queue(std::vector<PatchRequest> requests) override {
        std::erase_if(requests, [&](const PatchRequest& each) {
            return std::find(begun.begin(), begun.end(), each.ticket) != begun.end();
        });
        std::sort(requests.begin(), requests.end(), [](const PatchRequest& a, const PatchRequest& b) {
            return a.rank != b.rank ? a.rank < b.rank : a.ticket < b.ticket;
        });
        waiting = std::move(requests);
    }
    void collect(std::vector<std::uint64_t>& now_begun, std::vector<PatchOutcome>& outcomes) override {
        for (PatchOutcome& each : ended) outcomes.push_back(std::move(each));
        ended.clear();
        now_begun.insert(now_begun.end(), begun.begin(), begun.end());
        begun.clear();
    }
    bool run_near() override {
        if (waiting.empty() || !waiting.front().is_near) return false;
        begin();
        end(running.size() - 1);
        return true;
    }

    bool begin(std::size_t which = 0) {
        if (waiting.empty()) return false;
        const auto at = waiting.begin() + static_cast<std::ptrdiff_t>(which % waiting.size());
        begun.push_back(at->ticket);
        running.push_back(std::move(*at));
        waiting.erase(at);
        return true;
    }
    bool end(std::size_t which = 0) {
        if (running.empty()) return false;
        const auto at = running.begin() + static_cast<std::ptrdiff_t>(which % running.size());
        ended.push_back(run(*at));
        running.erase(at);
        return true;
    }
    void run_all() {
        while (begin() || end()) {
        }
    }

    std::vector<PatchRequest> waiting;
    std::vector<PatchRequest> running;
    std::vector<PatchOutcome> ended;
    std::vector<std::uint64_t> begun;
};

// A host that makes what it is told, and notices what it is told wrongly.
class ShapeHost {
  public:
    void take(CollisionEvent& event) {
        const bool is_known = shapes.count(event.id) != 0;
        EXPECT_EQ(is_known, event.kind != CollisionEvent::Kind::added);
        EXPECT_EQ(event.patch == nullptr, event.kind == CollisionEvent::Kind::removed);
        if (event.patch != nullptr) {
            EXPECT_EQ(event.patch->chunk, event.chunk);
            if (is_known) {
                EXPECT_NE(shapes[event.id], event.patch);
                EXPECT_EQ(shapes[event.id]->part, event.patch->part);
            }
            shapes[event.id] = event.patch;
        } else {
            shapes.erase(event.id);
        }
        ++events;
    }
    // Exactly what these chunks of this ground have.
    void expect_is(const Field& field, const std::vector<ChunkKey>& keys, std::int32_t cells,
                   double simplify = 0) const {
        Source source;
        // Not owned.
        source.field = std::shared_ptr<const Field>(std::shared_ptr<void>(), &field);
        source.extract.cells = cells;
        source.simplify = simplify;
        std::multimap<std::uint64_t, int> wanted;
        for (const ChunkKey& key : keys) {
            for (const auto& patch : make_patches(source, key, nullptr).patches) wanted.insert({patch->hash, 0});
        }
        std::multimap<std::uint64_t, int> found;
        for (const auto& [id, patch] : shapes) found.insert({patch->hash, 0});
        EXPECT_EQ(found.size(), wanted.size());
        EXPECT_TRUE(found == wanted);
    }

    std::map<std::uint32_t, std::shared_ptr<const CollisionPatch>> shapes;
    std::size_t events = 0;
};

// All chunks within the radius of an anchor, and no others.
inline std::vector<ChunkKey> keys_around(const std::vector<Position>& anchors, double radius, std::int32_t cells) {
    std::vector<ChunkKey> keys;
    const auto reach = static_cast<std::int32_t>(radius / cells) + 2;
    std::set<std::array<std::int32_t, 3>> seen;
    for (const Position& at : anchors) {
        const auto chunk = [&](double along) { return static_cast<std::int32_t>(std::floor(along / cells)); };
        for (std::int32_t z = chunk(at.z) - reach; z <= chunk(at.z) + reach; ++z) {
            for (std::int32_t y = chunk(at.y) - reach; y <= chunk(at.y) + reach; ++y) {
                for (std::int32_t x = chunk(at.x) - reach; x <= chunk(at.x) + reach; ++x) {
                    const auto away = [&](std::int32_t place, double from) {
                        return std::max({place * 1.0 * cells - from, from - (place + 1.0) * cells, 0.0});
                    };
                    if (std::hypot(away(x, at.x), away(y, at.y), away(z, at.z)) > radius) continue;
                    if (seen.insert({x, y, z}).second) keys.push_back({0, x, y, z});
                }
            }
        }
    }
    return keys;
}

}  // namespace quarry::terrain::collision
