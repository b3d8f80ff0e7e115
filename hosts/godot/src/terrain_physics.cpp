// How a QuarryTerrain is solid.
#include <algorithm>
#include <exception>

#include "engine_calls.hpp"
#include "quarry/terrain/field.hpp"
#include "terrain_node.hpp"

namespace quarry::godot {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// Before what is drawn is handed over, so that workers make both meanwhile.
void TerrainNode::begin_collision(std::span<const terrain::Viewer> viewers) {
    const auto start = std::chrono::steady_clock::now();
    if (settings_.collision_enabled == 0 || is_in_editor_) {
        collision_.clear();
    } else if (field_ != nullptr || collision_.has_ground()) {
        collision_.set_layers(static_cast<std::uint32_t>(settings_.collision_layer),
                              static_cast<std::uint32_t>(settings_.collision_mask));
        collision_.set_transform(transform_);
        // An old world is shown until the new one is complete, and is solid for as long.
        if (field_ != nullptr && (!waits_for_ready_ || !collision_.has_ground())) {
            const CollisionGround ground{world_->pool, settings_.voxel_size,
                                         static_cast<std::int32_t>(settings_.chunk_cells), settings_.collision_radius};
            const bool is_new = !collision_.has_ground();
            try {
                collision_.set_ground(ground, field_, [this](const terrain::ChunkError& error) { fail_chunk(error); });
                last_collision_error_.clear();
            } catch (const std::exception& error) {
                // The same in the next frame is no news.
                if (last_collision_error_ != error.what()) fail(error.what());
                last_collision_error_ = error.what();
            }
            if (collision_is_behind_ && !is_new) collision_.exchange(field_);
            collision_is_behind_ = false;
        }
        collision_.update(viewers);
    }
    collision_ms_ = milliseconds_since(start);
}

// What is left of the frame's budget. Whoever falls through the ground does not come back, so what is near a body is
// handed over in any case.
void TerrainNode::end_collision(std::chrono::steady_clock::time_point frame_began) {
    const auto start = std::chrono::steady_clock::now();
    const double left = settings_.budget_ms - milliseconds_since(frame_began);
    collision_.deliver(TerrainCollision::Milliseconds(std::max(left, 0.0)));
    collision_ms_ += milliseconds_since(start);
}

// So much of what is left of the budget is kept from what is drawn: half of the whole if that leaves as much.
double TerrainNode::collision_share(double left) const {
    return collision_.has_work() ? std::min(settings_.budget_ms, left) / 2 : 0;
}

void TerrainNode::add_body(const Variant& node) {
    const GDExtensionObjectPtr body = node3d_of(node);
    if (body == nullptr) return fail("add_body: a node of class Node3D is needed");
    if (!collision_.add_body(body)) fail("add_body: there are 255 bodies already; remove_body makes room");
}

void TerrainNode::remove_body(const Variant& node) {
    const GDExtensionObjectPtr body = node3d_of(node);
    if (body == nullptr) return fail("remove_body: a node of class Node3D is needed");
    collision_.remove_body(body);
}

bool TerrainNode::is_collision_ready_around(const Vec3& position, double radius) const {
    if (needs_build_ || collision_is_behind_) return false;
    return collision_.is_ready_around(to_local(position), radius);
}

}  // namespace quarry::godot
