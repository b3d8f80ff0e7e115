#include "sync/ideal_machine.hpp"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

using namespace std::chrono_literals;
using Ids = std::vector<std::uint64_t>;

IdealMachine::time_point at(std::chrono::nanoseconds since_start) {
    return IdealMachine::time_point{} + since_start;
}

TEST(IdealMachine, OneCoreRunsJobsOneAfterTheOther) {
    IdealMachine machine(1, 1);
    machine.submit(3ms, 1);
    machine.submit(2ms, 2);
    machine.wait_until(at(2999us));
    EXPECT_EQ(machine.take_finished(), Ids{});
    machine.wait_until(at(3ms));
    EXPECT_EQ(machine.take_finished(), Ids{1});
    machine.wait_until(at(4999us));
    EXPECT_EQ(machine.take_finished(), Ids{});
    EXPECT_EQ(machine.unfinished(), 1u);
    machine.wait_until(at(5ms));
    EXPECT_EQ(machine.take_finished(), Ids{2});
    EXPECT_EQ(machine.unfinished(), 0u);
}

// Lengths 5, 2, 4 on two cores: the third starts at 2, when the second ends, and ends at 6.
TEST(IdealMachine, FreeCoreTakesTheOldestWaitingJob) {
    IdealMachine machine(2, 2);
    machine.submit(5ms, 1);
    machine.submit(2ms, 2);
    machine.submit(4ms, 3);
    machine.wait_until(at(5999us));
    EXPECT_EQ(machine.take_finished(), (Ids{2, 1}));
    machine.wait_until(at(6ms));
    EXPECT_EQ(machine.take_finished(), Ids{3});
}

// While the host computes for 3 ms only the oldest job goes on: 1 ends at 4, 2 at 3 + 4.
TEST(IdealMachine, HostTakesACoreFromTheNewestJob) {
    IdealMachine machine(2, 2);
    machine.submit(4ms, 1);
    machine.submit(4ms, 2);
    machine.compute(3ms);
    EXPECT_EQ(machine.now(), at(3ms));
    machine.wait_until(at(6999us));
    EXPECT_EQ(machine.take_finished(), Ids{1});
    machine.wait_until(at(7ms));
    EXPECT_EQ(machine.take_finished(), Ids{2});
}

TEST(IdealMachine, HostOnTheOnlyCoreStopsEverything) {
    IdealMachine machine(1, 4);
    machine.submit(1ms, 1);
    machine.compute(10ms);
    EXPECT_EQ(machine.take_finished(), Ids{});
    machine.wait_until(at(11ms));
    EXPECT_EQ(machine.take_finished(), Ids{1});
}

TEST(IdealMachine, FewerWorkersThanCoresLeaveCoresFree) {
    IdealMachine machine(4, 1);
    machine.submit(2ms, 1);
    machine.submit(2ms, 2);
    machine.compute(2ms);
    EXPECT_EQ(machine.take_finished(), Ids{1});
    machine.compute(2ms);
    EXPECT_EQ(machine.take_finished(), Ids{2});
}

TEST(IdealMachine, MoreWorkersThanCoresRunNoMoreAtOnce) {
    IdealMachine machine(2, 8);
    for (std::uint64_t id = 1; id <= 4; ++id) machine.submit(2ms, id);
    machine.wait_until(at(2ms));
    EXPECT_EQ(machine.take_finished(), (Ids{1, 2}));
}

TEST(IdealMachine, JobsWithoutLengthEndAsSoonAsTimePasses) {
    IdealMachine machine(1, 1);
    machine.submit(0ms, 1);
    machine.submit(0ms, 2);
    machine.submit(1ms, 3);
    machine.wait_until(at(1ms));
    EXPECT_EQ(machine.take_finished(), (Ids{1, 2, 3}));
}

TEST(IdealMachine, PastMomentLetsNoTimePass) {
    IdealMachine machine(1, 1);
    machine.wait_until(at(5ms));
    machine.submit(1ms, 1);
    machine.wait_until(at(2ms));
    EXPECT_EQ(machine.now(), at(5ms));
    EXPECT_EQ(machine.unfinished(), 1u);
}

}  // namespace
}  // namespace quarry::app
