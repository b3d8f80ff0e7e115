#include "quarry/jobs/scope.hpp"

#include <array>
#include <latch>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

class ScopeOn : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, ScopeOn, testing::Values(1, 2, 8));

// R19: borrows locals, joins all, results in the order of spawning.
TEST_P(ScopeOn, BorrowsLocalsAndGivesResultsInSpawnOrder) {
    std::vector<int> input(500);
    std::iota(input.begin(), input.end(), 0);
    std::vector<ScopeResult<int>> results;
    pool.scope([&](Scope& scope) {
        for (const int& value : input) results.push_back(scope.spawn([&value] { return value * 2; }));
    });
    ASSERT_EQ(results.size(), input.size());
    for (std::size_t i = 0; i < input.size(); ++i) EXPECT_EQ(*results[i], input[i] * 2);
}

TEST_P(ScopeOn, ReturnsOnlyWhenAllHasEnded) {
    for (int round = 0; round < 100; ++round) {
        std::atomic<int> ended{0};
        pool.scope([&](Scope& scope) {
            for (int i = 0; i < 8; ++i) {
                scope.spawn([&] {
                    spin_for(microseconds(5));
                    ended.fetch_add(1, std::memory_order_relaxed);
                });
            }
        });
        ASSERT_EQ(ended.load(std::memory_order_relaxed), 8);
    }
}

void spawn_tree(Scope& scope, int depth, std::atomic<int>& nodes) {
    nodes.fetch_add(1, std::memory_order_relaxed);
    if (depth == 0) return;
    for (int i = 0; i < 2; ++i) scope.spawn([&scope, depth, &nodes] { spawn_tree(scope, depth - 1, nodes); });
}

TEST_P(ScopeOn, JobsSpawnIntoTheScopeTheyBelongTo) {
    std::atomic<int> nodes{0};
    pool.scope([&](Scope& scope) { spawn_tree(scope, 12, nodes); });
    EXPECT_EQ(nodes.load(), (1 << 13) - 1);
}

int nested_scopes(Pool& pool, int depth) {
    if (depth == 0) return 1;
    int left = 0;
    int right = 0;
    pool.scope([&](Scope& scope) {
        scope.spawn([&] { left = nested_scopes(pool, depth - 1); });
        scope.spawn([&] { right = nested_scopes(pool, depth - 1); });
    });
    return left + right;
}

TEST_P(ScopeOn, ScopesNest) {
    EXPECT_EQ(nested_scopes(pool, 10), 1024);
}

TEST_P(ScopeOn, PlainThreadsSpawnIntoIt) {
    std::atomic<int> ran{0};
    pool.scope([&](Scope& scope) {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                for (int k = 0; k < 200; ++k) scope.spawn([&] { ran.fetch_add(1, std::memory_order_relaxed); });
            });
        }
    });
    EXPECT_EQ(ran.load(), 800);
    const PoolStats stats = pool.stats();
    EXPECT_EQ(stats.total.spawned, 800U);
    EXPECT_EQ(stats.total.completed, 800U);
}

TEST_P(ScopeOn, JobsOfAnotherPoolSpawnIntoIt) {
    std::atomic<int> ran_here{0};
    Pool other(2);
    pool.scope([&](Scope& scope) {
        other.scope([&](Scope& elsewhere) {
            for (int i = 0; i < 50; ++i) {
                elsewhere.spawn([&] { scope.spawn([&] { ran_here += Pool::current() == &pool ? 1 : 0; }); });
            }
        });
    });
    EXPECT_EQ(ran_here.load(), 50);
}

TEST(Scope, WithNothingInItReturns) {
    Pool pool(2);
    int ran = 0;
    for (int i = 0; i < 1000; ++i) pool.scope([&](Scope&) { ++ran; });
    EXPECT_EQ(ran, 1000);
}

