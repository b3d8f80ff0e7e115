#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/closedness.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/mesh.hpp"
#include "quarry/terrain/streamer.hpp"
#include "terrain/streaming/engine.hpp"
#include "terrain/streaming/mesh_jobs.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain::streaming {

// Carries out jobs when it is told to, in any order.
class ScriptedJobs final : public MeshJobs {
  public:
    void submit(MeshJob job, double rank) override { waiting_.push_back({rank, std::move(job)}); }
    bool cancel(ChunkId id) override {
        return std::erase_if(waiting_, [&](const auto& entry) { return entry.second.id == id; }) != 0;
    }
    void reorder(const Rank& rank) override {
        for (auto& [before, job] : waiting_) before = rank(job);
        ++reorders;
    }
    void collect(std::vector<ChunkId>& begun, std::vector<MeshOutcome>& outcomes) override {
        begun.insert(begun.end(), begun_.begin(), begun_.end());
        begun_.clear();
        for (MeshOutcome& outcome : ended_) outcomes.push_back(std::move(outcome));
        ended_.clear();
    }
    std::size_t queued() const override { return waiting_.size(); }

    // Begins one of those that wait: the first in rank, or any.
    void begin(std::optional<std::size_t> which = {}) {
        if (waiting_.empty()) return;
        const auto first = which ? waiting_.begin() + static_cast<std::ptrdiff_t>(*which % waiting_.size())
                                 : std::min_element(waiting_.begin(), waiting_.end(),
                                                    [](const auto& a, const auto& b) { return a.first < b.first; });
        begun_.push_back(first->second.id);
        running_.push_back(std::move(first->second));
        waiting_.erase(first);
    }
    // Ends one of those that have begun.
    void end(std::size_t which = 0) {
        if (running_.empty()) return;
        const auto at = running_.begin() + static_cast<std::ptrdiff_t>(which % running_.size());
        most_ranked = 0;
        ended_.push_back(run(std::move(*at)));
        running_.erase(at);
    }
    void run_all() {
        while (!waiting_.empty()) begin();
        while (!running_.empty()) end();
    }
    std::size_t running() const { return running_.size(); }
    std::vector<std::pair<double, MeshJob>>& waiting() { return waiting_; }

    int reorders = 0;
    double most_ranked = 0;

  private:
    std::vector<std::pair<double, MeshJob>> waiting_;
    std::vector<MeshJob> running_;
    std::vector<ChunkId> begun_;
    std::vector<MeshOutcome> ended_;
};

// A host that believes nothing: it keeps what it was handed over, and finds out when events contradict each other.
class SuspiciousHost {
  public:
    struct Chunk {
        ChunkKey key;
        std::uint32_t mask = 0;
        Mesh mesh;
        bool visible = false;
    };

    void operator()(StreamEvent& event) {
        ++events;
        switch (event.kind) {
            case StreamEvent::Kind::upload: {
                ASSERT_FALSE(chunks_.contains(name(event.id))) << "uploaded twice";
                ASSERT_FALSE(event.mesh->positions.empty());
                ASSERT_EQ(event.mesh->key, event.key);
                chunks_[name(event.id)] = {event.key, event.mask, std::move(*event.mesh), false};
                ++uploads;
                break;
            }
            case StreamEvent::Kind::show:
                ASSERT_FALSE(hide_follows_);
                change(event, true);
                break;
            case StreamEvent::Kind::hide:
                change(event, false);
                break;
            case StreamEvent::Kind::release: {
                const auto found = chunks_.find(name(event.id));
                ASSERT_NE(found, chunks_.end()) << "released and not there";
                ASSERT_FALSE(found->second.visible) << "released while it is shown";
                chunks_.erase(found);
                break;
            }
            case StreamEvent::Kind::changed:
                changes.push_back(event.box);
                edits += event.edits;
                break;
        }
        most_chunks = std::max(most_chunks, chunks_.size());
    }

    // Whether the host draws exactly what the streamer says is shown.
    void compare(const ShownWorld& world) const {
        std::size_t with_mesh = 0;
        for (const ShownChunk& chunk : world.chunks) {
            if (!chunk.has_mesh) continue;
            ++with_mesh;
            const auto found = chunks_.find(name(chunk.id));
            ASSERT_NE(found, chunks_.end());
            EXPECT_TRUE(found->second.visible);
            EXPECT_EQ(found->second.key, chunk.key);
            EXPECT_EQ(found->second.mask, chunk.mask);
        }
        EXPECT_EQ(visible(), with_mesh);
    }

    // Whether the triangles that are drawn hang together.
    void expect_closed(const ShownWorld& world, std::int32_t cells) const {
        std::vector<Mesh> meshes;
        std::vector<ChunkKey> places(world.empty);
        for (const auto& [id, chunk] : chunks_) {
            if (chunk.visible) meshes.push_back(chunk.mesh);
        }
        for (const ShownChunk& chunk : world.chunks) places.push_back(chunk.key);
        const Closedness closed = check_closedness(meshes, places, cells);
        EXPECT_EQ(closed.cracks, 0u) << "of " << closed.edges << " edges";
    }

