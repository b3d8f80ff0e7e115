#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/collision_world.hpp"
#include "values.hpp"

namespace quarry::godot {

// What a terrain's shapes are made with. Another one means that all are made anew.
struct CollisionGround {
    std::shared_ptr<Pool> pool;
    double voxel_size = 1;
    std::int32_t cells = 32;
    double radius = 48;

    friend bool operator==(const CollisionGround&, const CollisionGround&) = default;
};

// The terrain in Godot's physics: a static body with one concave shape for each patch of ground near viewers and
// registered bodies, without a node. Works with whatever physics engine is behind the PhysicsServer3D. Main thread
// only.
class TerrainCollision {
  public:
    explicit TerrainCollision(GDExtensionObjectPtr owner) : owner_(owner) {}
    TerrainCollision(const TerrainCollision&) = delete;
    TerrainCollision& operator=(const TerrainCollision&) = delete;
    ~TerrainCollision() { clear(); }

    using OnError = std::function<void(const terrain::ChunkError& error)>;

    void set_space(Rid space) noexcept { space_ = space; }
    void set_layers(std::uint32_t layer, std::uint32_t mask);
    // A new place costs a call a shape. Another basis: all are made anew.
    void set_transform(const Transform& transform);

    // Makes it what is asked for, if it is not. Throws std::invalid_argument and leaves it empty.
    void set_ground(const CollisionGround& ground, const std::shared_ptr<const terrain::Field>& field,
                    OnError on_error);
    bool has_ground() const noexcept { return world_ != nullptr; }
    void exchange(std::shared_ptr<const terrain::Field> field);
    void edit(std::shared_ptr<const terrain::Field> field, const terrain::Box& changed);
    // Frees all shapes.
    void clear();

    // Bodies around which there is ground besides the viewer. False: there are too many.
    bool add_body(GDExtensionObjectPtr body);
    void remove_body(GDExtensionObjectPtr body);

    using Milliseconds = std::chrono::duration<double, std::milli>;

    // Once a frame: sets workers to work.
    void update(std::span<const terrain::Viewer> viewers);
    // Afterwards, with whatever else there is to do in between: hands over what is there. Waits for what is near for a
    // part of the budget.
    void deliver(Milliseconds budget);
    // Whether the next delivery will need time.
    bool has_work() const;

    bool is_ready_around(const terrain::Position& position, double radius) const;
    std::size_t shapes() const noexcept { return held_; }
    std::optional<terrain::CollisionStats> stats() const;

  private:
    struct Shape {
        Rid body;
        Rid shape;
        terrain::ChunkKey chunk;
        bool is_there = false;
    };

    struct Anchors {
        std::vector<terrain::Position> places;
        std::size_t bodies;  // the first of them
    };
    Anchors anchors(std::span<const terrain::Viewer> viewers);
    void take(const terrain::CollisionEvent& event);
    void add(Shape& shape, const terrain::CollisionEvent& event);
    void remove(Shape& shape);
    void wake_bodies();
    Transform place_of(const terrain::ChunkKey& chunk) const;

    const GDExtensionObjectPtr owner_;
    Rid space_;
    std::uint32_t layer_ = 1;
    std::uint32_t mask_ = 1;
    Transform transform_;
    CollisionGround ground_;
    std::shared_ptr<const terrain::Field> field_;
    OnError on_error_;
    std::unique_ptr<terrain::CollisionWorld> world_;
    std::vector<Shape> shapes_;  // by the patches' numbers
    std::size_t held_ = 0;
    bool has_changed_ = false;    // in this delivery
    Milliseconds patch_cost_{0};  // that is expected of one
    int left_out_ = 0;            // deliveries, in a row
    std::vector<GDObjectInstanceID> bodies_;
    std::string last_problem_;
};

}  // namespace quarry::godot
