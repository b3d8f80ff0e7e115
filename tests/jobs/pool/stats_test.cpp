#include "quarry/jobs/stats.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

int tree(int depth) {
    if (depth == 0) return 1;
    const auto [a, b] = join([&] { return tree(depth - 1); }, [&] { return tree(depth - 1); });
    return a + b;
}

// Some of everything: 100 spawned jobs of which 10 fail and some are cancelled, loops, joins, 50 tasks of which 5 fail.
void mixed_batch(Pool& pool) {
    std::vector<JobError> errors;
    pool.scope(
        [&](Scope& scope) {
            for (int i = 0; i < 100; ++i) {
                scope.spawn([i] {
                    if (i % 10 == 0) throw std::runtime_error("spawned");
                });
            }
        },
        ScopeOptions{.errors = &errors});
    std::stop_source stop;
    stop.request_stop();
    pool.scope(
        [&](Scope& scope) {
            for (int i = 0; i < 7; ++i) scope.spawn([] {});
        },
        ScopeOptions{.stop_token = stop.get_token()});
    parallel_for(pool, 0, 300, [](int) { spin_for(microseconds(1)); });
    pool.join([] { return tree(8); }, [] { return tree(8); });
    std::vector<Task<void>> tasks;
    for (int i = 0; i < 50; ++i) {
        tasks.push_back(pool.submit([i] {
            if (i % 10 == 0) throw std::runtime_error("submitted");
        }));
    }
    for (Task<void>& task : tasks) {
        try {
            task.get();
        } catch (const std::runtime_error&) {
        }
    }
}

class StatsOn : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, StatsOn, testing::Values(1, 2, 8));

// R6
TEST_P(StatsOn, AtIdleEveryJobIsCompletedFailedOrCancelled) {
    for (int i = 0; i < 20; ++i) mixed_batch(pool);
    const WorkerStats total = pool.stats().total;
    EXPECT_EQ(total.spawned, total.completed + total.failed + total.cancelled);
    EXPECT_EQ(total.failed, 20U * 15);
    EXPECT_GE(total.cancelled, 20U * 7);
    // Besides those there are pieces of loops and closures of join, as many as were offered.
    EXPECT_EQ(total.spawned, 20U * 157 + total.promoted);
}

// R59
TEST_P(StatsOn, SumsOfTheWorkersAreTheTotals) {
    for (int i = 0; i < 5; ++i) mixed_batch(pool);
    const PoolStats stats = pool.stats();
    ASSERT_EQ(stats.workers.size(), static_cast<std::size_t>(GetParam()));
    WorkerStats sum = stats.guests;
    sum += stats.outside;
    for (const WorkerStats& worker : stats.workers) sum += worker;
    for (const WorkerStats& worker : stats.io) sum += worker;
    EXPECT_EQ(sum.spawned, stats.total.spawned);
    EXPECT_EQ(sum.completed, stats.total.completed);
    EXPECT_EQ(sum.failed, stats.total.failed);
    EXPECT_EQ(sum.cancelled, stats.total.cancelled);
    EXPECT_EQ(sum.promoted, stats.total.promoted);
    EXPECT_EQ(sum.taken_back, stats.total.taken_back);
    EXPECT_EQ(sum.run_inline, stats.total.run_inline);
    EXPECT_EQ(sum.stolen, stats.total.stolen);
    EXPECT_EQ(sum.steals, stats.total.steals);
    EXPECT_EQ(sum.steal_attempts, stats.total.steal_attempts);
    EXPECT_EQ(sum.lost_races, stats.total.lost_races);
    EXPECT_EQ(sum.spins, stats.total.spins);
    EXPECT_EQ(sum.parks, stats.total.parks);
    EXPECT_EQ(sum.wakes, stats.total.wakes);
    EXPECT_EQ(sum.queue_high_water, stats.total.queue_high_water);
    EXPECT_EQ(sum.steal_latency, stats.total.steal_latency);
    EXPECT_EQ(stats.outside.spawned, 250U);
}

