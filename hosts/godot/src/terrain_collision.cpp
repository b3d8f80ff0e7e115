#include "terrain_collision.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <utility>

#include "engine_calls.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/viewer.hpp"
#include "registration.hpp"
#include "transform_math.hpp"

namespace quarry::godot {
namespace {

// PhysicsServer3D
constexpr std::int64_t kStatic = 0;      // BODY_MODE_STATIC
constexpr std::int64_t kTransform = 0;   // BODY_STATE_TRANSFORM
constexpr double kMostChunksAway = 7.9;  // that a CollisionWorld takes is 8
constexpr double kLongestWait = 0.001;   // seconds
constexpr int kMostLeftOut = 3;          // frames in a row without a delivery

const Variant& physics() {
    // Never destroyed: the engine's functions may be gone before static objects are.
    static const Variant& server = *new Variant(api.singleton(Name("PhysicsServer3D").ptr()));
    return server;
}

// The linear part of a node's transform: bodies of physics engines cannot be scaled, so it goes into the triangles.
struct Linear {
    std::array<Vec3, 3> rows;
    float voxel;
    bool is_mirrored;

    Vec3 of(const terrain::Vector3& at) const noexcept {
        const auto along = [&](const Vec3& row) { return (row.x * at.x + row.y * at.y + row.z * at.z) * voxel; };
        return {along(rows[0]), along(rows[1]), along(rows[2])};
    }
};

Linear linear_of(const Transform& transform, double voxel_size) {
    const auto& [a, b, c] = transform.rows;
    const float determinant =
        a.x * (b.y * c.z - b.z * c.y) - a.y * (b.x * c.z - b.z * c.x) + a.z * (b.x * c.y - b.y * c.x);
    return {transform.rows, static_cast<float>(voxel_size), determinant < 0};
}

// On a worker: what the PhysicsServer3D takes. Godot's front faces are clockwise.
std::shared_ptr<void> pack_faces(const terrain::CollisionPatch& patch, const Linear& linear) {
    Vectors faces(patch.indices.size());
    Vec3* const out = faces.data();
    for (std::size_t i = 0; i + 2 < patch.indices.size(); i += 3) {
        const auto corner = [&](std::size_t k) { return linear.of(patch.positions[patch.indices[i + k]]); };
        out[i] = corner(0);
        out[i + 1] = corner(linear.is_mirrored ? 1 : 2);
        out[i + 2] = corner(linear.is_mirrored ? 2 : 1);
    }
    Dictionary data;
    data.set("faces", faces);
    data.set("backface_collision", false);
    return std::make_shared<Variant>(data);
}

// In voxels, as far as ground is told apart.
bool is_within_reach(const terrain::Position& place, double voxel_size) {
    constexpr double kFarthest = 1e9;
    const double most = kFarthest * voxel_size;
    return std::abs(place.x) < most && std::abs(place.y) < most && std::abs(place.z) < most;
}

bool is_in_tree(const Variant& node) {
    return node.call("is_inside_tree").to_bool();
}

}  // namespace

void TerrainCollision::set_layers(std::uint32_t layer, std::uint32_t mask) {
    if (layer == layer_ && mask == mask_) return;
    layer_ = layer;
    mask_ = mask;
    for (const Shape& shape : shapes_) {
        if (!shape.is_there) continue;
        physics().call("body_set_collision_layer", shape.body, std::int64_t{layer_});
        physics().call("body_set_collision_mask", shape.body, std::int64_t{mask_});
    }
}

void TerrainCollision::set_transform(const Transform& transform) {
    if (transform == transform_) return;
    const bool is_turned = transform.rows != transform_.rows;
    transform_ = transform;
    if (world_ == nullptr) return;
    if (is_turned) {
        const CollisionGround ground = ground_;
        const auto field = field_;
        clear();
        set_ground(ground, field, on_error_);
        return;
    }
    for (const Shape& shape : shapes_) {
        if (shape.is_there) physics().call("body_set_state", shape.body, kTransform, place_of(shape.chunk));
    }
}

void TerrainCollision::set_ground(const CollisionGround& ground, const std::shared_ptr<const terrain::Field>& field,
                                  OnError on_error) {
    if (world_ != nullptr && ground == ground_) return;
    clear();
    ground_ = ground;
    field_ = field;
    on_error_ = std::move(on_error);
    terrain::CollisionOptions options;
    options.cells = ground.cells;
    options.lattice.voxel_size = ground.voxel_size;
    // The radius is one of Godot's space.
    options.radius = std::min(ground.radius / scale_of(transform_), kMostChunksAway * ground.cells * ground.voxel_size);
    options.near = std::min(options.radius, options.near / scale_of(transform_));
    options.wait = 0;  // see deliver
    options.on_error = on_error_;
    const Linear linear = linear_of(transform_, ground.voxel_size);
    options.prepare = [linear](const terrain::CollisionPatch& patch) { return pack_faces(patch, linear); };
    world_ = std::make_unique<terrain::CollisionWorld>(*ground.pool, field, options);
}

void TerrainCollision::exchange(std::shared_ptr<const terrain::Field> field) {
    if (world_ == nullptr) return;
    field_ = field;
    world_->exchange(std::move(field));
}

void TerrainCollision::edit(std::shared_ptr<const terrain::Field> field, const terrain::Box& changed) {
    if (world_ == nullptr) return;
    field_ = field;
    world_->edit(std::move(field), changed);
}

void TerrainCollision::clear() {
    world_.reset();
    for (Shape& shape : shapes_) remove(shape);
    shapes_.clear();
    ground_.pool.reset();
    field_.reset();
}

bool TerrainCollision::add_body(GDExtensionObjectPtr body) {
    const GDObjectInstanceID id = api.id_of_object(body);
    if (std::find(bodies_.begin(), bodies_.end(), id) != bodies_.end()) return true;
    // Those that were freed make room.
    std::erase_if(bodies_, [](GDObjectInstanceID each) { return api.object_from_id(each) == nullptr; });
    if (bodies_.size() + 1 >= terrain::CollisionWorld::kMostAnchors) return false;
    bodies_.push_back(id);
    return true;
}

void TerrainCollision::remove_body(GDExtensionObjectPtr body) {
    std::erase(bodies_, api.id_of_object(body));
}

TerrainCollision::Anchors TerrainCollision::anchors(std::span<const terrain::Viewer> viewers) {
    std::vector<terrain::Position> places;
    std::erase_if(bodies_, [](GDObjectInstanceID each) { return api.object_from_id(each) == nullptr; });
    for (const GDObjectInstanceID id : bodies_) {
        const GDExtensionObjectPtr object = api.object_from_id(id);
        if (!is_in_tree(Variant(object))) continue;
        const terrain::Position place = to_local(transform_, engine().global_transform.get<Transform>(object).origin);
        // One that physics has thrown out of the world must not take the ground from the others.
        if (is_within_reach(place, ground_.voxel_size)) places.push_back(place);
    }
    const std::size_t bodies = places.size();
    for (const terrain::Viewer& viewer : viewers) places.push_back(viewer.position);
    return {std::move(places), bodies};
}

void TerrainCollision::update(std::span<const terrain::Viewer> viewers) {
    if (world_ == nullptr) return;
    try {
        const Anchors all = anchors(viewers);
        world_->update(all.places, all.bodies);
        last_problem_.clear();
    } catch (const std::exception& error) {
        // A body in no place: the rest stays as it is. The same in the next frame is no news.
        if (last_problem_ != error.what()) report_warning(std::string("collision: ") + error.what());
        last_problem_ = error.what();
    }
}

void TerrainCollision::deliver(Milliseconds budget) {
    if (world_ == nullptr) return;
    // A delivery hands over one patch at least. Where nobody can fall, a frame without room for it leaves it out.
    if (bodies_.empty() && budget < patch_cost_ && ++left_out_ <= kMostLeftOut) return;
    left_out_ = 0;
    has_changed_ = false;
    const auto start = std::chrono::steady_clock::now();
    world_->wait_for_near(std::clamp(budget.count() / 2e3, 0.0, kLongestWait));
    const Milliseconds waited = std::chrono::steady_clock::now() - start;
    const DeliveryReport report = world_->inbox().deliver(std::max(budget - waited, Milliseconds(0)),
                                                          [&](terrain::CollisionEvent& event) { take(event); });
    patch_cost_ = report.expected_cost;
    if (has_changed_) wake_bodies();
}

bool TerrainCollision::has_work() const {
    return world_ != nullptr && !world_->at_rest();
}

void TerrainCollision::take(const terrain::CollisionEvent& event) {
    if (event.id >= shapes_.size()) shapes_.resize(event.id + std::size_t{1});
    Shape& shape = shapes_[event.id];
    switch (event.kind) {
        case terrain::CollisionEvent::Kind::added:
            add(shape, event);
            break;
        case terrain::CollisionEvent::Kind::changed:
            physics().call("shape_set_data", shape.shape, *std::static_pointer_cast<Variant>(event.patch->prepared));
            has_changed_ = true;
            break;
        case terrain::CollisionEvent::Kind::removed:
            remove(shape);
            has_changed_ = true;
            break;
    }
}

// Into the space last: whatever is set before costs nothing there.
void TerrainCollision::add(Shape& shape, const terrain::CollisionEvent& event) {
    const Variant& server = physics();
    shape.chunk = event.chunk;
    shape.shape = server.call("concave_polygon_shape_create").to_rid();
    server.call("shape_set_data", shape.shape, *std::static_pointer_cast<Variant>(event.patch->prepared));
    shape.body = server.call("body_create").to_rid();
    shape.is_there = true;
    ++held_;
    server.call("body_set_mode", shape.body, kStatic);
    server.call("body_attach_object_instance_id", shape.body, static_cast<std::int64_t>(api.id_of_object(owner_)));
    server.call("body_set_collision_layer", shape.body, std::int64_t{layer_});
    server.call("body_set_collision_mask", shape.body, std::int64_t{mask_});
    server.call("body_add_shape", shape.body, shape.shape);
    server.call("body_set_state", shape.body, kTransform, place_of(shape.chunk));
    server.call("body_set_space", shape.body, space_);
}

void TerrainCollision::remove(Shape& shape) {
    if (!shape.is_there) return;
    shape.is_there = false;
    --held_;
    physics().call("free_rid", shape.body);
    physics().call("free_rid", shape.shape);
}

// A physics engine lets bodies sleep on ground that does not move; not all of them notice that it is gone.
void TerrainCollision::wake_bodies() {
    for (const GDObjectInstanceID id : bodies_) {
        const GDExtensionObjectPtr object = api.object_from_id(id);
        if (object == nullptr) continue;
        const Variant body(object);
        if (body.call("is_class", "RigidBody3D").to_bool() && is_in_tree(body)) body.call("set_sleeping", false);
    }
}

bool TerrainCollision::is_ready_around(const terrain::Position& position, double radius) const {
    return world_ != nullptr && world_->ready_around(position, radius / scale_of(transform_));
}

std::optional<terrain::CollisionStats> TerrainCollision::stats() const {
    if (world_ == nullptr) return std::nullopt;
    return world_->stats();
}

// Where the chunk's corner is. The rest of the transform is in the triangles.
Transform TerrainCollision::place_of(const terrain::ChunkKey& chunk) const {
    const double size = ground_.voxel_size * ground_.cells;
    Transform place;
    place.origin = to_global(transform_, terrain::Position{chunk.x * size, chunk.y * size, chunk.z * size});
    return place;
}

}  // namespace quarry::godot