TEST(Scope, TakesClosuresAndResultsOfAnySizeAndAlignment) {
    struct alignas(64) Aligned {
        std::array<std::byte, 64> bytes{};
        bool at_home() const { return reinterpret_cast<std::uintptr_t>(this) % 64 == 0; }
    };
    std::atomic<bool> at_home{false};
    Pool pool(2);
    std::array<int, 300> big{};
    big.fill(1);
    const Aligned aligned;
    ScopeResult<int> sum;
    ScopeResult<std::unique_ptr<std::string>> moved;
    ScopeResult<Aligned> returned;
    pool.scope([&](Scope& scope) {
        sum = scope.spawn([big] { return std::accumulate(big.begin(), big.end(), 0); });
        moved =
            scope.spawn([text = std::make_unique<std::string>("only movable")]() mutable { return std::move(text); });
        scope.spawn([aligned, &at_home] { at_home = aligned.at_home(); });
        returned = scope.spawn([] { return Aligned{}; });
    });
    EXPECT_EQ(*sum, 300);
    EXPECT_EQ(**moved, "only movable");
    EXPECT_TRUE(at_home);
    ASSERT_TRUE(returned.has_value());
    EXPECT_TRUE(returned->at_home());
}

TEST(Scope, ResultsOutliveScopeAndPool) {
    std::vector<ScopeResult<std::string>> results;
    {
        Pool pool(2);
        pool.scope([&](Scope& scope) {
            for (int i = 0; i < 300; ++i) results.push_back(scope.spawn([i] { return std::to_string(i); }));
        });
    }
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].value(), std::to_string(i));
    ScopeResult<std::string> taken = std::move(results[7]);
    EXPECT_EQ(*taken, "7");
    EXPECT_FALSE(results[7].has_value());
    EXPECT_THROW(static_cast<void>(results[7].value()), std::bad_optional_access);
}

// A closure or a result may refer to the scope's locals until its very end.
TEST(Scope, NothingOfItsJobsIsLeftWhenItReturns) {
    struct Visitor {
        std::atomic<int>* alive;
        explicit Visitor(std::atomic<int>& count) : alive(&count) { ++*alive; }
        Visitor(const Visitor& other) : alive(other.alive) { ++*alive; }
        Visitor& operator=(const Visitor&) = delete;
        ~Visitor() { --*alive; }
    };
    for (const int workers : {1, 2, 4}) {
        Pool pool(workers);
        for (int round = 0; round < 200; ++round) {
            std::atomic<int> alive{0};
            pool.scope([&](Scope& scope) {
                for (int i = 0; i < 20; ++i) {
                    scope.spawn([visitor = Visitor(alive)] {});
                    scope.spawn([&] { return Visitor(alive); });
                }
            });
            ASSERT_EQ(alive.load(), 0) << "round " << round << ", " << workers << " workers";
        }
    }
}

TEST(Scope, BeyondTheCapacityTheCallerRunsTheJobAtOnce) {
    std::latch started(1);
    std::atomic<bool> go{false};
    std::atomic<int> ran{0};
    Pool pool(PoolOptions{.workers = 1, .queue_capacity = 4});
    pool.submit([&] {
        started.count_down();
        while (!go) std::this_thread::yield();
    });
    started.wait();
    int here = 0;
    pool.scope([&](Scope& scope) {
        const auto me = std::this_thread::get_id();
        for (int i = 0; i < 10; ++i) {
            scope.spawn([&, me] { ran += std::this_thread::get_id() == me ? 1 : 0; });
            here = ran.load();
        }
        EXPECT_EQ(here, 6) << "4 wait in the queue, the worker being busy";
    });
    go = true;
    EXPECT_EQ(ran.load(), 10) << "the waiting caller takes its jobs back";
    EXPECT_EQ(pool.stats().guests.run_inline, 6U);
}

// Such a job is a plain call, but one that counts, fails and is cancelled as any other.
TEST(Scope, JobThatRunsAtOnceIsCountedAndItsErrorKeepsItsIndex) {
    BusyPool busy(PoolOptions{.workers = 1, .queue_capacity = 1});
    Pool& pool = busy.pool;
    const PoolStats before = pool.stats();
    std::vector<JobError> errors;
    std::stop_source stop;
    int ran = 0;
    pool.scope(
        [&](Scope& scope) {
            scope.spawn([&] { ++ran; });  // fills the queue
            for (int i = 1; i < 10; ++i) {
                scope.spawn([&, i] {
                    ++ran;
                    if (i == 4) throw std::runtime_error("four");
                    if (i == 7) scope.spawn([] { throw std::runtime_error("within seven"); });
                });
            }
            stop.request_stop();
            scope.spawn([&] { ++ran; });
        },
        ScopeOptions{.stop_token = stop.get_token(), .errors = &errors});
    EXPECT_EQ(ran, 9) << "the queued one and the last are cancelled";
    ASSERT_EQ(errors.size(), 2U);
    EXPECT_EQ(errors[0].index, 4U);
    EXPECT_EQ(errors[1].index, 8U) << "the eighth that this thread spawned is the one within the seventh";
    const PoolStats batch = pool.stats().since(before);
    EXPECT_EQ(batch.total.spawned, 12U);
    EXPECT_EQ(batch.total.completed, 8U);
    EXPECT_EQ(batch.total.failed, 2U);
    EXPECT_EQ(batch.total.cancelled, 2U);
}

