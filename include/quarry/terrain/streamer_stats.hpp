#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "quarry/terrain/chunk_state.hpp"

namespace quarry::terrain {

// CPU time of the host's thread in one update, part by part.
struct UpdateCost {
    std::chrono::nanoseconds results{};  // taking in what workers have made, and asking for what it needs beside it
    std::chrono::nanoseconds plan{};     // finding the cut around the viewers, and where it differs from what is shown
    std::chrono::nanoseconds changes{};  // beginning changes, and telling workers
};

// What a streamer has and what it has done since it was made.
struct StreamerStats {
    std::array<std::uint64_t, kChunkStates> in_state{};  // chunks now; retired ones since the beginning
    ChunkTransitions transitions{};                      // since the beginning

    std::uint64_t updates = 0;         // calls of Streamer::update
    std::size_t nodes = 0;             // of the octree, kept
    std::size_t tree_bytes = 0;        // memory of the octree
    std::size_t looked_at = 0;         // of these, in the last update
    std::size_t changes_waiting = 0;   // that have not begun, for want of room
    std::size_t groups = 0;            // changes that have begun and are not shown
    std::size_t queued = 0;            // requests that no worker has begun
    std::size_t releases_waiting = 0;  // release events to come

    std::uint64_t requested = 0;      // jobs for workers
    std::uint64_t cancelled = 0;      // of these, before a worker began
    std::uint64_t meshed = 0;         // chunks extracted, with a surface or empty
    std::uint64_t used = 0;           // of these, shown at least once
    std::uint64_t stale = 0;          // results that were no longer wanted when they came
    std::uint64_t rebaked = 0;        // meshes baked again because a neighbour changed
    std::uint64_t baked_again = 0;    // meshes that were ready when a neighbour changed
    std::uint64_t baked_by_host = 0;  // of both, on the host's thread
    std::uint64_t failed = 0;         // chunks that could not be meshed

    std::uint64_t edit_swaps = 0;      // chunks exchanged together because of edits: how often
    std::uint64_t edit_chunks = 0;     // requested for these
    std::uint64_t edits_shown = 0;     // calls of Streamer::edit whose chunks are shown
    std::uint64_t edits_in_frame = 0;  // of these, next to a viewer, and shown by the delivery after the first update
    std::uint64_t edits_late = 0;      // of these, next to a viewer, and shown later than that
    std::uint64_t edits_held = 0;      // updates in which edits waited until levels around an opened place fit

    std::uint64_t groups_shown = 0;   // changes that have been shown
    std::uint64_t uploads = 0;        // upload events delivered
    std::uint64_t largest_group = 0;  // chunks of the largest group so far

    std::uint64_t cache_hits = 0;    // chunks whose mesh was still kept when they were wanted again
    std::uint64_t cache_misses = 0;  // chunks that had to be meshed
    std::size_t cached_bytes = 0;    // of meshes that are kept and not shown

    UpdateCost last_update{};  // with StreamerOptions::timed; not what it waited for edits

    // Updates from entering the plan to being shown, of LOD 0 chunks where nothing was missing before: [n] took n
    // updates, the last one that many or more.
    std::array<std::uint64_t, 16> late{};

    // Share of the meshed chunks that was never shown and is not about to be.
    double wasted_share() const noexcept {
        const std::uint64_t open = in_state[static_cast<std::size_t>(ChunkState::ready)] +
                                   in_state[static_cast<std::size_t>(ChunkState::handed_over)];
        const std::uint64_t done = used + open;
        return meshed > done ? static_cast<double>(meshed - done) / static_cast<double>(meshed) : 0;
    }
};

}  // namespace quarry::terrain
