// What can only be measured: idle threads, wake-ups for a join, the first batch against later ones, spinning.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// R16, R61: less than 0.1 % of one core, with many workers that have just worked.
TEST(Timing, IdleThreadsSleep) {
    Pool pool(8);
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < 1000; ++i) scope.spawn([] { spin_for(microseconds(2)); });
    });
    ASSERT_TRUE(workers_park());
    const double share = best_of(3, 0.001, [&] {
        const double before = process_cpu_seconds();
        const auto start = Clock::now();
        std::this_thread::sleep_for(milliseconds(1000));
        return (process_cpu_seconds() - before) / seconds_since(start);
    });
    EXPECT_LT(share, 0.001);
    const PoolStats before = pool.stats();
    std::this_thread::sleep_for(milliseconds(50));
    const PoolStats quiet = pool.stats().since(before);
    EXPECT_EQ(quiet.total.spins, 0U);
    EXPECT_EQ(quiet.total.parks, 0U);
}

// R61: a host's thread that waits for a long job sleeps. It looks for work for less than 2 us, as long as going to
// sleep takes: some ten rounds.
TEST(Timing, WaitingGuestSleeps) {
    constexpr double kGood = 0.005;
    Pool pool(1);
    const double share = best_of(5, kGood, [&] {
        double before = 0;
        const PoolStats stats = pool.stats();
        pool.scope([&](Scope& scope) {
            std::atomic<bool> taken{false};
            scope.spawn([&] {
                taken = true;
                // Sleeps, so that all processor time is the waiting thread's.
                std::this_thread::sleep_for(milliseconds(200));
            });
            EXPECT_TRUE(eventually([&] { return taken.load(); }));
            before = process_cpu_seconds();
        });
        const double used = process_cpu_seconds() - before;
        const WorkerStats guests = pool.stats().since(stats).guests;
        EXPECT_LE(guests.spins, 20U);
        EXPECT_GE(guests.parks, 1U);
        return used / 0.2;
    });
    EXPECT_LT(share, kSanitized ? 0.05 : kGood);
}

// Two closures of 50 ms with all workers parked end in 60 ms. They sleep: if they computed, other programs would decide
// how long they take.
TEST(Timing, ParkedWorkersAreThereForAnOutermostJoin) {
    Pool pool(2);
    std::vector<double> seconds;
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(workers_park());
        const auto closure = [] { std::this_thread::sleep_for(milliseconds(50)); };
        const auto start = Clock::now();
        pool.join(closure, closure);
        seconds.push_back(seconds_since(start));
        EXPECT_GE(seconds.back(), 0.050);
    }
    EXPECT_LE(median(seconds), kSanitized ? 0.090 : 0.060);
}

void join_quickly(int depth) {
    if (depth == 0) return;
    join([depth] { join_quickly(depth - 1); }, [depth] { join_quickly(depth - 1); });
}

// How many leaves of a few milliseconds, which sleep, one after the other ran on the calling thread alone.
int joins_that_ran_alone(int joins) {
    const auto me = std::this_thread::get_id();
    for (int i = 0; i < joins; ++i) {
        bool elsewhere = false;
        join([] { std::this_thread::sleep_for(milliseconds(10)); },
             [&] { elsewhere = std::this_thread::get_id() != me; });
        if (elsewhere) return i;
    }
    return joins;
}

