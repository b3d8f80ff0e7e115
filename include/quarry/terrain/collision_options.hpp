#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "quarry/frame/host_guard.hpp"
#include "quarry/frame/virtual_clock.hpp"
#include "quarry/jobs/lane.hpp"
#include "quarry/terrain/collision_patch.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

// How a collision world makes patches and hands them over.
struct CollisionOptions {
    double radius = 64;   // world units around each anchor within which there are patches; at most 8 chunks
    double near = 4;      // world units: patches that close to an anchor come in the frame in which they are needed
    double wait = 0.002;  // seconds, 0 to 1: how long an update waits for near patches at most
    // 1 to 1,000,000: patches further away that an edit has changed are delivered so many frames later at most. From
    // the frame before that on an update waits for them as for near ones, and they come whatever the budget.
    std::uint32_t edit_frames = 3;

    std::int32_t cells = 32;  // along each axis of a chunk: even, 4 to 62
    Lattice lattice{};        // where samples lie in the world

    // Voxels, 0 to 1: how far simplified patches may be from the surface. 0: they are not simplified. The borders of
    // patches stay as they are.
    double simplify = 0;

    std::size_t most_chunks = 16'384;  // 8 to 1,048,576: with more within the radius, the furthest are left out
    std::size_t pending = 512;         // 8 to 65,536: results that may wait for the host at once
    Lane lane = Lane::background;      // of the workers' jobs; what edits have changed goes by Lane::frame

    // On a worker, for each patch that is new or has changed: what the host wants made of it beforehand, such as a list
    // of corners in its own format. Now and then it is called on the host's thread. What it throws goes to on_error, as
    // if the field had thrown.
    std::function<std::shared_ptr<void>(const CollisionPatch&)> prepare{};

    // On the host's thread: a chunk that could not be made. Its patches stay as they were, until an edit touches it.
    std::function<void(const ChunkError&)> on_error{};

    std::optional<HostGuard> host{};      // whose thread it is; empty: the one that makes the object
    const VirtualClock* clock = nullptr;  // for tests and replays: deliveries are timed by it, and updates never wait
};

}  // namespace quarry::terrain
