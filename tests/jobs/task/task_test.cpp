#include "quarry/jobs/task.hpp"

#include <latch>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

TEST(Task, GivesTheResultOnce) {
    Pool pool(2);
    Task<std::unique_ptr<int>> task = pool.submit([] { return std::make_unique<int>(5); });
    EXPECT_EQ(*task.get(), 5);
    EXPECT_FALSE(task.ready());
    EXPECT_THROW(task.get(), Error);
    EXPECT_THROW(task.wait(), Error);
    Task<void> nothing;
    EXPECT_FALSE(nothing.ready());
    EXPECT_THROW(nothing.get(), Error);
}

TEST(Task, ManyFromManyThreadsEachGiveTheirOwnResult) {
    for (const int workers : {1, 2, 8}) {
        std::atomic<int> right{0};
        std::vector<std::jthread> users;
        Pool pool(workers);
        for (int user = 0; user < 4; ++user) {
            users.emplace_back([&, user] {
                std::vector<Task<int>> tasks;
                for (int i = 0; i < 200; ++i) tasks.push_back(pool.submit([=] { return user * 1000 + i; }));
                for (int i = 0; i < 200; ++i) right += tasks[static_cast<std::size_t>(i)].get() == user * 1000 + i;
            });
        }
        users.clear();
        EXPECT_EQ(right.load(), 800);
    }
}

TEST(Task, MovesAndIsEmptyAfterwards) {
    Pool pool(1);
    Task<int> task = pool.submit([] { return 1; });
    Task<int> moved = std::move(task);
    EXPECT_THROW(task.get(), Error);  // NOLINT(bugprone-use-after-move): that is the question
    Task<int> assigned;
    assigned = std::move(moved);
    EXPECT_EQ(assigned.get(), 1);
}

TEST(Task, ReadyTellsTheEndWithoutWaiting) {
    BusyPool busy(PoolOptions{.workers = 1});
    Task<int> task = busy.pool.submit([] { return 3; });
    EXPECT_FALSE(task.ready());
    busy.release();
    EXPECT_TRUE(eventually([&] { return task.ready(); }));
    EXPECT_EQ(task.get(), 3);
}

// The waiter claims what it waits for, wherever it is queued.
TEST(Task, WaiterRunsItItselfWhenNobodyElseHas) {
    BusyPool busy(PoolOptions{.workers = 2});
    std::vector<Task<std::thread::id>> tasks;
    for (int i = 0; i < 50; ++i) tasks.push_back(busy.pool.submit([] { return std::this_thread::get_id(); }));
    for (int i = 49; i >= 0; --i) EXPECT_EQ(tasks[static_cast<std::size_t>(i)].get(), std::this_thread::get_id());
    EXPECT_EQ(busy.pool.stats().guests.completed, 50U);
}

TEST(Task, OutlivesItsPool) {
    Task<std::string> task;
    Task<void> failed;
    {
        Pool pool(1);
        task = pool.submit([] { return std::string(100, 'x'); });
        failed = pool.submit([] { throw std::runtime_error("kept"); });
    }
    EXPECT_TRUE(task.ready());
    EXPECT_EQ(task.get(), std::string(100, 'x'));
    EXPECT_THROW(failed.get(), std::runtime_error);
}

// The pool's end and the waiter's way out cross each other.
TEST(Task, MayBeWaitedForWhileItsPoolIsDestroyed) {
    for (int round = 0; round < static_cast<int>(scaled(2000)); ++round) {
        std::atomic<bool> go{false};
        auto pool = std::make_unique<Pool>(1);
        Task<int> task = pool->submit([&] {
            while (!go) std::this_thread::yield();
            return round;
        });
        std::atomic<bool> waiting{false};
        std::jthread waiter([&] {
            waiting = true;
            EXPECT_EQ(task.get(), round);
        });
        ASSERT_TRUE(eventually([&] { return waiting.load(); }));
        go = true;
        pool.reset();
    }
}

