// Giving jobs up before they start: by Task::cancel, by a stop token, by the fate of what they continue (R6).
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

PoolOptions one_each() {
    return PoolOptions{.workers = 1, .io_threads = 1};
}

class CancelIn : public testing::TestWithParam<Lane> {};
INSTANTIATE_TEST_SUITE_P(Lanes, CancelIn, testing::Values(Lane::frame, Lane::background, Lane::io, Lane::host));

TEST_P(CancelIn, JobThatHasNotStartedNeverRunsAndItsClosureEndsAtOnce) {
    std::atomic<bool> ran{false};
    const auto token = std::make_shared<int>(0);
    BusyPool busy(one_each(), BusyPool::Io::busy);
    Task<int> task = busy.pool.submit(
        [&ran, token] {
            ran = true;
            return 1;
        },
        {.lane = GetParam()});
    EXPECT_EQ(token.use_count(), 2);
    EXPECT_TRUE(task.cancel());
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_TRUE(task.ready());
    EXPECT_FALSE(task.cancel()) << "the second time";
    task.wait();
    EXPECT_THROW(task.get(), Cancelled);
    EXPECT_THROW(task.cancel(), Error) << "empty";
    busy.run_all_and_occupy_again();
    EXPECT_FALSE(ran.load());
    EXPECT_EQ(busy.pool.stats().total.cancelled, 1U);
}

TEST_P(CancelIn, StopTokenThatWasRequestedBeforeTheStartCancels) {
    for (const bool before_submit : {true, false}) {
        std::atomic<bool> ran{false};
        BusyPool busy(one_each(), BusyPool::Io::busy);
        std::stop_source source;
        if (before_submit) source.request_stop();
        const auto token = std::make_shared<int>(0);
        Task<void> task =
            busy.pool.submit([&ran, token] { ran = true; }, {.lane = GetParam(), .stop_token = source.get_token()});
        source.request_stop();
        busy.run_all_and_occupy_again();
        EXPECT_TRUE(task.ready());
        EXPECT_EQ(token.use_count(), 1);
        EXPECT_THROW(task.get(), Cancelled);
        EXPECT_FALSE(ran.load());
        EXPECT_EQ(busy.pool.stats().total.cancelled, 1U);
    }
}

// The waiter is the one that would run it.
TEST_P(CancelIn, WaiterOfAStoppedJobIsToldSo) {
    BusyPool busy(one_each(), BusyPool::Io::busy);
    std::stop_source source;
    Task<void> task = busy.pool.submit([] {}, {.lane = GetParam(), .stop_token = source.get_token()});
    source.request_stop();
    EXPECT_THROW(task.get(), Cancelled);
}

TEST_P(CancelIn, ContinuationOfACancelledJobIsCancelled) {
    std::atomic<bool> ran{false};
    BusyPool busy(one_each(), BusyPool::Io::busy);
    Task<int> task = busy.pool.submit([] { return 1; }, {.lane = GetParam()});
    ASSERT_TRUE(task.cancel());
    const auto token = std::make_shared<int>(0);
    Task<void> last = std::move(task).then([&ran, token](int) { ran = true; }).then([&ran, token] { ran = true; });
    busy.run_all_and_occupy_again();
    EXPECT_TRUE(last.ready());
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_THROW(last.get(), Cancelled);
    EXPECT_FALSE(ran.load());
    EXPECT_EQ(busy.pool.stats().total.cancelled, 3U);
}

TEST_P(CancelIn, CancelledContinuationLeavesWhatItContinuesAlone) {
    std::atomic<int> ran{0};
    BusyPool busy(one_each(), BusyPool::Io::busy);
    const auto token = std::make_shared<int>(0);
    Task<void> task = busy.pool.submit([&] { ++ran; }, {.lane = GetParam()});
    Task<void> continuation = std::move(task).then([&, token] { ran += 100; });
    EXPECT_TRUE(continuation.cancel());
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_TRUE(continuation.ready());
    EXPECT_FALSE(continuation.cancel());
    busy.run_all_and_occupy_again();
    EXPECT_EQ(ran.load(), 1);
    EXPECT_THROW(continuation.get(), Cancelled);
}

