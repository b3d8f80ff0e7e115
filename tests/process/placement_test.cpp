#include <sched.h>
#include <sys/resource.h>

#include "process/os.hpp"
#include "process/spin_time.hpp"
#include "process/tick_time.hpp"
#include "tests/process/support.hpp"

namespace process_tests {
namespace {

namespace os = quarry::process::os;
using quarry::process::impl::SpinTime;

TEST(SpinTime, WhatDoesNotPayIsHalvedDownToAFifth) {
    SpinTime time(1000);
    EXPECT_EQ(time.next(), 1000U);
    time.has_not_paid();
    EXPECT_EQ(time.next(), 500U);
    for (int i = 0; i < 5; ++i) time.has_not_paid();
    EXPECT_EQ(time.next(), 200U);
    time.has_paid();
    EXPECT_EQ(time.next(), 1000U);
}

TEST(SpinTime, NowAndThenItIsAsLongAsIsAllowed) {
    SpinTime time(1000);
    for (int i = 0; i < 5; ++i) time.has_not_paid();
    int long_ones = 0;
    for (int i = 0; i < 64; ++i) long_ones += time.next() == 1000 ? 1 : 0;
    EXPECT_EQ(long_ones, 4);
}

TEST(SpinTime, NoneIsAllowed) {
    EXPECT_FALSE(SpinTime(0).is_allowed());
    EXPECT_TRUE(SpinTime(1).is_allowed());
}

// A tick may be anything from 42 ns to 0.2 ns; what a worker says may be any number.
TEST(TickTime, IsTheTimeToAFewMillionthsUpToAnHourAndExactEnoughBeyond) {
    for (const std::uint64_t per_us : {24U, 1000U, 2445U, 5000U}) {
        const quarry::process::impl::TickTime time_of(per_us);
        for (std::uint64_t ns = 1'000; ns < 40'000'000'000'000; ns = ns * 7 / 3) {
            const std::uint64_t ticks = ns / 1'000 * per_us;
            const auto exact = static_cast<double>(ns / 1'000 * 1'000);
            EXPECT_NEAR(static_cast<double>(time_of(ticks).count()), exact, exact / 20'000 + 2) << per_us;
        }
        EXPECT_NEAR(static_cast<double>(time_of.up_to_an_hour(~std::uint64_t{0}).count()), 3.6e12, 1e9);
    }
}

TEST(Placement, AThreadThatLeavesItsProcessorKeepsTheRightToAll) {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "there is one processor";
    bool left = false;
    // It may be put back between the two looks.
    for (int i = 0; i < 100 && !left; ++i) {
        const std::uint32_t here = os::this_cpu(os::Kind::native);
        ASSERT_NE(here, os::kNoCpu);
        os::leave_cpu(here);
        left = os::this_cpu(os::Kind::native) != here;
    }
    EXPECT_TRUE(left);
    cpu_set_t after;
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Placement, AThreadWithOneProcessorStaysThere) {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    const std::uint32_t here = os::this_cpu(os::Kind::native);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(here, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    os::leave_cpu(here);
    EXPECT_EQ(os::this_cpu(os::Kind::native), here);
    EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Placement, ThePortableKindKnowsNoProcessors) {
    EXPECT_EQ(os::this_cpu(os::Kind::portable), os::kNoCpu);
}

class ProcessPlacement : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Native, ProcessPlacement, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Portable, ProcessPlacement, testing::Values(true));

TEST_P(ProcessPlacement, AWaitEndsAtItsMomentHoweverLongSpinningIsAllowed) {
    EngineOptions options = small_engine(1, GetParam());
    options.spin = std::chrono::microseconds(1s);
    Engine engine(options);
    const std::uint32_t milliseconds = 700;
    const JobId id = engine.submit("sleep_ms", bytes_of(milliseconds)).id;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(engine.wait(std::span(&id, 1), in(20ms)));
    EXPECT_LT(std::chrono::steady_clock::now() - start, 400ms);
}

long times_slept() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

TEST_P(ProcessPlacement, NotEachResultWakesAHostThatWaitsForManyJobs) {
    Engine engine(small_engine(2, GetParam()));
    const std::uint32_t milliseconds = 1;
    const auto submit = [&](int count) {
        std::vector<JobId> ids;
        for (int i = 0; i < count; ++i) ids.push_back(engine.submit("sleep_ms", bytes_of(milliseconds)).id);
        return ids;
    };
    submit(20);
    ASSERT_TRUE(engine.drain(in(kLong)));
    constexpr int kJobs = 400;
    // A result comes every half a millisecond, where the machine has nothing else to do.
    const auto expect_few = [&](auto&& wait) {
        const auto start = std::chrono::steady_clock::now();
        const long before = times_slept();
        EXPECT_TRUE(wait());
        const auto passed = std::chrono::steady_clock::now() - start;
        EXPECT_LT(times_slept() - before, passed / 2ms + 50);
    };
    const std::vector<JobId> ids = submit(kJobs);
    expect_few([&] { return engine.wait(ids, in(kLong)); });
    submit(kJobs);
    expect_few([&] { return engine.drain(in(kLong)); });
}

}  // namespace
}  // namespace process_tests
