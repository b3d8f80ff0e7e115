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

// R61: a host's thread that waits for a long job sleeps.
TEST(Timing, WaitingGuestSleeps) {
    std::atomic<double> guest_seconds{1};
    Pool pool(1);
    const double share = best_of(3, 0.1, [&] {
        pool.scope([&](Scope& scope) {
            std::atomic<bool> taken{false};
            scope.spawn([&] {
                taken = true;
                // Sleeps, so that all processor time is the waiting thread's.
                std::this_thread::sleep_for(milliseconds(200));
            });
            EXPECT_TRUE(eventually([&] { return taken.load(); }));
            guest_seconds = process_cpu_seconds();
        });
        return (process_cpu_seconds() - guest_seconds) / 0.2;
    });
    EXPECT_LT(share, kSanitized ? 0.5 : 0.05);
}

// Two closures of 50 ms with all workers parked end in 60 ms.
TEST(Timing, ParkedWorkersAreThereForAnOutermostJoin) {
    Pool pool(2);
    const double limit = kSanitized ? 0.090 : 0.060;
    const double best = best_of(10, limit, [&] {
        EXPECT_TRUE(workers_park());
        const auto start = Clock::now();
        pool.join([] { spin_for(milliseconds(50)); }, [] { spin_for(milliseconds(50)); });
        return seconds_since(start);
    });
    EXPECT_LE(best, limit);
    EXPECT_GE(best, 0.050);
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

// R60: spinning adapts to success. A worker whose work always comes a little later keeps looking; one whose work
// never comes goes to sleep after less and less.
TEST(Timing, FutileSearchesGetShorter) {
    Pool pool(1);
    const auto spins_of_one_search = [&] {
        EXPECT_TRUE(workers_park());
        const PoolStats before = pool.stats();
        pool.submit([] {});
        EXPECT_TRUE(eventually([&] { return pool.stats().since(before).total.completed == 1; }));
        EXPECT_TRUE(workers_park());
        return pool.stats().since(before).total.spins;
    };
    const std::uint64_t at_first = spins_of_one_search();
    for (int i = 0; i < 30; ++i) spins_of_one_search();
    std::uint64_t later = ~std::uint64_t{0};
    for (int i = 0; i < 10; ++i) later = std::min(later, spins_of_one_search());
    EXPECT_LT(later, at_first);
}

}  // namespace
}  // namespace quarry
