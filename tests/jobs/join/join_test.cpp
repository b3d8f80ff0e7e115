#include "quarry/jobs/join.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

std::uint64_t fib(int n) {
    if (n < 2) return static_cast<std::uint64_t>(n);
    const auto [a, b] = join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
    return a + b;
}

class JoinOn : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, JoinOn, testing::Values(1, 2, 8));

TEST_P(JoinOn, GivesWhatTheRecursionGives) {
    const int n = kSanitized ? 16 : 22;
    const std::uint64_t expected = kSanitized ? 987 : 17'711;
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ((pool.join([&] { return fib(n); }, [] { return 0; }).first), expected);
        EXPECT_EQ(pool.submit([&] { return fib(n); }).get(), expected);
    }
}

int one() {
    return 1;
}

TEST(Join, TakesFunctionsPointersToThemAndNamedClosures) {
    Pool pool(2);
    const auto two = [] { return 2; };
    auto counter = [count = 0]() mutable { return ++count; };
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(pool.join(one, one), (std::pair<int, int>(1, 1)));
        EXPECT_EQ(pool.join(&one, two), (std::pair<int, int>(1, 2)));
        EXPECT_EQ(pool.join(two, counter).second, i + 1) << "a named closure is called, not a copy of it";
    }
}

TEST(Join, ReturnsResultsOfAnyKind) {
    Pool pool(2);
    int target = 0;
    for (int i = 0; i < 200; ++i) {
        auto [nothing, text] = pool.join([&] { target = i; }, [&] { return std::make_unique<int>(i); });
        static_assert(std::is_same_v<decltype(nothing), std::monostate>);
        EXPECT_EQ(*text, i);
        auto pair = pool.join([&]() -> int& { return target; }, [&]() -> int& { return target; });
        static_assert(std::is_same_v<decltype(pair), std::pair<int&, int&>>);
        EXPECT_EQ(&pair.first, &target);
        EXPECT_EQ(&pair.second, &target);
    }
}

// The closures that a thief runs give the same results as those that stay at home.
TEST(Join, StolenClosuresGiveResultsOfAnyKind) {
    Pool pool(2);
    int target = 0;
    const PoolStats before = pool.stats();
    // The first closure goes on, and offers the second one, until a thief has started it.
    const auto stolen = [&](auto result) -> decltype(result()) {
        std::atomic<bool> started{false};
        const auto pair = pool.join(
            [&] {
                return eventually([&] {
                    poll_point();
                    return started.load();
                });
            },
            [&]() -> decltype(result()) {
                started = true;
                return result();
            });
        EXPECT_TRUE(pair.first);
        return static_cast<decltype(result())>(std::get<1>(pair));
    };
    EXPECT_EQ(stolen([] { return std::string("stolen"); }), "stolen");
    EXPECT_EQ(&stolen([&]() -> int& { return target; }), &target);
    EXPECT_EQ(*stolen([] { return std::make_shared<int>(7); }), 7);
    EXPECT_EQ(pool.stats().since(before).total.stolen, 3U);
}

TEST(Join, FirstClosureRunsOnTheCallersThread) {
    Pool pool(4);
    const auto me = std::this_thread::get_id();
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(pool.join([] { return std::this_thread::get_id(); }, [] { spin_for(microseconds(1)); }).first, me);
    }
}

TEST(Join, OutsideAnyJobUsesTheSharedPool) {
    EXPECT_EQ(fib(10), 55U);
    EXPECT_EQ(join([] { return Pool::current(); }, [] {}).first, &Pool::shared());
    Pool::stop_shared();
}

TEST(Join, InsideAJobUsesThatJobsPool) {
    Pool pool(2);
    EXPECT_EQ(pool.submit([] { return join([] { return Pool::current(); }, [] {}).first; }).get(), &pool);
}

// A leaf that takes long hides the older closures, unless it offers them.
TEST(Join, PollPointOffersTheOlderClosures) {
    std::atomic<bool> second_ran{false};
    Pool pool(2);
    Task<bool> task = pool.submit([&] {
        // Keep the other worker busy until the outermost join has passed its own poll.
        std::atomic<bool> release{false};
        std::atomic<bool> busy{false};
        auto blocker = Pool::current()->submit([&] {
            busy = true;
            while (!release) std::this_thread::yield();
        });
        EXPECT_TRUE(eventually([&] { return busy.load(); }));
        const bool seen = join(
                              [&] {
                                  release = true;
                                  return eventually([&] {
                                      poll_point();
                                      return second_ran.load();
                                  });
                              },
                              [&] { second_ran = true; })
                              .first;
        blocker.wait();
        return seen;
    });
    ASSERT_TRUE(eventually([&] { return task.ready(); }));
    EXPECT_TRUE(task.get());
}

TEST(Join, PollPointOutsideAnyJobDoesNothing) {
    poll_point();
    EXPECT_EQ(Pool::current(), nullptr);
}

TEST(Join, MixesWithLoopsAndScopes) {
    for (const int workers : {1, 2, 8}) {
        std::atomic<int> sum{0};
        Pool pool(workers);
        const auto add = [&](int) { sum.fetch_add(1, std::memory_order_relaxed); };
        pool.join([&] { parallel_for(pool, 0, 100, [&](int i) { join([&] { add(i); }, [&] { add(i); }); }); },
                  [&] {
                      pool.scope([&](Scope& scope) {
                          for (int i = 0; i < 50; ++i) {
                              scope.spawn([&, i] { join([&] { parallel_for(pool, 0, 10, add); }, [&] { add(i); }); });
                          }
                      });
                  });
        EXPECT_EQ(sum.load(), 200 + 50 * 11);
    }
}

}  // namespace
}  // namespace quarry
