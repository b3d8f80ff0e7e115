#include "terrain_node.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "engine_calls.hpp"
#include "quarry/terrain/field.hpp"
#include "registration.hpp"
#include "thread_time.hpp"

namespace quarry::godot {
namespace {

// Node and Node3D
constexpr std::int32_t kInternalProcess = 25;
constexpr std::int32_t kEnterWorld = 41;
constexpr std::int32_t kExitWorld = 42;
constexpr std::int32_t kVisibilityChanged = 43;
constexpr std::int32_t kEditorPreSave = 9001;  // the scene is about to be saved

constexpr std::size_t kMostFailuresAFrame = 16;
// Of the budget, for edits near by: they are to be seen in the frame of the call. The rest is for handing them over.
constexpr double kMostWaited = 0.75;
// Of the budget, for all that is handed over: the last event may take longer than it was thought to.
constexpr double kMostHandedOver = 0.97;

double milliseconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return milliseconds(std::chrono::steady_clock::now() - start);
}

bool is_visible(GDExtensionObjectPtr node) {
    return engine().is_visible_in_tree.get<GDExtensionBool>(node) != 0;
}

}  // namespace

void TerrainNode::notification(std::int32_t what) noexcept {
    try {
        switch (what) {
            case kEnterWorld:
                enter_world();
                break;
            case kExitWorld:
                exit_world();
                break;
            case kInternalProcess:
                process();
                break;
            case kVisibilityChanged:
                // An old world that is still drawn hides the new one.
                if (World* const drawn = old_world_ ? old_world_.get() : world_.get(); drawn != nullptr) {
                    drawn->instances.set_visible(is_visible(self_));
                }
                break;
            case kEditorPreSave:
                if (edits_.file_stats() && !edits_.save()) fail(settings_.save_file + ": it cannot be saved");
                break;
            default:
                break;
        }
    } catch (const std::exception& error) {
        report_error("QuarryTerrain", error.what());
    }
}

void TerrainNode::enter_world() {
    if (!engine().all_bound()) {
        return report_error("QuarryTerrain", "this Godot's functions have another form than those that are needed");
    }
    const Variant self(self_);
    scenario_ = self.call("get_world_3d").call("get_scenario").to_rid();
    collision_.set_space(self.call("get_world_3d").call("get_space").to_rid());
    is_in_editor_ = Variant(api.singleton(Name("Engine").ptr())).call("is_editor_hint").to_bool();
    thread_ = std::this_thread::get_id();
    is_in_world_ = true;
    warned_of_viewer_ = false;
    viewer_id_ = 0;
    transform_ = engine().global_transform.get<Transform>(self_);
    self.call("set_process_internal", true);
    if (!is_cleared_) needs_build_ = true;
    add_monitors();
}

void TerrainNode::exit_world() {
    is_in_world_ = false;
    remove_monitors();
    Variant(self_).call("set_process_internal", false);
    collision_.clear();
    old_world_.reset();
    world_.reset();
    shading_.reset();
    happened_.clear();
}

void TerrainNode::process() {
    if (needs_build_ && !is_cleared_) build();
    follow_transform();
    const std::vector<terrain::Viewer> viewers = find_viewers();
    if (world_ != nullptr) {
        const auto start = std::chrono::steady_clock::now();
        const double cpu_before = thread_milliseconds();
        begin_collision(viewers);
        stream(viewers, start);
        end_collision(start);
        const auto end = std::chrono::steady_clock::now();
        frame_ms_ = milliseconds(end - start);
        frame_cpu_ms_ = thread_milliseconds() - cpu_before;
        frame_ms_max_ = std::max(frame_ms_max_, frame_ms_);
        ++frames_;
        if (frame_ms_ > settings_.budget_ms) ++frames_over_budget_;
        if (frame_cpu_ms_ > settings_.budget_ms) ++frames_over_by_processor_;
        if (end - second_begins_ >= std::chrono::seconds(1)) {
            uploads_per_second_ =
                static_cast<double>(uploads_counted_ - uploads_before_) * 1000 / milliseconds(end - second_begins_);
            uploads_before_ = uploads_counted_;
            second_begins_ = end;
        }
    }
    emit_what_happened();
}

