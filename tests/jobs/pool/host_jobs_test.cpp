// Jobs that are pinned to the host's thread: they run when that pumps them, and nowhere else (R22).
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/when_all.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

const SubmitOptions kHost{.lane = Lane::host};

class HostJobsOf : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, HostJobsOf, testing::Values(1, 2, 8));

TEST_P(HostJobsOf, RunOnlyWhenPumpedAndOnlyThere) {
    std::vector<std::thread::id> ran;
    Task<Lane> lane = pool.submit(&Pool::current_lane, kHost);
    for (int i = 0; i < 20; ++i) pool.submit([&] { ran.push_back(std::this_thread::get_id()); }, kHost);
    // The workers have every chance to do it wrong.
    for (int i = 0; i < 200; ++i) pool.submit([] {}).get();
    EXPECT_TRUE(ran.empty());
    EXPECT_EQ(pool.run_host_jobs(), 21U);
    EXPECT_EQ(ran, std::vector<std::thread::id>(20, std::this_thread::get_id()));
    EXPECT_TRUE(lane.ready());
    EXPECT_EQ(lane.get(), Lane::host);
    EXPECT_EQ(pool.run_host_jobs(), 0U);
}

TEST_P(HostJobsOf, WorkersSubmitThemAndWaitForThem) {
    const auto me = std::this_thread::get_id();
    std::vector<Task<bool>> tasks;
    for (int i = 0; i < 50; ++i) {
        tasks.push_back(pool.submit([&] {
            Task<std::thread::id> on_host = pool.submit([] { return std::this_thread::get_id(); }, kHost);
            return on_host.get() == me;
        }));
    }
    std::size_t pumped = 0;
    ASSERT_TRUE(eventually([&] {
        pumped += pool.run_host_jobs();
        return pumped == 50;
    }));
    for (Task<bool>& task : tasks) EXPECT_TRUE(task.get());
}

TEST_P(HostJobsOf, HostRunsTheOneItWaitsFor) {
    Task<std::thread::id> task = pool.submit([] { return std::this_thread::get_id(); }, kHost);
    int others = 0;
    pool.submit([&] { ++others; }, kHost);
    EXPECT_EQ(task.get(), std::this_thread::get_id());
    EXPECT_EQ(others, 0) << "a wait runs only what it waits for";
    // And what it has to follow.
    auto chain = when_all(pool.submit([] { return 1; }), pool.submit([] { return 2; }, kHost));
    EXPECT_EQ(chain.get(), (std::tuple(1, 2)));
    EXPECT_EQ(pool.run_host_jobs(), 1U);
    EXPECT_EQ(others, 1);
}

// Another thread that waits for a host job sleeps until the host has run it.
TEST_P(HostJobsOf, OtherThreadsWaitForTheHost) {
    Task<std::thread::id> task = pool.submit([] { return std::this_thread::get_id(); }, kHost);
    std::atomic<bool> done{false};
    std::jthread waiter([&] {
        EXPECT_NE(task.get(), std::this_thread::get_id());
        done = true;
    });
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_FALSE(done.load());
    EXPECT_EQ(pool.run_host_jobs(), 1U);
    EXPECT_TRUE(eventually([&] { return done.load(); }));
}

TEST(HostJobs, RunByPriorityAndInOrderWithinOne) {
    StartOrder order;
    Pool pool(1);
    for (int i = 0; i < 3; ++i) {
        for (const Priority priority : {Priority::low, Priority::normal, Priority::high, Priority::urgent}) {
            pool.submit([&, i, priority] { order.note(10 * static_cast<int>(priority) + i); },
                        {.lane = Lane::host, .priority = priority});
        }
    }
    Task<void> raised = pool.submit([&] { order.note(99); }, {.lane = Lane::host, .priority = Priority::low});
    EXPECT_TRUE(raised.raise(Priority::urgent));
    EXPECT_EQ(pool.run_host_jobs(), 13U);
    EXPECT_EQ(order.jobs(), (std::vector<int>{30, 31, 32, 99, 20, 21, 22, 10, 11, 12, 0, 1, 2}));
}

// One a call, as under a small budget, and always another one behind it.
TEST(HostJobs, NothingWaitsForEverBehindASteadyFlow) {
    for (const Priority flow : {Priority::normal, Priority::high, Priority::urgent}) {
        Pool pool(1);
        const SubmitOptions options{.lane = Lane::host, .priority = flow};
        int calls = 0;
        int low_at = -1;
        int normal_at = -1;
        pool.submit([] {}, options);
        pool.submit([&] { low_at = calls; }, {.lane = Lane::host, .priority = Priority::low});
        pool.submit([&] { normal_at = calls; }, kHost);
        for (; calls < 500; ++calls) {
            pool.submit([] {}, options);
            ASSERT_EQ(pool.run_host_jobs(1), 1U);
        }
        EXPECT_GE(low_at, 59) << "the others go first";
        EXPECT_NE(normal_at, -1);
    }
}

TEST(HostJobs, NoMoreThanAskedFor) {
    Pool pool(1);
    int ran = 0;
    for (int i = 0; i < 10; ++i) pool.submit([&] { ++ran; }, kHost);
    EXPECT_EQ(pool.run_host_jobs(0), 0U);
    EXPECT_EQ(pool.run_host_jobs(3), 3U);
    EXPECT_EQ(ran, 3);
    EXPECT_EQ(pool.run_host_jobs(1), 1U);
    EXPECT_EQ(pool.run_host_jobs(100), 6U);
    EXPECT_EQ(ran, 10);
}

