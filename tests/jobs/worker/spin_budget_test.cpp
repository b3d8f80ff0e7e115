// R60, R61: how long a thread looks for work before it sleeps.
#include "jobs/worker/spin_budget.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "jobs/os/os.hpp"

namespace quarry::impl {
namespace {

std::uint64_t microseconds_of_ticks(std::uint64_t count) {
    return count * os::ticks_per_microsecond();
}

TEST(SpinBudget, EverySuccessLengthensTheNextSearchUpToTheMost) {
    for (SpinBudget budget : {SpinBudget::within_computation(false), SpinBudget::after_wake_from_outside()}) {
        const std::uint64_t most = microseconds_of_ticks(SpinBudget::kMostMicroseconds);
        EXPECT_EQ(budget.ticks(), most / 2) << "looking is tried before anything is known";
        while (budget.ticks() < most) {
            const std::uint64_t before = budget.ticks();
            budget.found();
            ASSERT_GT(budget.ticks(), before);
        }
        budget.found();
        EXPECT_EQ(budget.ticks(), most);
    }
}

TEST(SpinBudget, EveryFailureShortensTheNextSearchDownToTheShortest) {
    SpinBudget budget = SpinBudget::within_computation(false);
    const std::uint64_t shortest = microseconds_of_ticks(SpinBudget::kShortestMicroseconds);
    while (budget.ticks() > shortest) {
        const std::uint64_t before = budget.ticks();
        budget.slept();
        ASSERT_LT(budget.ticks(), before);
    }
    budget.slept();
    EXPECT_EQ(budget.ticks(), shortest);
}

TEST(SpinBudget, AfterAWakeFromOutsideItEndsAtASingleLookAndGrowsAgain) {
    SpinBudget budget = SpinBudget::after_wake_from_outside();
    for (int i = 0; i < 20; ++i) budget.slept();
    EXPECT_EQ(budget.ticks(), 0U);
    budget.found();
    EXPECT_EQ(budget.ticks(), microseconds_of_ticks(SpinBudget::kShortestMicroseconds));
    budget.found();
    EXPECT_GT(budget.ticks(), microseconds_of_ticks(SpinBudget::kShortestMicroseconds));
}

// Sleeping costs more than this: it is no spinning.
TEST(SpinBudget, GuestNeverLooksForLongerThanTwoMicroseconds) {
    SpinBudget budget = SpinBudget::within_computation(true);
    for (int i = 0; i < 20; ++i) {
        ASSERT_LE(budget.ticks(), microseconds_of_ticks(2));
        budget.found();
    }
    for (int i = 0; i < 50; ++i) budget.slept();
    EXPECT_LE(budget.ticks(), 4U);
}

}  // namespace
}  // namespace quarry::impl
