// Random mixtures of every operation, from a seed that is logged.
//
//   quarry_jobs_stress                          one short pass (CI runs 100 in a row under the thread sanitizer:
//                                               --gtest_repeat=100)
//   QUARRY_SEED=123 quarry_jobs_stress          the mixtures of that seed; the schedule is the machine's
//   QUARRY_SOAK_SECONDS=3600 quarry_jobs_stress --gtest_filter='Stress.*'
//                                               each test goes on for so long with ever new seeds
//   QUARRY_STRESS_WORKERS=3                     another number of workers than 8 for the mixtures
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/bookkeeping.hpp"
#include "tests/jobs/mixture.hpp"
#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// R65: 8 workers on however many processors there are.
TEST(Stress, RandomMixturesOfAllOperationsOnEightWorkers) {
    constexpr int kDepth = kSanitized ? 11 : 13;
    for_each_seed("mixture", [&](std::uint64_t seed) {
        const auto workers = static_cast<int>(number_from_environment("QUARRY_STRESS_WORKERS", 8));
        const std::size_t capacities[] = {1, 3, 10'000};
        Pool pool(PoolOptions{.workers = workers,
                              .queue_capacity = capacities[seed % 3],
                              .steal_batch = seed % 5 == 0 ? std::size_t{1} : std::size_t{32},
                              .lifo_slot = seed % 2 == 0});
        Pool other(1 + static_cast<int>(seed % 3));
        Mixture mixture(pool, other);
        constexpr std::uint64_t kUsers = 3;
        for (std::uint64_t user = 0; user < kUsers; ++user) mixture.plan(seed * 31 + user, kDepth);
        {
            std::vector<std::jthread> users;
            for (std::uint64_t user = 0; user < kUsers; ++user) {
                users.emplace_back([&, user] {
                    Pool& mine = user == 1 ? other : pool;
                    mine.scope([&](Scope&) { mixture.run(seed * 31 + user, kDepth); });
                });
            }
        }
        EXPECT_EQ(mixture.happened().ran, mixture.planned().ran);
        EXPECT_EQ(mixture.happened().caught, mixture.planned().caught) << "an error was swallowed, or came twice";
        EXPECT_EQ(mixture.happened().local, mixture.planned().local);
        EXPECT_EQ(mixture.wrong(), 0U);
        EXPECT_TRUE(adds_up(pool));
        EXPECT_TRUE(adds_up(other));
    });
}

// R64: one producer, 16 thieves.
TEST(Stress, StealStormLosesNothing) {
    constexpr int kJobs = static_cast<int>(scaled(20'000, 3));
    for_each_seed("steal storm", [&](std::uint64_t seed) {
        std::vector<std::atomic<int>> runs(static_cast<std::size_t>(kJobs));
        std::atomic<std::uint64_t> sum{0};
        Pool pool(PoolOptions{.workers = 16, .steal_batch = 1 + static_cast<std::size_t>(seed % 32)});
        pool.scope([&](Scope& scope) {
            for (auto& count : runs) scope.spawn([&] { ++count; });
        });
        for (const auto& count : runs) ASSERT_EQ(count.load(), 1);
        parallel_for(pool, 0, kJobs, [&](int i) { sum += static_cast<std::uint64_t>(i); });
        EXPECT_EQ(sum.load(), static_cast<std::uint64_t>(kJobs) * (kJobs - 1) / 2);
        EXPECT_TRUE(adds_up(pool));
    });
}

// R64, R59: thieves that meet at one deque with few entries lose races, and the figures say so.
TEST(Stress, StealStormCountsLostRaces) {
    Pool pool(PoolOptions{.workers = 16, .steal_batch = 1});
    EXPECT_TRUE(eventually([&] {
        pool.scope([&](Scope& scope) {
            for (int i = 0; i < 200; ++i) scope.spawn([] { spin_for(microseconds(1)); });
        });
        return pool.stats().total.lost_races > 0;
    }));
    EXPECT_TRUE(adds_up(pool));
}

// Workers that fall asleep and are woken all the time: a lost wake-up stops the test.
TEST(Stress, EveryJobAfterAPauseIsFound) {
    for_each_seed("pauses", [&](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        Pool pool(1 + static_cast<int>(seed % 4));
        for (std::size_t i = 0; i < scaled(300, 2); ++i) {
            spin_for(microseconds(random() % 40));
            std::atomic<int> ran{0};
            const int jobs = 1 + static_cast<int>(random() % 3);
            for (int k = 0; k < jobs; ++k) pool.submit([&] { ++ran; });
            // Waits without helping: the workers are on their own.
            ASSERT_TRUE(eventually([&] { return ran == jobs; }));
        }
    });
}

TEST(Stress, PoolsComeAndGoWithWorkInThem) {
    for_each_seed("come and go", [&](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        for (std::size_t i = 0; i < scaled(50, 4); ++i) {
            std::atomic<int> ran{0};
            const int jobs = static_cast<int>(random() % 50);
            std::vector<Task<int>> tasks;
            {
                Pool pool(
                    PoolOptions{.workers = 1 + static_cast<int>(random() % 8), .queue_capacity = 1 + random() % 20});
                for (int k = 0; k < jobs; ++k) {
                    tasks.push_back(pool.submit([&, k] {
                        ++ran;
                        return k;
                    }));
                }
            }
            ASSERT_EQ(ran.load(), jobs);
            for (int k = 0; k < jobs; ++k) ASSERT_EQ(tasks[static_cast<std::size_t>(k)].get(), k);
        }
    });
}

}  // namespace
}  // namespace quarry
