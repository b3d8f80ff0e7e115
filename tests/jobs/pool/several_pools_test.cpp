#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/task.hpp"
#include "quarry/jobs/when_all.hpp"
#include "tests/jobs/support.hpp"

// Tasks of several pools that depend on each other, and pools that end meanwhile (R4).
namespace quarry {
namespace {

using namespace test_support;

// The waiter runs the queued task itself. It must count for the pool that it came from, or neither pool ever ends.
TEST(SeveralPools, WaiterForAllRunsATaskInItsOwnPool) {
    std::atomic<bool> released{false};
    Pool first(1);
    Pool second(1);
    second.submit([&] {
        while (!released) std::this_thread::yield();
    });
    Task<int> one = first.submit([] { return 1; });
    Task<int> two = second.submit([] { return 2; });
    auto both = when_all(std::move(one), std::move(two));
    EXPECT_EQ(both.get(), (std::tuple{1, 2}));
    EXPECT_EQ(second.stats().total.spawned, 2U);
    EXPECT_EQ(second.stats().total.completed, 1U);
    // The task of the first pool, and the one that gathers.
    EXPECT_TRUE(eventually([&] { return first.stats().total.completed == 2; }));
    released = true;
}

// The pool of the gathering task ends while a worker of the other pool is still telling it.
TEST(SeveralPools, OneMayEndAsSoonAsItsTaskHas) {
    Pool second(1);
    for (int round = 0; round < static_cast<int>(scaled(300)); ++round) {
        std::atomic<bool> go{false};
        std::vector<Task<int>> tasks;
        auto first = std::make_unique<Pool>(1);
        tasks.push_back(first->submit([] { return 1; }));
        tasks.push_back(second.submit([&] {
            while (!go) std::this_thread::yield();
            return 2;
        }));
        Task<std::vector<int>> both = when_all(std::move(tasks));
        go = true;
        first.reset();
        EXPECT_EQ(both.get(), (std::vector{1, 2}));
    }
}

// A thread from outside continues a task again and again while its pool is being destroyed: at some time it is told so,
// and everything that was accepted until then is run.
TEST(SeveralPools, ContinuingFromOutsideIsRefusedOnceThePoolEnds) {
    for (int round = 0; round < static_cast<int>(scaled(50)); ++round) {
        std::atomic<bool> begun{false};
        auto pool = std::make_unique<Pool>(2);
        Task<int> task = pool->submit([] { return 0; });
        int accepted = 0;
        std::atomic<int> run{0};
        std::jthread outside([&] {
            for (;;) {
                begun = true;
                try {
                    task = std::move(task).then([&](int before) {
                        ++run;
                        return before + 1;
                    });
                } catch (const Error&) {
                    break;
                }
                ++accepted;
            }
        });
        ASSERT_TRUE(eventually([&] { return begun.load(); }));
        pool.reset();
        outside.join();
        EXPECT_EQ(run, accepted);
    }
}

}  // namespace
}  // namespace quarry
