#include "jobs/pool/topology.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/jobs/pool/topology_support.hpp"

namespace quarry::impl {
namespace {

using test_support::from_to;
using Groups = std::vector<std::vector<int>>;

std::vector<int> sorted_members(const Groups& groups) {
    std::vector<int> members;
    for (const auto& each : groups) members.insert(members.end(), each.begin(), each.end());
    std::sort(members.begin(), members.end());
    return members;
}

TEST(VictimGroups, TwoWorkersAreEachOthersOnlyVictim) {
    EXPECT_EQ(victim_groups(0, 2), (Groups{{1}}));
    EXPECT_EQ(victim_groups(1, 2), (Groups{{0}}));
}

TEST(VictimGroups, AloneThereIsNobodyToStealFrom) {
    EXPECT_EQ(victim_groups(0, 1), Groups{});
}

TEST(VictimGroups, OnThisMachineEveryOtherWorkerIsInExactlyOneGroup) {
    for (const int worker : {0, 7, 16}) {
        std::vector<int> others = from_to(0, 17);
        others.erase(others.begin() + worker);
        const Groups groups = victim_groups(worker, 17);
        EXPECT_EQ(sorted_members(groups), others);
        for (const auto& each : groups) EXPECT_FALSE(each.empty());
    }
}

TEST(VictimGroups, ManyThreadsAskAtOnceAndGetTheSameAnswer) {
    std::vector<Groups> answers(8);
    {
        std::vector<std::jthread> threads;
        for (auto& answer : answers) threads.emplace_back([&answer] { answer = victim_groups(1, 6); });
    }
    for (const auto& answer : answers) EXPECT_EQ(answer, answers.front());
    EXPECT_EQ(sorted_members(answers.front()), (std::vector<int>{0, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace quarry::impl