// R59: every job is counted by the worker that ran it, as the jobs themselves count where they are.
TEST_P(StatsOn, JobsAreCountedWhereTheyRan) {
    std::mutex mutex;
    std::map<int, std::uint64_t> ran;
    const auto note = [&] {
        const std::lock_guard lock(mutex);
        ++ran[Pool::current_index()];
    };
    std::vector<JobError> errors;
    for (int i = 0; i < 200; ++i) pool.submit(note, {.lane = i % 4 == 0 ? Lane::io : Lane::frame});
    pool.scope(
        [&](Scope& scope) {
            for (int i = 0; i < 2000; ++i) {
                scope.spawn([&note, i] {
                    note();
                    if (i % 10 == 0) throw std::runtime_error("counted, too");
                });
            }
        },
        ScopeOptions{.errors = &errors});
    ASSERT_TRUE(eventually([&] { return pool.stats().total.executed() == 2200; }));
    const PoolStats stats = pool.stats();
    std::map<int, std::uint64_t> counted;
    const auto add = [&](int index, const WorkerStats& figures) {
        if (figures.executed() != 0) counted[index] = figures.executed();
    };
    for (std::size_t i = 0; i < stats.workers.size(); ++i) add(static_cast<int>(i), stats.workers[i]);
    // The only guest has the first place after the workers, the I/O threads have theirs after all guests.
    add(GetParam(), stats.guests);
    for (std::size_t i = 0; i < stats.io.size(); ++i) add(GetParam() + 256 + static_cast<int>(i), stats.io[i]);
    EXPECT_EQ(counted, ran);
    EXPECT_EQ(stats.total.failed, 200U);
}

// R2: which workers did how much, per batch and in total.
TEST_P(StatsOn, SharesAddUpToOnePerBatchAndInTotal) {
    mixed_batch(pool);
    const PoolStats first = pool.stats();
    mixed_batch(pool);
    const PoolStats both = pool.stats();
    const PoolStats second = both.since(first);
    for (const PoolStats& stats : {first, both, second}) {
        const std::vector<double> shares = stats.shares();
        ASSERT_EQ(shares.size(), static_cast<std::size_t>(GetParam()) + 1);
        EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-9);
        for (const double share : shares) EXPECT_GE(share, 0.0);
    }
    EXPECT_EQ(second.total.failed, 15U);
    EXPECT_EQ(second.total.spawned + first.total.spawned, both.total.spawned);
    EXPECT_EQ(second.total.executed(), second.total.completed + second.total.failed);
}

TEST(Stats, OfAFreshPoolAreZero) {
    Pool pool(2);
    const PoolStats stats = pool.stats();
    EXPECT_EQ(stats.total.spawned, 0U);
    EXPECT_EQ(stats.total.executed(), 0U);
    for (const double share : stats.shares()) EXPECT_EQ(share, 0.0);
}

// Every figure moves when there is something to count.
TEST(Stats, EveryFigureMoves) {
    Pool pool(PoolOptions{.workers = 4, .queue_capacity = 8});
    const auto still_zero = [&] {
        const WorkerStats total = pool.stats().total;
        std::string names;
        const auto check = [&](const char* name, auto value) {
            if (value == 0) names += std::string(" ") + name;
        };
        check("promoted", total.promoted);
        check("run_inline", total.run_inline);
        check("stolen", total.stolen);
        check("steals", total.steals);
        check("steal_attempts", total.steal_attempts);
        check("spins", total.spins);
        check("parks", total.parks);
        check("wakes", total.wakes);
        check("queue_high_water", total.queue_high_water);
        check("steal_latency", total.steal_latency.count());
        return names;
    };
    EXPECT_TRUE(eventually([&] {
        EXPECT_TRUE(workers_park()) << "only sleepers can be woken";
        mixed_batch(pool);
        pool.submit([&] { parallel_for(pool, 0, 100, [](int) { spin_for(microseconds(5)); }); }).get();
        return still_zero().empty();
    })) << "still zero:"
        << still_zero();
    const WorkerStats total = pool.stats().total;
    EXPECT_GE(total.stolen, total.steals);
    EXPECT_LE(total.steals, total.steal_attempts);
    EXPECT_GE(total.promoted, total.taken_back);
}

// R59: with one other worker a futile round of looking for work is three looks into its queues: what it spawned, what
// it submitted, and the slot of its last one. A round that finds the lane's job has not looked into the slot.
TEST(Stats, EveryLookIntoAnotherWorkersQueuesIsAStealAttempt) {
    constexpr std::uint64_t kJobs = 20;
    Pool pool(2);
    for (std::uint64_t i = 0; i < kJobs; ++i) {
        ASSERT_TRUE(workers_park());
        pool.submit([] {});
        ASSERT_TRUE(eventually([&] { return pool.stats().total.completed == i + 1; }));
    }
    ASSERT_TRUE(workers_park());
    const WorkerStats total = pool.stats().total;
    EXPECT_GT(total.spins, kJobs);
    EXPECT_LE(total.steal_attempts, 3 * total.spins);
    EXPECT_GE(total.steal_attempts + kJobs, 3 * total.spins);
    EXPECT_EQ(total.steals, 0U);
}

