#include "stress/work.hpp"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

std::vector<std::uint32_t> first_numbers(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
}

// By hand, data 0 1 2. First round: 0, 1, 31 + 2 = 33. Second: 33 * 31 = 1,023; 1,024 * 31 + 1 = 31,745;
// 31,747 * 31 + 2 = 984,159.
TEST(ComputeHeavy, FollowsItsDefinition) {
    EXPECT_EQ(compute_heavy(first_numbers(3), 0), 0u);
    EXPECT_EQ(compute_heavy(first_numbers(3), 1), 33u);
    EXPECT_EQ(compute_heavy(first_numbers(3), 2), 984'159u);
    EXPECT_EQ(compute_heavy({}, 10), 0u);
}

// Third round: 984,159 * 31 = 30,508,929 mod 10^6 = 508,929; (508,931) * 31 + 1 = 15,776,862 -> 776,862;
// (776,866) * 31 + 2 = 24,082,848 -> 82,848.
TEST(ComputeHeavy, IsTakenModuloAMillion) {
    EXPECT_EQ(compute_heavy(first_numbers(3), 3), 82'848u);
}

TEST(ComputeHeavy, TenIterationsOverFiftyGiveTheExpectedAnswer) {
    EXPECT_EQ(compute_heavy(first_numbers(50), 10), kComputeHeavyAnswer);
    for (const std::uint64_t number : {0U, 1U, 9U, 10U}) {
        EXPECT_EQ(run_job(JobKind::compute_heavy, number), expected_answer(JobKind::compute_heavy, number));
    }
}

TEST(StressJobs, EveryTenthOfTheMixedOnesSleeps) {
    int sleeping = 0;
    for (std::uint64_t number = 0; number < 100; ++number) sleeping += is_sleep(JobKind::mixed, number) ? 1 : 0;
    EXPECT_EQ(sleeping, 10);
    EXPECT_EQ(run_job(JobKind::mixed, 9), expected_answer(JobKind::mixed, 9));
    EXPECT_NE(expected_answer(JobKind::mixed, 9), expected_answer(JobKind::mixed, 8));
    EXPECT_TRUE(is_sleep(JobKind::sleep, 0));
    EXPECT_FALSE(is_sleep(JobKind::compute_heavy, 9));
}

}  // namespace
}  // namespace quarry::app
