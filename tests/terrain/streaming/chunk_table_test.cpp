#include "terrain/streaming/chunk_table.hpp"

#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::terrain::streaming {
namespace {

using State = ChunkState;

const std::set<std::pair<State, State>>& allowed_steps() {
    static const std::set<std::pair<State, State>> steps{
        {State::planned, State::queued},       {State::planned, State::ready},   {State::planned, State::retired},
        {State::queued, State::meshing},       {State::queued, State::ready},    {State::queued, State::retired},
        {State::meshing, State::ready},        {State::meshing, State::retired}, {State::ready, State::handed_over},
        {State::ready, State::shown},          {State::ready, State::retired},   {State::handed_over, State::shown},
        {State::handed_over, State::retiring}, {State::shown, State::retiring},  {State::shown, State::retired},
        {State::retiring, State::retired}};
    return steps;
}

// Brings a chunk to a state by the shortest way.
std::uint32_t chunk_in(ChunkTable& table, State state) {
    static const std::vector<State> way{State::queued, State::meshing,  State::ready,  State::handed_over,
                                        State::shown,  State::retiring, State::retired};
    const std::uint32_t slot = table.add({0, 1, 2, 3}, 5);
    for (const State next : way) {
        if (table[slot].state == state) break;
        table.move(slot, next);
    }
    return slot;
}

TEST(ChunkTable, AllowsExactlyTheStepsOfTheStateMachine) {
    for (std::size_t from = 0; from < kChunkStates; ++from) {
        for (std::size_t to = 0; to < kChunkStates; ++to) {
            ChunkTable table;
            const std::uint32_t slot = chunk_in(table, static_cast<State>(from));
            const std::pair step{static_cast<State>(from), static_cast<State>(to)};
            if (allowed_steps().contains(step)) {
                EXPECT_NO_THROW(table.move(slot, step.second)) << from << " to " << to;
                EXPECT_EQ(table.count(step.second), 1u);
                EXPECT_EQ(table.transitions()[from][to], from == to ? 0u : table.transitions()[from][to]);
                EXPECT_GE(table.transitions()[from][to], 1u);
            } else {
                EXPECT_THROW(table.move(slot, step.second), std::logic_error) << from << " to " << to;
                EXPECT_EQ(table[slot].state, step.first);
            }
        }
    }
}

TEST(ChunkTable, GivesASlotAgainWithAnotherGeneration) {
    ChunkTable table;
    const std::uint32_t slot = chunk_in(table, State::retired);
    const std::uint32_t again = table.add({}, 0);
    EXPECT_EQ(again, slot);
    EXPECT_EQ(table.find({slot, 1}), nullptr);
    EXPECT_EQ(table.find({slot, 2}), &table[slot]);
    EXPECT_EQ(table.find({99, 1}), nullptr);
}

TEST(ChunkTable, LogsEveryStepOnRequest) {
    ChunkTable table;
    std::string log;
    table.set_log([&](const ChunkTransition& step) {
        log += std::string(name_of(step.from)) + " > " + std::string(name_of(step.to)) + "; ";
        EXPECT_EQ(step.key, (ChunkKey{0, 1, 2, 3}));
        EXPECT_EQ(step.mask, 5u);
        EXPECT_EQ(step.update, 7u);
    });
    table.set_update(7);
    chunk_in(table, State::retired);
    EXPECT_EQ(log,
              "planned > queued; queued > meshing; meshing > ready; ready > handed over; handed over > shown; "
              "shown > retiring; retiring > retired; ");
}

}  // namespace
}  // namespace quarry::terrain::streaming
