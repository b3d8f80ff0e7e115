// What can only be measured: idle threads, wake-ups for a join, the first batch against later ones, spinning.
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

double seconds_of_frame(Pool& pool) {
    const auto start = Clock::now();
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < 200; ++i) scope.spawn([] { spin_for(microseconds(20)); });
    });
    parallel_for(pool, 0, 200, [](int) { spin_for(microseconds(20)); });
    return seconds_since(start);
}

// R27: the first frame costs what the hundredth does.
TEST(Timing, FirstFrameCostsWhatTheHundredthDoes) {
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
    EXPECT_LE(median(ratios), 1.5);
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