void TerrainNode::stream(std::span<const terrain::Viewer> viewers, std::chrono::steady_clock::time_point frame_began) {
    World& world = *world_;
    const auto start = std::chrono::steady_clock::now();
    if (!viewers.empty()) {
        try {
            bring_from_file(viewers);
            const double most = kMostWaited * settings_.budget_ms - milliseconds_since(frame_began);
            world.streamer->set_edit_wait(std::clamp(most / 1000, 0.0, 1.0));
            world.streamer->update(viewers);
            last_viewer_error_.clear();
            if (is_checked_) planned_ = world.streamer->shown();
        } catch (const std::exception& error) {
            // The same place in the next frame is no news.
            if (last_viewer_error_ != error.what()) fail(error.what());
            last_viewer_error_ = error.what();
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    update_ms_ = milliseconds(begin - start);
    // A world that is not complete yet has other cares.
    const bool shows_states = static_cast<DebugView>(settings_.debug_view) == DebugView::states;
    world.instances.begin_frame(begin, waits_for_ready_ || shows_states ? 0 : settings_.cross_fade);
    // What planning and waiting have taken is gone.
    const double left = std::max(0.0, kMostHandedOver * settings_.budget_ms - milliseconds(begin - frame_began));
    const std::chrono::duration<double, std::milli> budget(left - collision_share(left));
    const auto most = static_cast<std::size_t>(settings_.uploads_per_frame);
    world.streamer->inbox().deliver(DeliveryBudget(budget, most == 0 ? DeliveryBudget::kAllItems : most),
                                    [&](terrain::StreamEvent& event) { take_event(world, event); });
    world.instances.end_frame(begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(budget));
    if (shows_states) world.instances.paint(world.states.states_of_places());
    delivery_ms_ = milliseconds(std::chrono::steady_clock::now() - begin);
    note_loose_parts();
    if (viewers.empty()) return;
    last_viewer_ = viewers.front();
    look_for_ready(viewers.front());
    look_for_awaited();
}

void TerrainNode::take_event(World& world, terrain::StreamEvent& event) {
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t vertices = world.instances.vertices();
    world.instances.take(event);
    if (event.kind == terrain::StreamEvent::Kind::changed) note_change(event.box);
    const double us = 1000 * milliseconds(std::chrono::steady_clock::now() - start);
    events_us_ += us;
    events_us_of_[static_cast<std::size_t>(event.kind)] += us;
    if (event.kind != terrain::StreamEvent::Kind::upload) return;
    uploaded_vertices_ += world.instances.vertices() - vertices;
    upload_us_ = uploads_counted_ == 0 ? us : upload_us_ + (us - upload_us_) * 0.05;
    ++uploads_counted_;
}

void TerrainNode::look_for_ready(const terrain::Viewer& viewer) {
    if (!waits_for_ready_) return;
    const terrain::Streamer& streamer = *world_->streamer;
    const bool is_at_rest = streamer.at_rest();
    // A viewer who never stands still must not keep the old world for ever.
    const bool is_complete = is_at_rest || streamer.ready_around(viewer.position, 0.75 * settings_.view_distance);
    if (old_world_ != nullptr && is_complete) end_exchange();
    if (old_world_ != nullptr) return;
    if (!is_at_rest && !streamer.ready_around(viewer.position, settings_.lod_distance)) return;
    waits_for_ready_ = false;
    happened_.push_back({Happened::Kind::ready});
}

// The world with other workers takes the place of the old one.
void TerrainNode::end_exchange() {
    old_world_.reset();
    world_->instances.set_visible(is_visible(self_));
}

void TerrainNode::follow_transform() {
    const auto now = engine().global_transform.get<Transform>(self_);
    if (now == transform_) return;
    transform_ = now;
    for (World* const world : {world_.get(), old_world_.get()}) {
        if (world != nullptr) world->instances.set_transform(now);
    }
}

void TerrainNode::set_property(const Property& property, const Variant& value) {
    if (!set(property, settings_, value)) return;
    switch (property.effect) {
        case Effect::workers:
            needs_workers_ = true;
            [[fallthrough]];
        case Effect::world:
            needs_build_ = true;
            field_.reset();
            break;
        case Effect::viewer:
            viewer_id_ = 0;
            break;
        case Effect::shading:
            set_up_shading();
            break;
        case Effect::editor:
            edits_.set_editor(static_cast<std::uint16_t>(settings_.editor));
            break;
        case Effect::collision:
        case Effect::none:
            break;
    }
}

void TerrainNode::regenerate() {
    is_cleared_ = false;
    needs_build_ = true;
    field_.reset();
}

void TerrainNode::clear() {
    is_cleared_ = true;
    needs_build_ = false;
    waits_for_ready_ = false;
    collision_.clear();
    old_world_.reset();
    if (world_ == nullptr) return;
    world_.reset();
}

bool TerrainNode::is_ready_around(const Vec3& position, double radius) const {
    if (world_ == nullptr || old_world_ != nullptr || needs_build_) return false;
    return world_->streamer->ready_around(to_local(position), radius);
}

void TerrainNode::fail(const std::string& message) {
    if (happened_.size() < 4096) happened_.push_back({Happened::Kind::failed, {}, message});
}

bool TerrainNode::is_heard(const char* signal) const {
    const Name name(signal);
    const std::array<GDExtensionConstTypePtr, 1> arguments{name.ptr()};
    GDExtensionBool heard = 0;
    api.method_ptrcall(engine().has_connections.bind(), self_, arguments.data(), &heard);
    return heard != 0;
}

// Whoever listens may do anything, even free the node: nothing of it is touched after the first signal.
void TerrainNode::emit_what_happened() {
    if (happened_.empty()) return;
    const std::vector<Happened> list = std::exchange(happened_, {});
    const GDObjectInstanceID id = api.id_of_object(self_);
    std::size_t failures = 0;
    for (const Happened& each : list) {
        const GDExtensionObjectPtr object = api.object_from_id(id);
        if (object == nullptr) return;
        const Variant self(object);
        const Vec3i place{each.key.x, each.key.y, each.key.z};
        const auto lod = static_cast<std::int64_t>(each.key.lod);
        switch (each.kind) {
            case Happened::Kind::ready:
                self.call("emit_signal", "terrain_ready");
                break;
            case Happened::Kind::shown:
                self.call("emit_signal", "chunk_shown", place, lod);
                break;
            case Happened::Kind::hidden:
                self.call("emit_signal", "chunk_hidden", place, lod);
                break;
            case Happened::Kind::changed:
                self.call("emit_signal", "edited", each.box);
                break;
            case Happened::Kind::made:
                self.call("emit_signal", "edit_made", Bytes(each.bytes));
                break;
            case Happened::Kind::loosened:
                self.call("emit_signal", "part_loosened", each.box, each.place);
                break;
            case Happened::Kind::saved:
                self.call("emit_signal", "saved");
                break;
            case Happened::Kind::ready_around:
                self.call("emit_signal", each.message);
                if (api.object_from_id(id) == object) self.call("remove_user_signal", each.message);
                break;
            case Happened::Kind::failed:
                if (++failures > kMostFailuresAFrame) break;
                report_warning(each.message);
                self.call("emit_signal", "failed", each.message);
                break;
        }
    }
}

}  // namespace quarry::godot
