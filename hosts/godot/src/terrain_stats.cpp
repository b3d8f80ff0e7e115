#include <array>
#include <utility>

#include "quarry/jobs/stats.hpp"
#include "quarry/terrain/mesh_memory.hpp"
#include "terrain_node.hpp"

namespace quarry::godot {
namespace {

constexpr std::array kMonitors{
    "frame_ms",        "uploads_per_second", "upload_us",         "chunks_shown", "queued",
    "changes_waiting", "wasted_percent",     "mesh_megabytes",    "edits",        "budget_percent",
    "vertices",        "collision_shapes",   "frames_over_budget"};

// In the order of StreamEvent::Kind.
constexpr std::array kEventNames{"uploads_us", "shows_us", "hides_us", "releases_us", "changes_us"};

template <class Number>
void set_count(Dictionary& into, std::string_view key, Number value) {
    into.set(key, static_cast<std::int64_t>(value));
}

Variant states_of(const terrain::StreamerStats& stats) {
    Dictionary states;
    for (std::size_t i = 0; i < terrain::kChunkStates; ++i) {
        set_count(states, terrain::name_of(static_cast<terrain::ChunkState>(i)), stats.in_state[i]);
    }
    return Variant(states);
}

// Jobs that each worker has done.
Variant jobs_of(const Pool& pool) {
    Variant list = Variant::empty_array();
    for (const WorkerStats& worker : pool.stats().workers) {
        list.call("append", static_cast<std::int64_t>(worker.executed()));
    }
    return list;
}

}  // namespace

std::string TerrainNode::check_shown() {
    if (world_ == nullptr) return {};
    const terrain::ShownWorld shown = world_->streamer->shown();
    // The first time nothing is known of the plan before this frame's delivery.
    const terrain::ShownCheck found = terrain::check_shown(shown, std::exchange(is_checked_, true) ? planned_ : shown);
    if (!found.is_right()) return found.first;
    std::size_t drawn = 0;
    for (const terrain::ShownChunk& chunk : shown.chunks) {
        if (!chunk.has_mesh) continue;
        ++drawn;
        if (world_->instances.shows(chunk.id, chunk.key)) continue;
        return "a chunk of level " + std::to_string(chunk.key.lod) + " should be drawn and is not";
    }
    if (drawn == world_->instances.shown()) return {};
    return std::to_string(world_->instances.shown()) + " chunks are drawn in place of " + std::to_string(drawn);
}

bool TerrainNode::lose_chunk(const Vec3i& key, std::int64_t lod, bool is_lost) {
    return world_ != nullptr && world_->instances.lose({static_cast<std::int32_t>(lod), key.x, key.y, key.z}, is_lost);
}

void TerrainNode::fail_chunks(const std::string& what, std::int64_t count) {
    faults_->arm(Faults::kind_of(what), count);
    regenerate();
}

Variant TerrainNode::stats() const {
    Dictionary all;
    all.set("frame_ms", frame_ms_);
    all.set("frame_cpu_ms", frame_cpu_ms_);
    all.set("frame_ms_max", frame_ms_max_);
    all.set("budget_ms", settings_.budget_ms);
    set_count(all, "frames", frames_);
    set_count(all, "frames_over_budget", frames_over_budget_);
    set_count(all, "frames_over_by_processor", frames_over_by_processor_);
    all.set("budget_use", frame_ms_ / settings_.budget_ms);
    all.set("upload_us", upload_us_);
    all.set("uploads_per_second", uploads_per_second_);
    all.set("events_us", events_us_);
    for (std::size_t i = 0; i < kEventNames.size(); ++i) all.set(kEventNames[i], events_us_of_[i]);
    set_count(all, "uploaded", uploads_counted_);
    set_count(all, "uploaded_vertices", uploaded_vertices_);
    const terrain::MeshMemoryUse memory = terrain::mesh_memory_use();
    set_count(all, "mesh_memory_used", memory.used);
    set_count(all, "mesh_memory_reserved", memory.reserved);
    all.set("update_ms", update_ms_);
    all.set("delivery_ms", delivery_ms_);
    all.set("collision_ms", collision_ms_);
    set_count(all, "collision_shapes", collision_.shapes());
    if (const auto collision = collision_.stats()) {
        set_count(all, "collision_triangles", collision->triangles);
        set_count(all, "collision_outstanding", collision->outstanding);
        set_count(all, "collision_rebuilt", collision->rebuilt);
        set_count(all, "collision_late", collision->late);
    }
    const bool has_world = world_ != nullptr;
    all.set("has_world", has_world);
    set_count(all, "chunks_shown", has_world ? world_->instances.shown() : 0);
    set_count(all, "chunks_held", has_world ? world_->instances.held() : 0);
    set_count(all, "chunks_spare", has_world ? world_->instances.spare() : 0);
    set_count(all, "spare_bytes", has_world ? world_->instances.spare_bytes() : 0);
    set_count(all, "overwritten", has_world ? world_->instances.overwritten() : 0);
    set_count(all, "chunks_fading", has_world ? world_->instances.fading() : 0);
    set_count(all, "fading_materials", shading_ != nullptr ? shading_->fading_materials() : 0);
    set_count(all, "vertices", has_world ? world_->instances.vertices() : 0);
    if (has_world) set_world_stats(all);
    return Variant(all);
}

void TerrainNode::set_world_stats(Dictionary& all) const {
    const terrain::EditWorldStats edits = edits_.stats();
    set_count(all, "edits", edits.applied);
    set_count(all, "edit_bytes", edits.brick_bytes + edits.undo_bytes);
    const std::optional<terrain::WorldFileStats> file = edits_.file_stats();
    set_count(all, "edits_saved", file ? file->saved : 0);
    all.set("is_loaded", !file || file->is_loaded);
    const terrain::StreamerStats stats = world_->streamer->stats();
    all.set("at_rest", world_->streamer->at_rest());
    all.set_variant("states", states_of(stats));
    all.set_variant("worker_jobs", jobs_of(*world_->pool));
    set_count(all, "queued", stats.queued);
    set_count(all, "groups", stats.groups);
    set_count(all, "changes_waiting", stats.changes_waiting);
    set_count(all, "uploads", stats.uploads);
    set_count(all, "meshed", stats.meshed);
    set_count(all, "rebaked", stats.rebaked);
    set_count(all, "failed", stats.failed);
    set_count(all, "stale", stats.stale);
    set_count(all, "cancelled", stats.cancelled);
    all.set("wasted_share", stats.wasted_share());
    set_count(all, "cached_bytes", stats.cached_bytes);
}

Variant TerrainNode::chunks() const {
    std::vector<std::int32_t> numbers;
    if (world_ != nullptr) {
        const std::vector<ChunkStates::Now>& all = world_->states.all();
        for (std::size_t slot = 0; slot < all.size(); ++slot) {
            const auto& [key, state] = all[slot];
            // One that is shown without a mesh is empty.
            const bool is_there = state >= terrain::ChunkState::shown ? world_->instances.holds(slot) : true;
            if (!is_there || state == terrain::ChunkState::retired) continue;
            numbers.insert(numbers.end(), {key.x, key.y, key.z, key.lod, static_cast<std::int32_t>(state)});
        }
    }
    return Variant(Bytes(std::as_bytes(std::span(numbers)))).call("to_int32_array");
}

double TerrainNode::monitor(const std::string& name) const {
    if (name == "frame_ms") return frame_ms_;
    if (name == "uploads_per_second") return uploads_per_second_;
    if (name == "upload_us") return upload_us_;
    if (name == "budget_percent") return 100 * frame_ms_ / settings_.budget_ms;
    if (name == "frames_over_budget") return static_cast<double>(frames_over_budget_);
    if (name == "collision_shapes") return static_cast<double>(collision_.shapes());
    if (world_ == nullptr) return 0;
    if (name == "chunks_shown") return static_cast<double>(world_->instances.shown());
    if (name == "vertices") return static_cast<double>(world_->instances.vertices());
    if (name == "queued") return static_cast<double>(world_->streamer->stats().queued);
    if (name == "changes_waiting") return static_cast<double>(world_->streamer->stats().changes_waiting);
    if (name == "wasted_percent") return 100 * world_->streamer->stats().wasted_share();
    if (name == "mesh_megabytes") return static_cast<double>(terrain::mesh_memory_use().used) / 1e6;
    if (name == "edits") return static_cast<double>(edits_.stats().applied);
    return 0;
}

// In the debugger's list, under the node's name.
void TerrainNode::add_monitors() {
    const Variant performance(api.singleton(Name("Performance").ptr()));
    const Variant question = Variant::callable(self_, "get_monitor");
    const std::string group = "Quarry " + Variant(self_).call("get_name").to_text() + "/";
    for (const char* const name : kMonitors) {
        const std::string id = group + name;
        // Two terrains of one name: the first one is shown.
        if (performance.call("has_custom_monitor", id).to_bool()) continue;
        Variant arguments = Variant::empty_array();
        arguments.call("append", name);
        performance.call("add_custom_monitor", id, question, arguments);
        monitors_.push_back(id);
    }
}

void TerrainNode::remove_monitors() {
    const Variant performance(api.singleton(Name("Performance").ptr()));
    for (const std::string& id : monitors_) performance.call("remove_custom_monitor", id);
    monitors_.clear();
}

}  // namespace quarry::godot
