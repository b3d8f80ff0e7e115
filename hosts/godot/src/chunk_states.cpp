#include "chunk_states.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace quarry::godot {
namespace {

using terrain::ChunkKey;
using terrain::ChunkState;

struct KeyHash {
    std::size_t operator()(const ChunkKey& key) const noexcept {
        std::uint64_t hash = static_cast<std::uint32_t>(key.lod);
        for (const std::int32_t each : {key.x, key.y, key.z}) {
            hash = (hash ^ static_cast<std::uint32_t>(each)) * 0x9e3779b97f4a7c15;
            hash ^= hash >> 29;
        }
        return hash;
    }
};
using StateAt = std::unordered_map<ChunkKey, ChunkState, KeyHash>;

constexpr std::int32_t kCoarsest = 8;

ChunkKey parent_of(const ChunkKey& key) {
    return {key.lod + 1, key.x >> 1, key.y >> 1, key.z >> 1};
}

void lower(StateAt& states, const ChunkKey& key, ChunkState to) {
    const auto [place, is_new] = states.try_emplace(key, to);
    if (!is_new) place->second = std::min(place->second, to);
}

}  // namespace

void ChunkStates::note(const terrain::ChunkTransition& step) {
    if (step.id.slot >= all_.size()) all_.resize(step.id.slot + std::size_t{1});
    all_[step.id.slot] = {step.key, step.to};
}

std::vector<ChunkState> ChunkStates::states_of_places() const {
    StateAt coming;  // of a key itself
    StateAt within;  // of what is finer than a key
    for (const Now& now : all_) {
        if (now.state >= ChunkState::shown) continue;
        lower(coming, now.key, now.state);
        for (ChunkKey key = parent_of(now.key); key.lod <= kCoarsest; key = parent_of(key)) {
            lower(within, key, now.state);
        }
    }
    std::vector<ChunkState> states;
    states.reserve(all_.size());
    for (const Now& now : all_) {
        ChunkState state = now.state;
        const auto take = [&](const StateAt& from, const ChunkKey& key) {
            if (const auto found = from.find(key); found != from.end()) state = std::min(state, found->second);
        };
        if (state == ChunkState::shown) {
            take(within, now.key);
            for (ChunkKey key = now.key; key.lod <= kCoarsest; key = parent_of(key)) take(coming, key);
        }
        states.push_back(state);
    }
    return states;
}

}  // namespace quarry::godot
