#include "jobs/worker/turns.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::impl {
namespace {

TEST(Turns, LaneQueueAndTheOldestGoFirstOnceInSixtyOne) {
    Turns turns;
    int lane_queue = 0;
    int oldest = 0;
    for (int i = 0; i < 610; ++i) {
        const Turns::First first = turns.next();
        lane_queue += first == Turns::First::lane_queue ? 1 : 0;
        oldest += first == Turns::First::oldest ? 1 : 0;
    }
    EXPECT_EQ(lane_queue, 10);
    EXPECT_EQ(oldest, 10);
}

TEST(Turns, ContinuationNeverTakesTheTurnOfOthers) {
    Turns turns;
    int kept_back = 0;
    for (int i = 0; i < 610; ++i) {
        if (turns.try_go_on()) continue;
        ++kept_back;
        EXPECT_NE(turns.next(), Turns::First::newest) << "the one who was kept back for it comes next";
    }
    EXPECT_EQ(kept_back, 20);
}

TEST(Turns, AfterSixtyImportantJobsOthersGoFirstByTurns) {
    Turns turns;
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 60; ++i) {
            EXPECT_FALSE(turns.others_are_due()) << i;
            turns.took_important();
        }
        EXPECT_TRUE(turns.others_are_due());
        EXPECT_EQ(turns.who_of_the_others(), round % 2 == 0 ? Turns::First::lane_queue : Turns::First::newest);
        EXPECT_FALSE(turns.others_are_due());
    }
}

TEST(Turns, BackgroundIsDueAfterSixtyThreeFrameJobs) {
    Turns turns;
    for (int i = 0; i < 63; ++i) {
        EXPECT_FALSE(turns.background_is_due()) << i;
        turns.found_in(Lane::frame);
    }
    EXPECT_TRUE(turns.background_is_due());
    turns.found_in(Lane::background);
    EXPECT_FALSE(turns.background_is_due());
}

// A queue that always has what it is asked for, and remembers how.
struct EndlessQueue {
    std::vector<bool> low_first;

    std::size_t take(int** /*out*/, std::size_t most, bool low) {
        low_first.push_back(low);
        return low ? 1 : most;
    }
};

TEST(Turns, LowJobGoesFirstAfterSixtyFourOthersOfItsLane) {
    Turns turns;
    EndlessQueue queue;
    EndlessQueue other;
    int* job = nullptr;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(turns.take(queue, Lane::frame, &job, 16), 16U);
    EXPECT_EQ(turns.take(other, Lane::host, &job, 1), 1U);
    EXPECT_EQ(turns.take(queue, Lane::frame, &job, 16), 1U);
    EXPECT_EQ(turns.take(queue, Lane::frame, &job, 16), 16U);
    EXPECT_EQ(queue.low_first, (std::vector<bool>{false, false, false, false, true, false}));
    EXPECT_EQ(other.low_first, std::vector<bool>{false}) << "each lane has its own count";
}

}  // namespace
}  // namespace quarry::impl
