#pragma once

#include <cstdint>
#include <vector>

#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/chunk_state.hpp"

namespace quarry::godot {

// Where each chunk of a streamer is on its way. Main thread only.
class ChunkStates {
  public:
    struct Now {
        terrain::ChunkKey key;
        terrain::ChunkState state = terrain::ChunkState::retired;
    };

    void note(const terrain::ChunkTransition& step);
    // By slot. One that is retired is free.
    const std::vector<Now>& all() const noexcept { return all_; }

    // For each slot what happens at its place: the state of what will replace the chunk, the one that has come least
    // far, or its own where nothing will.
    std::vector<terrain::ChunkState> states_of_places() const;

  private:
    std::vector<Now> all_;
};

}  // namespace quarry::godot
