#include "sync/scenario.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

using namespace std::chrono_literals;

const Scenario& named(std::string_view name) {
    const auto all = all_scenarios();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Scenario& each) { return each.name == name; });
    if (found == all.end()) throw std::invalid_argument(std::string(name));
    return *found;
}

// Frames, jobs in the first frame and in the second, shortest and longest length, as in requirements.md.
struct Expected {
    const char* name;
    std::size_t frames;
    std::size_t first;
    std::size_t second;
    std::chrono::nanoseconds least;
    std::chrono::nanoseconds most;
};

TEST(Scenarios, AreThoseOfTheRequirements) {
    const Expected expected[]{{"BASELINE", 60, 1, 1, 0ms, 100us}, {"LIGHT", 90, 5, 5, 1ms, 3ms},
                              {"MEDIUM", 90, 15, 15, 2ms, 5ms},   {"HEAVY", 90, 30, 30, 3ms, 8ms},
                              {"BURST", 90, 55, 5, 2ms, 5ms},     {"CATCHUP", 120, 10, 10, 2ms, 5ms}};
    ASSERT_EQ(all_scenarios().size(), std::size(expected));
    for (const Expected& each : expected) {
        const auto load = make_load(named(each.name), 1);
        ASSERT_EQ(load.size(), each.frames) << each.name;
        EXPECT_EQ(load[0].jobs.size(), each.first) << each.name;
        EXPECT_EQ(load[1].jobs.size(), each.second) << each.name;
        std::chrono::nanoseconds sum{};
        std::size_t count = 0;
        for (const FrameLoad& frame : load) {
            for (const auto length : frame.jobs) {
                EXPECT_GE(length, each.least) << each.name;
                EXPECT_LE(length, each.most) << each.name;
                sum += length;
                ++count;
            }
        }
        const double mean = static_cast<double>(sum.count()) / static_cast<double>(count);
        const double middle = static_cast<double>((each.least + each.most).count()) / 2;
        const double range = static_cast<double>((each.most - each.least).count());
        EXPECT_NEAR(mean, middle, range / 6) << each.name;
    }
}

TEST(Scenarios, BurstHas50MoreJobsEvery30Frames) {
    const auto load = make_load(named("BURST"), 1);
    for (std::size_t frame = 0; frame < load.size(); ++frame) {
        EXPECT_EQ(load[frame].jobs.size(), frame % 30 == 0 ? 55u : 5u) << frame;
    }
}

TEST(Scenarios, CatchupStallsFor100MillisecondsEvery15Frames) {
    const auto load = make_load(named("CATCHUP"), 1);
    for (std::size_t frame = 0; frame < load.size(); ++frame) {
        EXPECT_EQ(load[frame].stall, frame % 15 == 0 && frame != 0 ? 100ms : 0ms) << frame;
    }
}

TEST(Scenarios, LoadIsTheSameForTheSameSeedOnly) {
    const auto one = make_load(named("LIGHT"), 7);
    const auto same = make_load(named("LIGHT"), 7);
    const auto other = make_load(named("LIGHT"), 8);
    bool differs = false;
    for (std::size_t frame = 0; frame < one.size(); ++frame) {
        EXPECT_EQ(one[frame].jobs, same[frame].jobs);
        differs = differs || one[frame].jobs != other[frame].jobs;
    }
    EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace quarry::app