TEST(Cancel, ComesTooLateForAJobThatRunsOrHasEnded) {
    std::atomic<bool> running{false};
    std::atomic<bool> release{false};
    std::stop_source source;
    Pool pool(1);
    Task<int> task = pool.submit(
        [&] {
            running = true;
            while (!release) std::this_thread::yield();
            return 5;
        },
        {.stop_token = source.get_token()});
    ASSERT_TRUE(eventually([&] { return running.load(); }));
    EXPECT_FALSE(task.cancel());
    source.request_stop();
    release = true;
    task.wait();
    EXPECT_FALSE(task.cancel());
    EXPECT_EQ(task.get(), 5);
    EXPECT_EQ(pool.stats().total.cancelled, 0U);
}

TEST(Cancel, OfAnEmptyTaskIsAnError) {
    Task<int> task;
    EXPECT_THROW(task.cancel(), Error);
}

TEST(Cancel, AfterThePoolsEndComesTooLate) {
    Task<int> task;
    Task<int> cancelled;
    {
        BusyPool busy(one_each());
        task = busy.pool.submit([] { return 2; });
        cancelled = busy.pool.submit([] { return 3; });
        EXPECT_TRUE(cancelled.cancel());
    }
    EXPECT_FALSE(task.cancel());
    EXPECT_EQ(task.get(), 2);
    EXPECT_FALSE(cancelled.cancel());
    EXPECT_THROW(cancelled.get(), Cancelled);
}

TEST(Cancel, InsideAJobCountsToo) {
    Pool pool(1);
    pool.submit([&] {
            for (int i = 0; i < 10; ++i) EXPECT_TRUE(Pool::current()->submit([] {}).cancel());
        })
        .get();
    const WorkerStats total = pool.stats().total;
    EXPECT_EQ(total.cancelled, 10U);
    EXPECT_EQ(total.completed, 1U);
}

// Exactly one of the two happens.
TEST(Cancel, RacesWithTheStart) {
    std::atomic<int> ran{0};
    int cancelled = 0;
    Pool pool(2);
    const int rounds = static_cast<int>(scaled(30'000));
    for (int i = 0; i < rounds; ++i) {
        Task<void> task = pool.submit([&] { ++ran; }, {.priority = static_cast<Priority>(i % 4)});
        for (int spin = 0; spin < i % 64; ++spin) std::atomic_signal_fence(std::memory_order_seq_cst);
        if (task.cancel()) {
            ++cancelled;
            EXPECT_THROW(task.get(), Cancelled);
        } else {
            task.get();
        }
    }
    EXPECT_EQ(ran + cancelled, rounds);
    const WorkerStats total = pool.stats().total;
    EXPECT_EQ(total.cancelled, static_cast<std::uint64_t>(cancelled));
    EXPECT_EQ(total.completed, static_cast<std::uint64_t>(ran.load()));
}

TEST(Cancel, OneStopTokenForManyJobs) {
    std::stop_source source;
    std::atomic<int> ran{0};
    std::vector<Task<void>> tasks;
    BusyPool busy(PoolOptions{.workers = 2});
    for (int i = 0; i < 200; ++i) {
        tasks.push_back(busy.pool.submit(
            [&] { ++ran; }, i % 2 == 0 ? SubmitOptions{.stop_token = source.get_token()} : SubmitOptions{}));
    }
    source.request_stop();
    busy.release();
    int cancelled = 0;
    for (Task<void>& task : tasks) {
        try {
            task.get();
        } catch (const Cancelled&) {
            ++cancelled;
        }
    }
    EXPECT_EQ(cancelled, 100);
    EXPECT_EQ(ran.load(), 100);
}

}  // namespace
}  // namespace quarry