// Two workers are busy, one waits for something that it cannot help with, and the fourth joins quickly: it gets used
// to being of no use. Then the two become idle.
TEST(Timing, IdleWorkersTakePartInAJoinOfLongLeavesAtOnce) {
    std::vector<double> alone;
    for (int round = 0; round < 9; ++round) {
        std::atomic<bool> stop_io{false};
        std::atomic<bool> waits{false};
        std::atomic<bool> release{false};
        std::atomic<int> busy{0};
        std::atomic<int> joins_alone{-1};
        Pool pool(4);
        Task<void> io = pool.submit(
            [&] {
                waits = true;
                while (!stop_io) std::this_thread::sleep_for(milliseconds(1));
            },
            {.lane = Lane::io});
        ASSERT_TRUE(eventually([&] { return waits.load(); }));
        waits = false;
        Task<void> waiter = pool.submit([&] {
            waits = true;
            io.get();
        });
        ASSERT_TRUE(eventually([&] { return waits.load(); }));
        for (int i = 0; i < 2; ++i) {
            pool.submit([&] {
                ++busy;
                while (!release) std::this_thread::sleep_for(microseconds(100));
            });
        }
        ASSERT_TRUE(eventually([&] { return busy == 2; }));
        Task<void> joiner = pool.submit([&] {
            for (int i = 0; i < 200; ++i) join_quickly(6);
            release = true;
            // They go to sleep before the leaves begin, or while the first one runs.
            std::this_thread::sleep_for(milliseconds(round % 3));
            joins_alone = joins_that_ran_alone(50);
        });
        ASSERT_TRUE(eventually([&] { return joins_alone >= 0; }));
        alone.push_back(joins_alone);
        stop_io = true;
        joiner.get();
        waiter.get();
    }
    // The first join may begin before anybody is idle.
    EXPECT_LE(median(alone), 1.0);
    EXPECT_LE(*std::max_element(alone.begin(), alone.end()), 3.0);
}

// The same beside a worker that has been idle all the time. The loop around is too young to give anything at the first
// join, and at the second it gives its other element.
TEST(Timing, IdleWorkerTakesPartInALongLeafAfterManyShortOnes) {
    std::vector<double> alone;
    for (int round = 0; round < 9; ++round) {
        Pool pool(2);
        ASSERT_TRUE(workers_park());
        int joins_alone = 0;
        parallel_for(pool, 0, 2, [&](int i) {
            if (i != 0) return;
            join_quickly(7);
            joins_alone = joins_that_ran_alone(50);
        });
        alone.push_back(joins_alone);
    }
    EXPECT_LE(median(alone), 2.0);
    EXPECT_LE(*std::max_element(alone.begin(), alone.end()), 4.0);
}

// Threads that sleep inside the body of a scope do not compute: they take no core from a loop or a join.
TEST(Timing, ThreadsAsleepInScopeBodiesLeaveTheWorkersToOthers) {
    std::atomic<bool> stop{false};
    std::atomic<int> asleep{0};
    Pool pool(2);
    std::vector<std::jthread> sleepers;
    for (int i = 0; i < 3; ++i) {
        sleepers.emplace_back([&] {
            pool.scope([&](Scope&) {
                // One that has computed for the pool before it sleeps, too.
                join_quickly(4);
                ++asleep;
                while (!stop) std::this_thread::sleep_for(milliseconds(1));
            });
        });
    }
    ASSERT_TRUE(eventually([&] { return asleep == 3; }));
    const auto leaf = [] { std::this_thread::sleep_for(milliseconds(50)); };
    std::vector<double> loops;
    std::vector<double> joins;
    for (int i = 0; i < 5; ++i) {
        auto start = Clock::now();
        parallel_for(pool, 0, 50, [](int) { std::this_thread::sleep_for(milliseconds(2)); });
        loops.push_back(seconds_since(start));
        start = Clock::now();
        pool.join(leaf, leaf);
        joins.push_back(seconds_since(start));
    }
    stop = true;
    sleepers.clear();
    EXPECT_LE(median(loops), 0.090);
    EXPECT_LE(median(joins), 0.090);
}

// But one that computes in the body of its scope does count: beside it a pool of one worker runs no private work.
TEST(Timing, ThreadThatJoinsInAScopesBodyIsOneOfTheThreadsThatCompute) {
    Pool pool(1);
    pool.scope([](Scope&) { join_quickly(10); });
    ASSERT_TRUE(workers_park());
    const PoolStats before = pool.stats();
    pool.scope([](Scope&) {
        for (int i = 0; i < 20; ++i) join_quickly(12);
    });
    EXPECT_EQ(pool.stats().since(before).total.stolen, 0U);
    EXPECT_LE(pool.stats().since(before).total.promoted, 1U);
}

int fib_by_free_join(int n) {
    if (n < 2) return n;
    const auto [left, right] = join([n] { return fib_by_free_join(n - 1); }, [n] { return fib_by_free_join(n - 2); });
    return left + right;
}
int fib_by_pool_join(Pool& pool, int n) {
    if (n < 2) return n;
    const auto [left, right] = pool.join([&pool, n] { return fib_by_pool_join(pool, n - 1); },
                                         [&pool, n] { return fib_by_pool_join(pool, n - 2); });
    return left + right;
}