    std::size_t visible() const {
        return static_cast<std::size_t>(
            std::count_if(chunks_.begin(), chunks_.end(), [](const auto& chunk) { return chunk.second.visible; }));
    }
    std::size_t size() const { return chunks_.size(); }
    // Calls visit(key, mask, mesh) for all that is drawn.
    template <class Visit>
    void for_each_visible(Visit visit) const {
        for (const auto& [id, chunk] : chunks_) {
            if (chunk.visible) visit(chunk.key, chunk.mask, chunk.mesh);
        }
    }

    std::size_t events = 0;
    std::size_t uploads = 0;
    std::vector<Box> changes;
    std::uint64_t edits = 0;
    std::size_t most_chunks = 0;
    std::size_t largest_group = 0;

  private:
    using Name = std::pair<std::uint32_t, std::uint32_t>;
    static Name name(ChunkId id) { return {id.slot, id.generation}; }

    void change(const StreamEvent& event, bool visible) {
        if (event.group != group_) group_size_ = 0;
        group_ = event.group;
        group_size_ += event.chunks.size();
        if (!event.more && !exchange_) largest_group = std::max(largest_group, group_size_);
        exchange_ = event.more;
        ASSERT_LE(event.chunks.size(), kMostInGroup);
        for (const ChunkId id : event.chunks) {
            const auto found = chunks_.find(name(id));
            ASSERT_NE(found, chunks_.end());
            ASSERT_NE(found->second.visible, visible);
            found->second.visible = visible;
        }
    }

    std::map<Name, Chunk> chunks_;
    std::uint64_t group_ = 0;
    std::size_t group_size_ = 0;
    bool hide_follows_ = false;
    bool exchange_ = false;
};

// A streamer whose workers are scripted, with a host that checks everything in every frame.
class ScriptedStreamer {
  public:
    explicit ScriptedStreamer(std::shared_ptr<const Field> field, StreamerOptions options = small_options())
        : cells_(options.cells) {
        auto scripted = std::make_unique<ScriptedJobs>();
        jobs = scripted.get();
        options.on_error = [this](const ChunkError& error) {
            errors.push_back(error.key);
            if (throws_at_errors) throw std::runtime_error("the host does not like errors");
        };
        engine = std::make_unique<Engine>(std::move(scripted), std::move(field), options);
    }

    static StreamerOptions small_options() {
        StreamerOptions options;
        options.radius = 150;
        options.lod_distance = 24;
        options.max_lod = 4;
        options.cells = 8;
        return options;
    }

    void update(const std::vector<Viewer>& viewers) {
        engine->update(viewers);
        planned = engine->shown();
    }
    DeliveryReport deliver(const DeliveryBudget& budget = DeliveryBudget::everything()) {
        const DeliveryReport report = engine->deliver(budget, {&host, [](void* host_of, StreamEvent& event) {
                                                                   (*static_cast<SuspiciousHost*>(host_of))(event);
                                                               }});
        check();
        return report;
    }
    void check() {
        const ShownWorld world = engine->shown();
        const ShownCheck found = check_shown(world, planned);
        EXPECT_TRUE(found.is_right()) << found.first << " (" << found.overlaps << " overlaps, " << found.wrong_masks
                                      << " masks, " << found.unbalanced << " unbalanced, " << found.holes << " holes)";
        host.compare(world);
    }
    void check_closed() { host.expect_closed(engine->shown(), cells_); }

    // Until nothing is left to do; the viewers stay.
    void settle(const std::vector<Viewer>& viewers, int most_frames = 400) {
        for (int frame = 0; frame < most_frames; ++frame) {
            update(viewers);
            jobs->run_all();
            deliver();
            if (engine->at_rest()) return;
        }
        ADD_FAILURE() << "not at rest: " << engine->stats().groups << " groups, " << engine->stats().changes_waiting
                      << " waiting";
    }
    std::uint64_t in(ChunkState state) const { return engine->stats().in_state[static_cast<std::size_t>(state)]; }

    ScriptedJobs* jobs = nullptr;
    SuspiciousHost host;
    std::unique_ptr<Engine> engine;
    std::vector<ChunkKey> errors;
    bool throws_at_errors = false;
    ShownWorld planned;  // after the last update

  private:
    std::int32_t cells_;
};

using ShownPlace = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::uint32_t>;

inline std::set<ShownPlace> places_shown(const ShownWorld& world) {
    std::set<ShownPlace> places;
    for (const ShownChunk& chunk : world.chunks) {
        places.insert({chunk.key.lod, chunk.key.x, chunk.key.y, chunk.key.z, chunk.has_mesh ? chunk.mask : 0});
    }
    return places;
}

}  // namespace quarry::terrain::streaming
