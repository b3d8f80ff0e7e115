#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>

#include "quarry/export.hpp"
#include "quarry/frame/delivery.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/collision_options.hpp"
#include "quarry/terrain/collision_patch.hpp"
#include "quarry/terrain/collision_query.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

namespace collision {
class Engine;
}

// What a collision world asks of the host.
struct CollisionEvent {
    // What the host is to do.
    enum class Kind : std::uint8_t {
        added,    // make a shape of `patch`
        changed,  // the shape of that number is to be made of `patch` from now on
        removed,  // give up the shape of that number
    };

    Kind kind = Kind::added;                        // what to do with the shape
    std::uint32_t id = 0;                           // small numbers, used again once `removed` was delivered
    ChunkKey chunk{};                               // that the patch is part of
    std::shared_ptr<const CollisionPatch> patch{};  // none: removed
};

// What a collision world holds and has done.
struct CollisionStats {
    std::size_t chunks = 0;            // within the radius of an anchor, empty ones included
    std::size_t outstanding = 0;       // of these, not made yet or changed since
    std::size_t left_out = 0;          // within the radius, and beyond CollisionOptions::most_chunks
    std::size_t failed = 0;            // chunks that could not be made
    std::size_t patches = 0;           // at hand
    std::size_t triangles = 0;         // of these
    std::size_t bytes = 0;             // of these, without what `prepare` made
    std::size_t events = 0;            // that wait to be delivered
    std::uint64_t updates = 0;         // calls
    std::uint64_t made = 0;            // chunks
    std::uint64_t rebuilt = 0;         // patches that were new or different
    std::uint64_t unchanged = 0;       // patches that were made again and came out as they had been
    std::uint64_t delivered = 0;       // events
    std::uint64_t in_frame = 0;        // frames with near chunks to make in which all of them were made
    std::uint64_t late = 0;            // those in which one was not; counted by the next edit or update
    std::uint64_t longest_frames = 0;  // updates from an edit to the delivery of a patch it changed
    std::uint64_t edits_late = 0;      // patches delivered more than CollisionOptions::edit_frames after their edit
};

// What a collision world has for the host: events, nearest to an anchor first, within a budget.
class CollisionInbox {
  public:
    // Calls fn(CollisionEvent&) until the budget is spent: one event at least, and never beyond the budget by more than
    // the one in hand. Before that, whatever the budget, come all events within CollisionOptions::near of a body: so
    // nobody stands on half of a change; and what an edit has changed so long ago that it would be late, by
    // CollisionOptions::edit_frames. What is left comes next time. If fn throws, the event stays in line, and the
    // error goes on to the caller. Throws quarry::Error on another thread than the host's and inside a delivery.
    template <class Fn>
    DeliveryReport deliver(const DeliveryBudget& budget, Fn&& fn) {
        using Function = std::remove_reference_t<Fn>;
        return deliver_erased(budget, {&fn, [](void* function, CollisionEvent& event) {
                                           std::invoke(*static_cast<Function*>(function), event);
                                       }});
    }

    // The host's function without its type. Made by deliver; a host needs none.
    struct Receiver {
        const void* function;                                 // what deliver was given
        void (*call)(void* function, CollisionEvent& event);  // calls it
        // Hands it one event.
        void operator()(CollisionEvent& event) const { call(const_cast<void*>(function), event); }
    };

  private:
    friend class CollisionWorld;
    explicit CollisionInbox(collision::Engine& engine) : engine_(engine) {}
    QUARRY_API DeliveryReport deliver_erased(const DeliveryBudget& budget, const Receiver& receiver);

    collision::Engine& engine_;
};

// The ground around bodies, as triangles for a physics engine. In each frame the host says where the bodies are
// (`update`) and takes what has changed (`inbox().deliver`). Patches are made by the workers of a pool, at full detail,
// whatever a Streamer shows there. All calls come from the host's thread. See docs/guide/collision.md.
class CollisionWorld {
  public:
    // The pool must outlive it. Throws std::invalid_argument for options out of range or no field.
    QUARRY_API CollisionWorld(Pool& pool, std::shared_ptr<const Field> field, const CollisionOptions& options = {});
    CollisionWorld(const CollisionWorld&) = delete;
    CollisionWorld& operator=(const CollisionWorld&) = delete;
    // Never waits. What has not begun is dropped; what a worker is at ends, and its result is destroyed.
    QUARRY_API ~CollisionWorld();

    // Most anchors that update takes.
    static constexpr std::size_t kMostAnchors = 256;

    // Where bodies and viewers are in this frame. Without any, patches are given up. Waits for near patches as long as
    // CollisionOptions::wait allows, and lends a hand meanwhile. Throws std::invalid_argument, and changes nothing, for
    // a position that is not finite or too far away, and for more than kMostAnchors.
    void update(std::span<const Position> anchors) { update(anchors, anchors.size()); }
    // The first of them, so many, are bodies. What is near another anchor, such as a camera, is not waited for, and
    // counts against the budget of a delivery. Throws for more bodies than anchors, too.
    QUARRY_API void update(std::span<const Position> anchors, std::size_t bodies);

    // The ground has changed within some boxes, and is `field` now: see EditWorld and EditReport::changed. Never waits.
    // Throws std::invalid_argument for no field and for a box that is not finite or upside down.
    QUARRY_API void edit(std::shared_ptr<const Field> field, std::span<const Box> changed);
    void edit(std::shared_ptr<const Field> field, const Box& changed) {
        edit(std::move(field), std::span(&changed, 1));
    }
    // Another ground from now on. Patches stay until theirs of the new ground are made.
    QUARRY_API void exchange(std::shared_ptr<const Field> field);

    // Waits for near patches for so many seconds more, 0 to 1, and lends a hand: for a host that has other work between
    // update and delivery, and 0 for CollisionOptions::wait.
    QUARRY_API void wait_for_near(double seconds);

    // Where the host takes events from.
    CollisionInbox& inbox() noexcept { return inbox_; }

    // Whether all chunks within so many world units of a place are made as they are now, and all their events were
    // delivered. False where no anchor is near.
    QUARRY_API bool ready_around(const Position& position, double radius) const;
    // Whether nothing is left to do.
    QUARRY_API bool at_rest() const;

    // Questions about the ground as it is now, answered at once: from patches where they are at hand and up to date,
    // from the field elsewhere. All in world units. They throw std::invalid_argument for numbers out of range.
    //
    // The first place along the ray that is solid. Places within the ground are solid.
    QUARRY_API RayAnswer raycast(const Position& from, const Position& direction, const RayOptions& options = {}) const;
    // The greatest height not above y at which the column through x and z is solid; y itself where it is.
    QUARRY_API GroundAnswer highest_ground_below(double x, double y, double z, double reach = 1000) const;
    // Whether the column through x and z has ground between two heights, and its greatest height there.
    QUARRY_API GroundAnswer ground_at(double x, double z, double low, double high) const;
    // How far a sphere can go. Exact for the triangles of the patches, to 1e-6 of a voxel; chunks that are not at hand
    // are meshed for it. Throws for a way that passes more than kMostSweptChunks chunks.
    QUARRY_API SweepAnswer sweep(const Position& from, const Position& direction, double radius, double reach) const;

    // Most chunks that the way of one sweep may pass.
    static constexpr std::size_t kMostSweptChunks = 4096;

    // As given to the constructor.
    QUARRY_API const CollisionOptions& options() const noexcept;
    // The figures so far.
    QUARRY_API CollisionStats stats() const;

  private:
    std::unique_ptr<collision::Engine> engine_;
    CollisionInbox inbox_;
};

}  // namespace quarry::terrain
