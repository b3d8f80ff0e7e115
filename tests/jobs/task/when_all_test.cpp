// when_all: one task for the end of several.
#include "quarry/jobs/when_all.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

class WhenAllOn : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, WhenAllOn, testing::Values(1, 2, 8));

TEST_P(WhenAllOn, GivesATupleOfAllValues) {
    auto task = when_all(pool.submit([] { return 1; }), pool.submit([] {}),
                         pool.submit([] { return std::make_unique<std::string>("three"); }));
    std::tuple<int, std::monostate, std::unique_ptr<std::string>> values = task.get();
    EXPECT_EQ(std::get<0>(values), 1);
    EXPECT_EQ(*std::get<2>(values), "three");
}

// Only an empty result, which a tuple never is, would have to be made from nothing.
TEST_P(WhenAllOn, ValuesNeedNoDefaultConstructor) {
    struct Named {
        explicit Named(int given) : number(given) {}
        int number;
    };
    const auto make = [this](int number) { return pool.submit([number] { return Named(number); }); };
    const auto [first, second] = when_all(make(1), make(2)).get();
    EXPECT_EQ(first.number + second.number, 3);
    std::vector<Task<Named>> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(make(i));
    EXPECT_EQ(when_all(std::move(tasks)).get()[2].number, 2);
}

TEST_P(WhenAllOn, GivesAVectorInTheOrderOfTheTasks) {
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 200; ++i) tasks.push_back(pool.submit([i] { return i; }));
    const std::vector<int> values = when_all(std::move(tasks)).get();
    ASSERT_EQ(values.size(), 200U);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
}

TEST_P(WhenAllOn, OfVoidTasksGivesNothingAndOfBoolsTheirValues) {
    std::atomic<int> ran{0};
    std::vector<Task<void>> tasks;
    for (int i = 0; i < 50; ++i) tasks.push_back(pool.submit([&] { ++ran; }));
    Task<void> all = when_all(std::move(tasks));
    all.get();
    EXPECT_EQ(ran.load(), 50);
    std::vector<Task<bool>> bools;
    for (int i = 0; i < 3; ++i) bools.push_back(pool.submit([i] { return i == 1; }));
    EXPECT_EQ(when_all(std::move(bools)).get(), (std::vector<bool>{false, true, false}));
}

TEST_P(WhenAllOn, OfNoneHasEnded) {
    Task<std::vector<int>> none = when_all(std::vector<Task<int>>{});
    EXPECT_TRUE(none.ready());
    EXPECT_FALSE(none.cancel());
    EXPECT_FALSE(none.raise(Priority::urgent));
    EXPECT_TRUE(none.get().empty());
    Task<void> nothing = when_all(std::vector<Task<void>>{});
    nothing.wait();
    nothing.get();
}

// It has no pool of its own: the one it is in, or the shared one.
TEST_P(WhenAllOn, OfNoneCanBeContinued) {
    const auto continue_none = [] {
        return when_all(std::vector<Task<int>>{})
            .then([](const std::vector<int>& values) { return std::pair(values.size(), Pool::current()); })
            .get();
    };
    EXPECT_EQ(continue_none().first, 0U);
    const auto [size, where] = run_inside(pool, continue_none);
    EXPECT_EQ(size, 0U);
    EXPECT_EQ(where, &pool);
    auto nested = when_all(when_all(std::vector<Task<int>>{}), pool.submit([] { return 4; }));
    EXPECT_EQ(std::get<1>(nested.get()), 4);
    Pool::stop_shared();
}

TEST_P(WhenAllOn, WithAnEmptyTaskIsAnError) {
    std::vector<Task<int>> tasks(1);
    EXPECT_THROW(when_all(std::move(tasks)), Error);
    EXPECT_THROW(when_all(pool.submit([] {}), Task<int>()), Error);
}

TEST(WhenAll, FailsWithTheFirstErrorInOrderAndReportsTheOthers) {
    std::mutex mutex;
    std::vector<std::string> reported;
    {
        Pool pool(PoolOptions{.workers = 2, .on_error = [&](std::exception_ptr error) {
                                  const std::lock_guard lock(mutex);
                                  try {
                                      std::rethrow_exception(std::move(error));
                                  } catch (const std::exception& thrown) {
                                      reported.emplace_back(thrown.what());
                                  }
                              }});
        std::vector<Task<int>> tasks;
        for (int i = 0; i < 10; ++i) {
            tasks.push_back(pool.submit([i] {
                if (i % 3 == 2) throw std::runtime_error("job " + std::to_string(i));
                return i;
            }));
        }
        try {
            when_all(std::move(tasks)).get();
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "job 2");
        }
    }
    std::sort(reported.begin(), reported.end());
    EXPECT_EQ(reported, (std::vector<std::string>{"job 5", "job 8"}));
}