TEST(Scope, CallableWhoseCopyThrowsIsNoJobWhereItWouldRunAtOnce) {
    struct Fragile {
        Fragile() = default;
        Fragile(const Fragile&) { throw std::runtime_error("copied"); }
        Fragile& operator=(const Fragile&) = delete;
        ~Fragile() = default;
        void operator()() const {}
    };
    BusyPool busy(PoolOptions{.workers = 1, .queue_capacity = 1});
    Pool& pool = busy.pool;
    const PoolStats before = pool.stats();
    std::vector<JobError> errors;
    const Fragile fragile;
    pool.scope(
        [&](Scope& scope) {
            scope.spawn([] {});
            EXPECT_THROW(scope.spawn(fragile), std::runtime_error);
            scope.spawn([] { throw std::runtime_error("ran"); });
        },
        ScopeOptions{.errors = &errors});
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].index, 1U);
    EXPECT_EQ(pool.stats().since(before).total.spawned, 2U);
}

// R4
TEST(Scope, CapacityOfOneLosesNothing) {
    for (const int workers : {1, 2, 8}) {
        std::atomic<int> nodes{0};
        std::atomic<int> tasks{0};
        Pool pool(PoolOptions{.workers = workers, .queue_capacity = 1});
        pool.scope([&](Scope& scope) {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 3; ++i) {
                threads.emplace_back([&] {
                    for (int k = 0; k < 100; ++k) scope.spawn([&] { spawn_tree(scope, 3, nodes); });
                });
            }
            for (int i = 0; i < 100; ++i) {
                scope.spawn([&] { pool.submit([&] { ++tasks; }); });
                spawn_tree(scope, 3, nodes);
            }
        });
        EXPECT_EQ(nodes.load(), 400 * 15);
        EXPECT_TRUE(eventually([&] { return tasks == 100; }));
    }
}

TEST(Scope, ChainOfJobsThatSpawnTheNextOneKeepsTheStackFlat) {
    struct Chain {
        static void link(Scope& scope, std::atomic<int>& links, int left) {
            ++links;
            if (left > 0) scope.spawn([&scope, &links, left] { link(scope, links, left - 1); });
        }
    };
    std::atomic<int> links{0};
    Pool pool(PoolOptions{.workers = 2, .queue_capacity = 1});
    const auto length = static_cast<int>(scaled(200'000));
    pool.scope([&](Scope& scope) { Chain::link(scope, links, length); });
    EXPECT_EQ(links.load(), length + 1);
}

TEST(Scope, StopTokenCancelsWhatHasNotStarted) {
    for (const int workers : {1, 4}) {
        std::stop_source stop;
        std::atomic<int> ran{0};
        std::vector<ScopeResult<int>> results;
        Pool pool(workers);
        const PoolStats before = pool.stats();
        pool.scope(
            [&](Scope& scope) {
                for (int i = 0; i < 100; ++i) results.push_back(scope.spawn([&] { return ++ran; }));
                stop.request_stop();
                for (int i = 0; i < 100; ++i) results.push_back(scope.spawn([&] { return ++ran; }));
            },
            ScopeOptions{.stop_token = stop.get_token()});
        EXPECT_LE(ran.load(), 100);
        const PoolStats batch = pool.stats().since(before);
        EXPECT_EQ(batch.total.completed, static_cast<std::uint64_t>(ran.load()));
        EXPECT_EQ(batch.total.cancelled, static_cast<std::uint64_t>(200 - ran.load()));
        std::size_t values = 0;
        for (const auto& result : results) values += result.has_value() ? 1 : 0;
        EXPECT_EQ(values, static_cast<std::size_t>(ran.load()));
        for (std::size_t i = 100; i < 200; ++i) EXPECT_FALSE(results[i].has_value());
    }
}

}  // namespace
}  // namespace quarry
