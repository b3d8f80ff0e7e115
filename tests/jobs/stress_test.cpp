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
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// A tree of operations. Every node adds 1 to `ran` exactly once; the same seed gives the same tree on any schedule.
class Mixture {
  public:
    Mixture(Pool& pool, Pool& other) : pool_(pool), other_(other) {}

    std::uint64_t expected() const { return expected_; }
    std::uint64_t ran() const { return ran_.load(); }
    std::uint64_t caught() const { return caught_.load(); }

    // Counts in advance what run() will do.
    void plan(std::uint64_t seed, int depth) { expected_ += count(seed, depth); }

    void run(std::uint64_t seed, int depth) {
        ran_.fetch_add(1, std::memory_order_relaxed);
        if (depth == 0) {
            if (seed % 4 == 0) spin_for(std::chrono::nanoseconds(seed % 2000));
            return;
        }
        const std::uint64_t a = child(seed, 1);
        const std::uint64_t b = child(seed, 2);
        switch (seed % kKinds) {
            case 0:
                return spawn_two(a, b, depth - 1);
            case 1:
                return static_cast<void>(join([&] { run(a, depth - 1); }, [&] { run(b, depth - 1); }));
            case 2:
                return loop(a, b, depth - 1);
            case 3:
                return submit_two(a, b, depth - 1);
            case 4:
                return fail_in_scope(a, b, depth - 1);
            case 5:
                return fail_in_join(a, b, depth - 1);
            case 6:
                return in_other_pool(a, b, depth - 1);
            case 7:
                return spawn_crosswise(a, b, depth - 1);
            case 8:
                return drop_results(a, b, depth - 1);
            default:
                return fail_in_loop(a, b, depth - 1);
        }
    }

  private:
    static constexpr std::uint64_t kKinds = 10;

    static std::uint64_t child(std::uint64_t seed, std::uint64_t which) {
        std::uint64_t x = seed * 0x9e3779b97f4a7c15ULL + which * 0xbf58476d1ce4e5b9ULL;
        x ^= x >> 29;
        x *= 0x94d049bb133111ebULL;
        return x ^ (x >> 32);
    }

    static std::uint64_t count(std::uint64_t seed, int depth) {
        if (depth == 0) return 1;
        return 1 + count(child(seed, 1), depth - 1) + count(child(seed, 2), depth - 1);
    }

    Pool& here() const { return *Pool::current(); }

    void spawn_two(std::uint64_t a, std::uint64_t b, int depth) {
        here().scope([&](Scope& scope) {
            scope.spawn([&] { run(a, depth); });
            scope.spawn([&, b] { scope.spawn([&, b] { run(b, depth); }); });
        });
    }
    void loop(std::uint64_t a, std::uint64_t b, int depth) {
        parallel_for(here(), 0, 2, [&](int i) { run(i == 0 ? a : b, depth); });
    }
    void submit_two(std::uint64_t a, std::uint64_t b, int depth) {
        Task<void> first = here().submit([&] { run(a, depth); });
        Task<void> second = here().submit([&] { run(b, depth); });
        second.get();
        first.wait();
    }
    void fail_in_scope(std::uint64_t a, std::uint64_t b, int depth) {
        try {
            here().scope([&](Scope& scope) {
                scope.spawn([&] {
                    run(a, depth);
                    throw Thrown();
                });
                run(b, depth);
            });
        } catch (const Thrown&) {
            ++caught_;
        }
    }
    void fail_in_join(std::uint64_t a, std::uint64_t b, int depth) {
        try {
            join([&] { run(a, depth); },
                 [&] {
                     run(b, depth);
                     throw Thrown();
                 });
        } catch (const Thrown&) {
            ++caught_;
        }
    }
    void fail_in_loop(std::uint64_t a, std::uint64_t b, int depth) {
        std::atomic<int> entered{0};
        try {
            // The last one to enter throws, so that nothing is left out.
            parallel_for(here(), 0, 2, [&](int i) {
                run(i == 0 ? a : b, depth);
                if (entered.fetch_add(1) == 1) throw Thrown();
            });
        } catch (const Thrown&) {
            ++caught_;
        }
    }
    void in_other_pool(std::uint64_t a, std::uint64_t b, int depth) {
        Pool& target = Pool::current() == &pool_ ? other_ : pool_;
        target.scope([&](Scope& scope) {
            scope.spawn([&] { run(a, depth); });
            run(b, depth);
        });
    }
    // The jobs of one scope spawn into another one.
    void spawn_crosswise(std::uint64_t a, std::uint64_t b, int depth) {
        here().scope([&](Scope& outer) {
            here().scope([&](Scope& inner) {
                inner.spawn([&, a, depth] { outer.spawn([this, a, depth] { run(a, depth); }); });
            });
            run(b, depth);
        });
    }
    void drop_results(std::uint64_t a, std::uint64_t b, int depth) {
        ScopeResult<std::unique_ptr<int>> kept;
        here().scope([&](Scope& scope) {
            scope.spawn([&] {
                run(a, depth);
                return std::make_unique<int>(1);
            });
            kept = scope.spawn([&] {
                run(b, depth);
                return std::make_unique<int>(2);
            });
        });
        if (**kept != 2) std::abort();
    }

    Pool& pool_;
    Pool& other_;
    std::uint64_t expected_ = 0;
    std::atomic<std::uint64_t> ran_{0};
    std::atomic<std::uint64_t> caught_{0};
};

void expect_balanced(const Pool& pool) {
    EXPECT_TRUE(eventually([&] {
        const WorkerStats total = pool.stats().total;
        return total.spawned == total.completed + total.failed + total.cancelled;
    }));
}

// R65: 8 workers on however many processors there are.
TEST(Stress, RandomMixturesOfAllOperationsOnEightWorkers) {
    constexpr int kDepth = kSanitized ? 12 : 13;
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
        EXPECT_EQ(mixture.ran(), mixture.expected());
        expect_balanced(pool);
        expect_balanced(other);
    });
}

// R64: one producer, 16 thieves.
TEST(Stress, StealStormLosesNothing) {
    constexpr int kJobs = static_cast<int>(scaled(20'000, 2));
    for_each_seed("steal storm", [&](std::uint64_t seed) {
        std::vector<std::atomic<int>> runs(static_cast<std::size_t>(kJobs));
        Pool pool(PoolOptions{.workers = 16, .steal_batch = 1 + static_cast<std::size_t>(seed % 32)});
        pool.scope([&](Scope& scope) {
            for (auto& count : runs) scope.spawn([&] { ++count; });
        });
        for (const auto& count : runs) ASSERT_EQ(count.load(), 1);
        std::atomic<std::uint64_t> sum{0};
        parallel_for(pool, 0, kJobs, [&](int i) { sum += static_cast<std::uint64_t>(i); });
        EXPECT_EQ(sum.load(), static_cast<std::uint64_t>(kJobs) * (kJobs - 1) / 2);
        expect_balanced(pool);
    });
}

// Workers that fall asleep and are woken all the time: a lost wake-up stops the test.
TEST(Stress, EveryJobAfterAPauseIsFound) {
    for_each_seed("pauses", [&](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        Pool pool(1 + static_cast<int>(seed % 4));
        for (int i = 0; i < 300; ++i) {
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
        for (int i = 0; i < 50; ++i) {
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