TEST(WhenAll, IsCancelledIfOneWasUnlessOneFailed) {
    BusyPool busy(PoolOptions{.workers = 2});
    const auto three = [&](bool fails) {
        std::vector<Task<int>> tasks;
        for (int i = 0; i < 3; ++i) {
            tasks.push_back(busy.pool.submit([=] {
                if (fails && i == 2) throw std::runtime_error("failed");
                return i;
            }));
        }
        EXPECT_TRUE(tasks[1].cancel());
        return when_all(std::move(tasks));
    };
    auto cancelled = three(false);
    auto failed = three(true);
    busy.release();
    EXPECT_THROW(cancelled.get(), Cancelled);
    EXPECT_THROW(failed.get(), std::runtime_error);
}

TEST(WhenAll, CancelledBeforeTheOthersEndLeavesThemToRun) {
    std::atomic<int> ran{0};
    {
        BusyPool busy(PoolOptions{.workers = 1});
        std::vector<Task<void>> tasks;
        for (int i = 0; i < 5; ++i) tasks.push_back(busy.pool.submit([&] { ++ran; }));
        Task<void> all = when_all(std::move(tasks));
        EXPECT_TRUE(all.cancel());
        EXPECT_TRUE(all.ready());
        EXPECT_FALSE(all.cancel());
        EXPECT_EQ(ran.load(), 0);
        EXPECT_THROW(all.get(), Cancelled);
    }
    EXPECT_EQ(ran.load(), 5);
}

TEST_P(WhenAllOn, RunsInTheLaneAndAtThePriorityOfTheFirst) {
    const auto look = [](auto&&) { return std::pair(Pool::current_lane(), Pool::current_priority()); };
    auto task =
        when_all(pool.submit([] {}, {.lane = Lane::io, .priority = Priority::high}), pool.submit([] {})).then(look);
    ASSERT_TRUE(eventually([&] { return task.ready(); }));
    EXPECT_EQ(task.get(), std::pair(Lane::io, Priority::high));
}

// Over and over, since the pool of the first may end as soon as the last one, in the other pool, has.
TEST_P(WhenAllOn, GathersFromTwoPools) {
    for (int round = 0; round < static_cast<int>(scaled(1000)); ++round) {
        Task<std::tuple<int, int>> all;
        {
            Pool other(1);
            all = when_all(other.submit([] { return 1; }), pool.submit([] { return 2; }));
            if (round % 3 == 0) all.cancel();
        }
        ASSERT_TRUE(all.ready()) << "the pool it belongs to has ended";
        if (round % 3 == 0) continue;
        ASSERT_EQ(all.get(), (std::tuple(1, 2)));
    }
}

TEST_P(WhenAllOn, WhoseOtherPoolEndsFirst) {
    for (int round = 0; round < static_cast<int>(scaled(1000)); ++round) {
        Task<std::tuple<int, int>> all;
        {
            Pool other(1);
            all = when_all(pool.submit([] { return 1; }), other.submit([] { return 2; }));
        }
        ASSERT_EQ(all.get(), (std::tuple(1, 2)));
    }
}

// The waiter runs what has not started, each in the pool it belongs to.
TEST_P(WhenAllOn, WaiterRunsTheJobsOfBothPools) {
    BusyPool other(PoolOptions{.workers = 1});
    BusyPool first(PoolOptions{.workers = GetParam()});
    const auto where = [] { return Pool::current(); };
    Task<Pool*> chain = other.pool.submit(where);
    for (int i = 0; i < 100; ++i)
        chain = std::move(chain).then([](Pool* before) { return before == Pool::current() ? before : nullptr; });
    auto all = when_all(first.pool.submit(where), std::move(chain), first.pool.submit(where));
    EXPECT_EQ(all.get(), std::tuple(&first.pool, &other.pool, &first.pool));
    // One busy job a worker; and what was run here.
    EXPECT_EQ(first.pool.stats().guests.completed, 3U);
    EXPECT_EQ(other.pool.stats().guests.completed, 101U);
    EXPECT_EQ(other.pool.stats().total.spawned, 102U);
}

// Many tasks cost no more each than few do.
TEST_P(WhenAllOn, OfVeryManyIsWaitedForInBoundedTime) {
    for (const bool inside : {false, true}) {
        const auto gather = [&] {
            std::vector<Task<int>> tasks;
            for (int i = 0; i < static_cast<int>(scaled(200'000)); ++i) {
                tasks.push_back(pool.submit([] { return 1; }));
            }
            return when_all(std::move(tasks)).get().size();
        };
        const auto start = Clock::now();
        EXPECT_EQ(inside ? run_inside(pool, gather) : gather(), scaled(200'000));
        EXPECT_LT(seconds_since(start), 10);
    }
}

TEST_P(WhenAllOn, TreeOfThemIsWaitedForInsideAJob) {
    struct Tree {
        static Task<int> sum(int depth) {
            Pool& here = *Pool::current();
            if (depth == 0) return here.submit([] { return 1; });
            std::vector<Task<int>> branches;
            for (int i = 0; i < 3; ++i) branches.push_back(sum(depth - 1));
            return when_all(std::move(branches)).then([](std::vector<int> values) {
                return values[0] + values[1] + values[2];
            });
        }
    };
    EXPECT_EQ(run_inside(pool, [] { return Tree::sum(6).get(); }), 729);
}

}  // namespace
}  // namespace quarry