// Steal operations that a thief needs for the jobs of one busy producer.
double jobs_per_steal(std::size_t steal_batch) {
    std::atomic<int> ran{0};
    Pool pool(PoolOptions{.workers = 1, .steal_batch = steal_batch});
    constexpr int kJobs = 2000;
    pool.scope([&](Scope& scope) {
        // The guest fills its deque and does not take part until the worker has emptied it.
        for (int i = 0; i < kJobs; ++i) scope.spawn([&] { ++ran; });
        EXPECT_TRUE(eventually([&] { return ran == kJobs; }));
    });
    const WorkerStats worker = pool.stats().workers[0];
    EXPECT_EQ(worker.stolen, static_cast<std::uint64_t>(kJobs));
    return static_cast<double>(worker.stolen) / static_cast<double>(worker.steals);
}

// R53: fewer steal operations at 32 than at 1.
// What a closure that has failed runs from its destructor is counted for itself.
TEST(Stats, JobsThatFailWithinEachOtherAreBothCountedAsFailed) {
    struct RunsAnotherWhenItGoes {
        Pool* pool;
        explicit RunsAnotherWhenItGoes(Pool& of) : pool(&of) {}
        RunsAnotherWhenItGoes(RunsAnotherWhenItGoes&& other) noexcept : pool(std::exchange(other.pool, nullptr)) {}
        RunsAnotherWhenItGoes& operator=(RunsAnotherWhenItGoes&&) = delete;
        ~RunsAnotherWhenItGoes() {
            if (pool != nullptr) pool->submit([] { throw std::runtime_error("inner"); }).wait();
        }
        void operator()() const { throw std::runtime_error("outer"); }
    };
    Pool pool(PoolOptions{.workers = 1, .on_error = [](const std::exception_ptr&) {}});
    Task<void> outer = pool.submit(RunsAnotherWhenItGoes(pool));
    ASSERT_TRUE(eventually([&] { return outer.ready(); }));
    EXPECT_THROW(outer.get(), std::runtime_error);
    ASSERT_TRUE(eventually([&] { return pool.stats().total.failed == 2; }, std::chrono::seconds(5)));
    EXPECT_EQ(pool.stats().total.spawned, 2U);
    EXPECT_EQ(pool.stats().total.completed, 0U);
}

TEST(Stats, BatchStealingNeedsFewerOperations) {
    EXPECT_EQ(jobs_per_steal(1), 1.0);
    EXPECT_GT(jobs_per_steal(32), 4.0);
}

// How far apart the shares of four workers are, as the median of five times 1,000 jobs. The jobs sleep: if they
// computed, the share of a worker would be the share of processor time that other programs leave it.
double spread_of_shares() {
    Pool pool(4);
    std::vector<double> spreads;
    for (int tries = 0; tries < 5; ++tries) {
        const PoolStats before = pool.stats();
        // From within the pool, so that no guest takes part; ready() lets nobody help.
        const Task<void> all = pool.submit([&] {
            pool.scope([&](Scope& scope) {
                for (int i = 0; i < 1000; ++i) scope.spawn([] { std::this_thread::sleep_for(microseconds(100)); });
            });
        });
        EXPECT_TRUE(eventually([&] {
            std::this_thread::sleep_for(milliseconds(1));
            return all.ready();
        }));
        std::vector<double> shares = pool.stats().since(before).shares();
        EXPECT_EQ(shares.back(), 0.0);
        shares.pop_back();
        spreads.push_back(*std::max_element(shares.begin(), shares.end()) -
                          *std::min_element(shares.begin(), shares.end()));
    }
    return median(spreads);
}

// R62: an even load is shared evenly, within 10 points. Where other programs keep a worker from waking for a while it
// is asked again: a pool that shares unevenly does so every time.
TEST(Stats, EvenLoadIsSharedEvenly) {
    double spread = spread_of_shares();
    for (int again = 0; again < 4 && spread >= 0.10; ++again) spread = spread_of_shares();
    RecordProperty("spread_percent", static_cast<int>(spread * 100));
    EXPECT_LT(spread, 0.10);
}

// R62: with more jobs than workers nobody is left without any.
TEST(Stats, NoWorkerStarves) {
    Pool pool(4);
    EXPECT_TRUE(eventually([&] {
        const PoolStats before = pool.stats();
        pool.submit([&] {
                pool.scope([&](Scope& scope) {
                    for (int i = 0; i < 200; ++i) scope.spawn([] { spin_for(microseconds(100)); });
                });
            })
            .get();
        const PoolStats batch = pool.stats().since(before);
        for (const WorkerStats& worker : batch.workers) {
            if (worker.executed() == 0) return false;
        }
        return true;
    }));
}

}  // namespace
}  // namespace quarry
