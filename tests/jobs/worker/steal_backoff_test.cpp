#include "jobs/worker/steal_backoff.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace quarry::impl {
namespace {

// R64: backoff under contention.
TEST(StealBackoff, PausesGetLongerWithEachLostRaceUntilTheThiefGoesElsewhere) {
    StealBackoff backoff;
    std::vector<int> pauses;
    while (backoff.may_try() && pauses.size() < 100) {
        int pause = 0;
        backoff.lost_race([&] { ++pause; });
        pauses.push_back(pause);
    }
    EXPECT_EQ(pauses, (std::vector<int>{4, 8, 16, 32}));
}

TEST(StealBackoff, ThiefThatLostNoRaceMayTryForEver) {
    const StealBackoff backoff;
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(backoff.may_try());
}

}  // namespace
}  // namespace quarry::impl