// R22: the budget is looked at between jobs, and one always runs.
TEST(HostJobs, StopWhenTheBudgetIsSpent) {
    Pool pool(1);
    for (int i = 0; i < 20; ++i) pool.submit([] { spin_for(milliseconds(2)); }, kHost);
    EXPECT_EQ(pool.run_host_jobs(std::chrono::nanoseconds(0)), 1U);
    EXPECT_EQ(pool.run_host_jobs(std::chrono::nanoseconds(-5)), 1U);
    EXPECT_EQ(pool.run_host_jobs(milliseconds(1)), 1U);
    const std::size_t some = pool.run_host_jobs(milliseconds(5));
    EXPECT_GE(some, 1U);
    EXPECT_LE(some, 3U);
    EXPECT_EQ(pool.run_host_jobs(std::chrono::hours(1)), 17U - some);
}

// Whatever becomes of so many nanoseconds in the clock's own unit.
TEST(HostJobs, BudgetOfYearsIsNone) {
    Pool pool(1);
    std::vector<std::chrono::nanoseconds> budgets{std::chrono::nanoseconds::max()};
    for (int bit = 45; bit < 63; ++bit) budgets.emplace_back(std::int64_t{1} << bit);
    for (const std::chrono::nanoseconds budget : budgets) {
        for (int i = 0; i < 3; ++i) pool.submit([] { spin_for(microseconds(100)); }, kHost);
        EXPECT_EQ(pool.run_host_jobs(budget), 3U) << budget.count() << " ns";
    }
}

TEST(HostJobs, AreRefusedToEveryOtherThread) {
    Pool pool(1);
    int ran = 0;
    pool.submit([&] { ++ran; }, kHost);
    std::jthread([&] { EXPECT_THROW(pool.run_host_jobs(), Error); }).join();
    run_inside(pool, [&] { EXPECT_THROW(pool.run_host_jobs(milliseconds(1)), Error); });
    EXPECT_EQ(ran, 0);
    std::jthread([&] {
        pool.adopt_host_thread();
        EXPECT_EQ(pool.run_host_jobs(), 1U);
    }).join();
    EXPECT_EQ(ran, 1);
    EXPECT_THROW(pool.run_host_jobs(), Error);
    pool.adopt_host_thread();
    EXPECT_EQ(pool.run_host_jobs(), 0U);
}

TEST(HostJobs, MaySubmitAndWaitAndThrow) {
    Pool pool(1);
    Task<int> task = pool.submit(
        [&] {
            pool.submit([] {}, kHost);
            return pool.submit([] { return 3; }).get() + pool.submit([] { return 4; }, kHost).get();
        },
        kHost);
    Task<void> failing = pool.submit([] { throw std::runtime_error("host"); }, kHost);
    EXPECT_GE(pool.run_host_jobs(), 3U);
    EXPECT_EQ(task.get(), 7);
    EXPECT_THROW(failing.get(), std::runtime_error);
}

TEST(HostJobs, ContinuationsOfThemAreHostJobs) {
    Pool pool(2);
    const auto here = [] { return std::this_thread::get_id(); };
    Task<std::thread::id> task = pool.submit([] {}, kHost).then(here);
    EXPECT_EQ(pool.run_host_jobs(), 2U);
    EXPECT_EQ(task.get(), std::this_thread::get_id());
    // One that follows a worker's job through when_all with a host job in front.
    Task<std::thread::id> mixed =
        when_all(pool.submit([] {}, kHost), pool.submit([] {})).then([](auto) { return std::this_thread::get_id(); });
    ASSERT_TRUE(eventually([&] {
        pool.run_host_jobs();
        return mixed.ready();
    }));
    EXPECT_EQ(mixed.get(), std::this_thread::get_id());
}

TEST(HostJobs, PoolDestroyedByTheHostRunsTheRest) {
    std::atomic<int> ran{0};
    Task<std::thread::id> kept;
    {
        Pool pool(2);
        kept = pool.submit([] { return std::this_thread::get_id(); }, kHost);
        for (int i = 0; i < 10; ++i) pool.submit([&] { ++ran; }, kHost).then([&] { ++ran; });
        // Submitted, and waited for, while the pool is being destroyed.
        pool.submit([&] {
            spin_for(milliseconds(20));
            pool.submit([&] { ++ran; }, kHost).get();
            pool.submit([&] { ++ran; }, {.lane = Lane::host, .priority = Priority::urgent});
        });
    }
    EXPECT_EQ(ran.load(), 22);
    EXPECT_EQ(kept.get(), std::this_thread::get_id());
}

TEST(HostJobs, PoolDestroyedByAnotherThreadCancelsTheRest) {
    std::atomic<int> ran{0};
    auto pool = std::make_unique<Pool>(2);
    Task<int> kept = pool->submit([] { return 1; }, kHost);
    Task<int> follows = pool->submit([] { return 1; }, kHost).then([](int value) { return value; });
    for (int i = 0; i < 10; ++i) pool->submit([&] { ++ran; }, kHost);
    Task<bool> waits = pool->submit([&ran, &pool = *pool] {
        spin_for(milliseconds(20));
        try {
            pool.submit([&] { ++ran; }, kHost).get();
            return false;
        } catch (const Cancelled&) {
            return true;
        }
    });
    std::jthread([&] { pool.reset(); }).join();
    EXPECT_EQ(ran.load(), 0);
    EXPECT_THROW(kept.get(), Cancelled);
    EXPECT_THROW(follows.get(), Cancelled);
    EXPECT_TRUE(waits.get());
}

}  // namespace
}  // namespace quarry
