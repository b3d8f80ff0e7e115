#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "quarry/export.hpp"
#include "quarry/terrain/chunk_key.hpp"

namespace quarry::terrain {

// What becomes of a chunk in a streamer, in this order; from each state it may also be given up and end as retired.
enum class ChunkState : std::uint8_t {
    planned,      // the change that it is part of has begun
    queued,       // waits for a worker
    meshing,      // a worker is at it
    ready,        // the mesh is there
    handed_over,  // the host has the mesh and does not show it
    shown,        // the host shows it, or it is empty and there is nothing to show
    retiring,     // the host still has it, but is not to show it any more
    retired,      // the host has given it up; its place in the table is free
};
// How many states there are.
inline constexpr std::size_t kChunkStates = 8;

// The enumerator's name, such as "handed_over".
QUARRY_API std::string_view name_of(ChunkState state) noexcept;

// Names one version of a chunk. Slots are small numbers that are used again, fit for an array of the host's; no two
// versions have slot and generation in common.
struct ChunkId {
    std::uint32_t slot = 0;        // a small number that is used again
    std::uint32_t generation = 0;  // tells versions in one slot apart

    friend constexpr bool operator==(const ChunkId&, const ChunkId&) = default;
};

// One step of one chunk, for a log.
struct ChunkTransition {
    ChunkId id;                             // which version of the chunk
    ChunkKey key;                           // which chunk
    std::uint32_t mask = 0;                 // the sides on which the neighbour is coarser
    ChunkState from = ChunkState::planned;  // the state that it leaves
    ChunkState to = ChunkState::planned;    // the state that it enters
    std::uint64_t update = 0;               // number of the last call of Streamer::update
};

// How often chunks have gone from one state (the first index) to another.
using ChunkTransitions = std::array<std::array<std::uint64_t, kChunkStates>, kChunkStates>;

}  // namespace quarry::terrain
