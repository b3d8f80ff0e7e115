#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "quarry/frame/host_guard.hpp"
#include "quarry/frame/virtual_clock.hpp"
#include "quarry/jobs/lane.hpp"
#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/chunk_state.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

// A chunk that could not be meshed. Where there was a mesh it stays: of the chunk, of its parent or of its children.
// Where there was none, the place stays empty.
struct ChunkError {
    ChunkKey key;              // which chunk
    std::exception_ptr error;  // what the field or `prepare` threw
};

// How a streamer plans, meshes and hands over.
struct StreamerOptions {
    double radius = 1024;       // how far viewers see, in world units, as is lod_distance
    double lod_distance = 128;  // closer than this all is LOD 0; closer than twice that at most LOD 1; and so on
    double hysteresis = 0.1;  // 0 to 0.4: by this share a viewer has to come closer, or go further, than the distances
    std::int32_t max_lod = kCoarsestLod;           // the coarsest level that is shown, 0 to kCoarsestLod
    std::int32_t cells = 32;                       // along each axis of a chunk: even, kFewestCells to kMostCells
    Lattice lattice{};                             // where samples lie in the world
    std::shared_ptr<const Materials> materials{};  // fills the weights of vertices; null: meshes have none

    std::size_t pending = 1024;                        // chunks from request to shown at once; 128 to 65,536
    std::size_t cache_bytes = std::size_t{128} << 20;  // of meshes that are no longer shown
    double view_weight = 0.5;                          // 0 to 10: so much further away seems what lies behind a viewer
    double look_ahead = 15;                            // 0 to 600: updates ahead for which positions are predicted
    float fade = 0.25F;                                // seconds, handed through to the host
    double edit_wait = 0.002;      // seconds, 0 to 1: how long an update waits for edits next to a viewer at most
    Lane lane = Lane::background;  // of the workers' jobs
    bool timed = false;            // whether updates say what their parts cost: StreamerStats::last_update

    // On a worker, for each mesh with a surface: what the host wants made of it beforehand, such as a buffer in its own
    // format. An upload brings what this returned. Now and then it is called on the host's thread. What it throws goes
    // to on_error, as if the field had thrown.
    std::function<std::shared_ptr<void>(const Mesh&)> prepare{};

    // All on the host's thread, within update or deliver. What on_error throws goes on to whoever has called that, and
    // nothing is lost by it; on_transition must not throw.
    std::function<void(const ChunkError&)> on_error{};
    std::function<void(const ChunkTransition&)> on_transition{};

    std::optional<HostGuard> host{};      // whose thread it is; empty: the one that makes the streamer
    const VirtualClock* clock = nullptr;  // for tests: counts in place of the steady clock
    StreamerJournal* journal = nullptr;   // records or replays what workers and clocks decide; outlives the streamer
};

}  // namespace quarry::terrain