TEST(Task, DroppedBeforeTheEndStillRuns) {
    const auto token = std::make_shared<int>(0);
    std::atomic<int> ran{0};
    {
        BusyPool busy(PoolOptions{.workers = 1});
        for (int i = 0; i < 100; ++i) busy.pool.submit([&, token] { ++ran; });
        EXPECT_EQ(ran.load(), 0);
        EXPECT_EQ(token.use_count(), 101);
        busy.release();
    }
    EXPECT_EQ(ran.load(), 100);
    EXPECT_EQ(token.use_count(), 1);
}

// R26
TEST(Task, ErrorOfADetachedOneGoesToOnError) {
    std::mutex mutex;
    std::vector<std::string> errors;
    {
        const auto collect = [&](std::exception_ptr error) {
            const std::lock_guard lock(mutex);
            try {
                std::rethrow_exception(std::move(error));
            } catch (const std::exception& thrown) {
                errors.emplace_back(thrown.what());
            }
        };
        Pool pool(PoolOptions{.workers = 2, .on_error = collect});
        for (int i = 0; i < 10; ++i) pool.submit([] { throw std::runtime_error("detached"); });
        for (int i = 0; i < 10; ++i) pool.submit([] {});
        // A failed task whose error was asked for is none of on_error's business.
        EXPECT_THROW(pool.submit([] { throw std::runtime_error("asked for"); }).get(), std::runtime_error);
        ASSERT_TRUE(eventually([&] { return pool.stats().total.failed == 11; }));
    }
    EXPECT_EQ(errors, std::vector<std::string>(10, "detached"));
}

TEST(Task, FirstDetachedErrorIsLoggedWithoutAHandler) {
    testing::internal::CaptureStderr();
    {
        Pool pool(2);
        for (int i = 0; i < 5; ++i) pool.submit([] { throw std::runtime_error("out of cheese"); });
        for (int i = 0; i < 5; ++i) pool.submit([] { throw 42; });
    }
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_NE(log.find("a detached task failed"), std::string::npos) << log;
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

TEST(Task, SubmittedByAWorkerNeverWaitsForRoom) {
    std::atomic<int> ran{0};
    std::latch submitted(1);
    Pool pool(PoolOptions{.workers = 1, .queue_capacity = 2});
    pool.submit([&] {
        for (int i = 0; i < 1000; ++i) Pool::current()->submit([&] { ++ran; });
        EXPECT_EQ(ran.load(), 0);
        submitted.count_down();
    });
    submitted.wait();
    EXPECT_TRUE(eventually([&] { return ran == 1000; }));
}

TEST(Task, SubmittedFromOutsideWaitsForRoom) {
    std::atomic<int> accepted{0};
    std::atomic<int> ran{0};
    BusyPool busy(PoolOptions{.workers = 1, .queue_capacity = 3});
    std::jthread outside([&] {
        for (int i = 0; i < 10; ++i) {
            busy.pool.submit([&] { ++ran; });
            ++accepted;
        }
    });
    ASSERT_TRUE(eventually([&] { return accepted == 3; }));
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(accepted.load(), 3);
    busy.release();
    outside.join();
    EXPECT_TRUE(eventually([&] { return ran == 10; }));
}

// R62: a task that keeps submitting itself is not alone in the world.
TEST(Task, OneThatResubmitsItselfLetsTheOthersRun) {
    for (const bool lifo_slot : {true, false}) {
        std::atomic<bool> stop{false};
        std::atomic<bool> expired{false};
        std::latch submitted(1);
        Pool pool(PoolOptions{.workers = 1, .lifo_slot = lifo_slot});
        struct Poller {
            static void poll(std::atomic<bool>& stop, std::atomic<bool>& expired, Clock::time_point end) {
                if (Clock::now() > end) expired = true;
                if (stop || expired) return;
                Pool::current()->submit([&stop, &expired, end] { poll(stop, expired, end); });
            }
        };
        pool.submit([&] {
            pool.submit([&] { stop = true; });
            pool.submit([&] { Poller::poll(stop, expired, Clock::now() + std::chrono::seconds(2)); });
            submitted.count_down();
        });
        submitted.wait();
        EXPECT_TRUE(eventually([&] { return stop.load(); }));
        EXPECT_FALSE(expired.load()) << "the older task starved, lifo_slot " << lifo_slot;
    }
}

}  // namespace
}  // namespace quarry
