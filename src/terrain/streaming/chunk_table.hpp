#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/chunk_state.hpp"
#include "terrain/streaming/kept_mesh.hpp"
#include "terrain/streaming/node_tree.hpp"

namespace quarry::terrain::streaming {

// One version of a chunk: of one key, for one mask.
struct ChunkRecord {
    ChunkKey key;
    std::uint32_t mask = 0;
    ChunkState state = ChunkState::retired;
    std::uint32_t generation = 0;
    std::uint32_t world = 0;      // number of the world that it belongs to
    std::uint32_t group = kNone;  // the change that will show it
    bool has_mesh = false;        // known from ready on
    bool failed = false;
    bool in_swap = false;              // comes with edits, not with a group
    bool held = false;                 // the host has it, and shows it when all of its world is exchanged
    bool appears = false;              // of these: where nothing was shown before
    HeldMesh kept;                     // what it was baked from
    std::unique_ptr<BakedMesh> baked;  // where it has a mesh, from ready until the host has it
};

// All chunks and their states. A transition that the table below does not allow is a defect, and throws.
//
//   from         to
//   planned      queued, or ready where nothing has to be made
//   queued       meshing, or ready where that was not noticed
//   meshing      ready
//   ready        handed over, or shown where there is nothing to hand over
//   handed over  shown, or retiring where it is given up
//   shown        retiring
//   retiring     retired
//   any but retiring and handed over: retired, where the host has nothing of it
class ChunkTable {
  public:
    using Log = std::function<void(const ChunkTransition&)>;

    std::uint32_t add(const ChunkKey& key, std::uint32_t mask);
    void move(std::uint32_t slot, ChunkState to);
    // One that was handed over waits for the rest of a new world.
    void hold(std::uint32_t slot) noexcept;

    ChunkRecord& operator[](std::uint32_t slot) noexcept { return records_[slot]; }
    const ChunkRecord& operator[](std::uint32_t slot) const noexcept { return records_[slot]; }
    ChunkId id(std::uint32_t slot) const noexcept { return {slot, records_[slot].generation}; }
    // Null: that version is retired.
    ChunkRecord* find(ChunkId id) noexcept;

    std::uint64_t count(ChunkState state) const noexcept { return counts_[static_cast<std::size_t>(state)]; }
    // From request to shown. Not those that wait for the rest of their world: that has to be made, however large it is.
    std::uint64_t pending() const noexcept;
    const std::array<std::uint64_t, kChunkStates>& counts() const noexcept { return counts_; }
    const ChunkTransitions& transitions() const noexcept { return transitions_; }
    std::size_t slots() const noexcept { return records_.size(); }

    void set_log(Log log) { log_ = std::move(log); }
    void set_update(std::uint64_t update) noexcept { update_ = update; }

  private:
    std::vector<ChunkRecord> records_;
    std::vector<std::uint32_t> free_;
    std::array<std::uint64_t, kChunkStates> counts_{};
    ChunkTransitions transitions_{};
    std::uint64_t held_ = 0;
    Log log_;
    std::uint64_t update_ = 0;
};

}  // namespace quarry::terrain::streaming