// Within the pool it names, Pool::join finds its place without a call.
TEST(Timing, JoinOfAPoolWithinItCostsWhatTheFreeJoinCosts) {
    if (!kFullSpeed) GTEST_SKIP() << "only the optimised build";
    Pool pool(1);
    constexpr int kFib = 24;
    double free_join = 1e9;
    double pool_join = 1e9;
    pool.scope([&](Scope&) {
        // By turns, and the best of each: what is left when nobody else disturbs.
        for (int i = 0; i < 25; ++i) {
            auto start = Clock::now();
            EXPECT_EQ(fib_by_free_join(kFib), 46'368);
            free_join = std::min(free_join, seconds_since(start));
            start = Clock::now();
            EXPECT_EQ(fib_by_pool_join(pool, kFib), 46'368);
            pool_join = std::min(pool_join, seconds_since(start));
        }
    });
    EXPECT_LE(pool_join, 1.5 * free_join);
}

double seconds_of_frame(Pool& pool) {
    const auto start = Clock::now();
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < 200; ++i) scope.spawn([] { spin_for(microseconds(20)); });
    });
    parallel_for(pool, 0, 200, [](int) { spin_for(microseconds(20)); });
    return seconds_since(start);
}

double first_frame_to_hundredth() {
    std::vector<double> ratios;
    for (int tries = 0; tries < 7; ++tries) {
        Pool pool(2);
        const double first = seconds_of_frame(pool);
        for (int frame = 1; frame < (kSanitized ? 10 : 97); ++frame) {
            pool.scope([](Scope& scope) {
                for (int i = 0; i < 20; ++i) scope.spawn([] { spin_for(microseconds(5)); });
            });
        }
        const double hundredth = median({seconds_of_frame(pool), seconds_of_frame(pool), seconds_of_frame(pool)});
        ratios.push_back(first / hundredth);
    }
    return median(ratios);
}

// R27: the first frame costs what the hundredth does. Other programs can take half of a new pool's time, but not
// always.
TEST(Timing, FirstFrameCostsWhatTheHundredthDoes) {
    double ratio = first_frame_to_hundredth();
    for (int again = 0; again < 2 && ratio > 1.5; ++again) ratio = first_frame_to_hundredth();
    EXPECT_LE(ratio, 1.5);
}

// Rounds that the only worker looks for more work after it was woken for one job from outside.
double rounds_of_one_search(Pool& pool) {
    EXPECT_TRUE(workers_park());
    const PoolStats before = pool.stats();
    pool.submit([] {});
    EXPECT_TRUE(eventually([&] { return pool.stats().since(before).total.completed == 1; }));
    EXPECT_TRUE(workers_park());
    return static_cast<double>(pool.stats().since(before).total.spins);
}

double median_rounds(Pool& pool, int searches) {
    std::vector<double> rounds;
    for (int i = 0; i < searches; ++i) rounds.push_back(rounds_of_one_search(pool));
    return median(rounds);
}

// A second job is there when the first one ends: looking for it pays.
void let_a_search_pay(Pool& pool) {
    EXPECT_TRUE(workers_park());
    const PoolStats before = pool.stats();
    std::atomic<bool> more{false};
    pool.submit([&] {
        while (!more) std::this_thread::yield();
    });
    pool.submit([] {});
    more = true;
    EXPECT_TRUE(eventually([&] { return pool.stats().since(before).total.completed == 2; }));
}

// R60: spinning adapts to success. A worker whose work never comes ends with a single look; one whose work came keeps
// looking the next time.
TEST(Timing, SearchesGetShorterWhenTheyAreFutileAndLongerWhenTheyPay) {
    Pool pool(1);
    const double at_first = rounds_of_one_search(pool);
    median_rounds(pool, 30);
    const double when_futile = median_rounds(pool, 9);
    for (int i = 0; i < 12; ++i) let_a_search_pay(pool);
    const double when_it_paid = median_rounds(pool, 3);
    RecordProperty("at_first", static_cast<int>(at_first));
    RecordProperty("when_it_paid", static_cast<int>(when_it_paid));
    EXPECT_EQ(when_futile, 1.0);
    EXPECT_GE(when_it_paid, 4.0);
}

}  // namespace
}  // namespace quarry
