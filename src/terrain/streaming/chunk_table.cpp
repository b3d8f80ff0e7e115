#include "terrain/streaming/chunk_table.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace quarry::terrain {

std::string_view name_of(ChunkState state) noexcept {
    constexpr std::array<std::string_view, kChunkStates> kNames{"planned",     "queued", "meshing",  "ready",
                                                                "handed over", "shown",  "retiring", "retired"};
    return kNames[static_cast<std::size_t>(state)];
}

namespace streaming {
namespace {

constexpr std::size_t number_of(ChunkState state) {
    return static_cast<std::size_t>(state);
}

constexpr bool is_allowed(ChunkState from, ChunkState to) {
    switch (from) {
        case ChunkState::planned:
            return to == ChunkState::queued || to == ChunkState::ready || to == ChunkState::retired;
        case ChunkState::queued:
            return to == ChunkState::meshing || to == ChunkState::ready || to == ChunkState::retired;
        case ChunkState::meshing:
            return to == ChunkState::ready || to == ChunkState::retired;
        case ChunkState::ready:
            return to == ChunkState::handed_over || to == ChunkState::shown || to == ChunkState::retired;
        case ChunkState::handed_over:
            return to == ChunkState::shown || to == ChunkState::retiring;
        case ChunkState::shown:
            return to == ChunkState::retiring || to == ChunkState::retired;
        case ChunkState::retiring:
            return to == ChunkState::retired;
        case ChunkState::retired:
            break;
    }
    return false;
}

}  // namespace

std::uint32_t ChunkTable::add(const ChunkKey& key, std::uint32_t mask) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(records_.size()));
        records_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    ChunkRecord& record = records_[slot];
    const std::uint32_t generation = record.generation + 1;
    record = {};
    record.generation = generation;
    record.key = key;
    record.mask = mask;
    record.state = ChunkState::planned;
    ++counts_[number_of(ChunkState::planned)];
    return slot;
}

void ChunkTable::move(std::uint32_t slot, ChunkState to) {
    ChunkRecord& record = records_[slot];
    const ChunkState from = record.state;
    if (!is_allowed(from, to)) {
        throw std::logic_error("a chunk cannot go from " + std::string(name_of(from)) + " to " +
                               std::string(name_of(to)));
    }
    if (log_) log_({id(slot), record.key, record.mask, from, to, update_});
    record.state = to;
    if (std::exchange(record.held, false)) --held_;
    --counts_[number_of(from)];
    ++counts_[number_of(to)];
    ++transitions_[number_of(from)][number_of(to)];
    if (to != ChunkState::retired) return;
    record.kept.reset();
    record.baked.reset();
    free_.push_back(slot);
}

void ChunkTable::hold(std::uint32_t slot) noexcept {
    if (!std::exchange(records_[slot].held, true)) ++held_;
}

ChunkRecord* ChunkTable::find(ChunkId id) noexcept {
    if (id.slot >= records_.size()) return nullptr;
    ChunkRecord& record = records_[id.slot];
    return record.generation == id.generation && record.state != ChunkState::retired ? &record : nullptr;
}

std::uint64_t ChunkTable::pending() const noexcept {
    std::uint64_t pending = 0;
    for (std::size_t state = 0; state < number_of(ChunkState::shown); ++state) pending += counts_[state];
    return pending - held_;
}

}  // namespace streaming
}  // namespace quarry::terrain
