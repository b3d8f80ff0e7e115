// Task::then: what it is given, where it runs, and that no chain of it is too long or too awkward to wait for.
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/when_all.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

class ThenOn : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, ThenOn, testing::Values(1, 2, 8));

TEST_P(ThenOn, GetsTheValue) {
    Task<std::string> task =
        pool.submit([] { return 20; }).then([](int value) { return value + 1; }).then([](int value) {
            return std::to_string(value);
        });
    EXPECT_EQ(task.get(), "21");
}

TEST_P(ThenOn, OfVoidGetsNothingAndMayReturnNothing) {
    std::atomic<int> ran{0};
    Task<void> task = pool.submit([&] { ++ran; }).then([&] { ++ran; }).then([&] { ++ran; });
    task.get();
    EXPECT_EQ(ran.load(), 3);
}

TEST_P(ThenOn, MovesValuesThatCanOnlyBeMoved) {
    auto kept = std::make_unique<int>(4);
    Task<std::unique_ptr<int>> task =
        pool.submit([] { return std::make_unique<int>(3); }).then([kept = std::move(kept)](std::unique_ptr<int> value) {
            *value += *kept;
            return value;
        });
    EXPECT_EQ(*task.get(), 7);
}

TEST_P(ThenOn, ErrorPassesThroughWithoutACall) {
    std::atomic<int> called{0};
    Task<int> task = pool.submit([]() -> int { throw std::runtime_error("first"); })
                         .then([&](int) { return ++called; })
                         .then([&](int) { return ++called; });
    EXPECT_THROW(task.get(), std::runtime_error);
    EXPECT_EQ(called.load(), 0);
    EXPECT_EQ(pool.stats().total.failed, 3U);
}

TEST_P(ThenOn, ThatThrowsFailsItself) {
    Task<void> task = pool.submit([] { return 1; }).then([](int) { throw std::out_of_range("second"); });
    EXPECT_THROW(task.get(), std::out_of_range);
    const WorkerStats total = pool.stats().total;
    EXPECT_EQ(total.completed, 1U);
    EXPECT_EQ(total.failed, 1U);
}

TEST_P(ThenOn, RunsAlsoWhenTheJobHasEndedLongAgo) {
    Task<int> task = pool.submit([] { return 1; });
    task.wait();
    Task<int> next = std::move(task).then([](int value) { return value + 1; });
    EXPECT_FALSE(task.valid());  // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(std::move(task).then([](int) {}), Error);
    EXPECT_EQ(next.get(), 2);
}

TEST_P(ThenOn, RunsWhenEverybodyHasForgottenIt) {
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) {
        pool.submit([] { return 1; }).then([&](int value) { ran += value; }).then([&] { ++ran; });
    }
    EXPECT_TRUE(eventually([&] { return ran == 200; }));
}

TEST_P(ThenOn, StaysInTheLaneAndAtThePriority) {
    for (const Lane lane : {Lane::frame, Lane::background, Lane::io, Lane::host}) {
        for (const Priority priority : {Priority::low, Priority::normal, Priority::urgent}) {
            const auto look = [] { return std::pair(Pool::current_lane(), Pool::current_priority()); };
            auto task = pool.submit([] {}, {.lane = lane, .priority = priority}).then(look);
            ASSERT_TRUE(eventually([&] {
                pool.run_host_jobs();
                return task.ready();
            }));
            EXPECT_EQ(task.get(), std::pair(lane, priority));
        }
    }
}

TEST(Then, OfATaskWhosePoolHasEndedIsAnErrorAndKeepsTheTask) {
    Task<int> task;
    {
        Pool pool(1);
        task = pool.submit([] { return 9; });
    }
    EXPECT_THROW(std::move(task).then([](int value) { return value; }), Error);
    EXPECT_TRUE(task.valid());  // NOLINT(bugprone-use-after-move): that is the question
    EXPECT_EQ(task.get(), 9);
}

// Whichever comes first: the continuation is refused, or it runs.
TEST(Then, RacesWithTheEndOfThePool) {
    for (int round = 0; round < static_cast<int>(scaled(3000)); ++round) {
        auto pool = std::make_unique<Pool>(1);
        Task<int> task = pool->submit([=] { return round; });
        task.wait();
        std::atomic<bool> ready{false};
        std::jthread user([&] {
            ready = true;
            spin_for(microseconds(round % 200));  // meets every moment of the end
            try {
                EXPECT_EQ(std::move(task).then([](int value) { return value + 1; }).get(), round + 1);
            } catch (const Error&) {
                EXPECT_EQ(task.get(), round);
            }
        });
        while (!ready) std::this_thread::yield();
        pool.reset();
    }
}

TEST(Then, CallableThatThrowsWhileItIsTakenLeavesTheTaskAsItWas) {
    struct ThrowsWhenCopied {
        ThrowsWhenCopied() = default;
        ThrowsWhenCopied(const ThrowsWhenCopied&) { throw std::runtime_error("copy"); }
        ThrowsWhenCopied& operator=(const ThrowsWhenCopied&) = delete;
        void operator()(int) const {}
    };
    Pool pool(1);
    Task<int> task = pool.submit([] { return 1; });
    const ThrowsWhenCopied callable;
    EXPECT_THROW(std::move(task).then(callable), std::runtime_error);
    EXPECT_TRUE(task.valid());  // NOLINT(bugprone-use-after-move): that is the question
    EXPECT_EQ(task.get(), 1);
    EXPECT_EQ(pool.stats().total.spawned, 1U);
}

constexpr int kLongChain = static_cast<int>(scaled(1'000'000, 20));

Task<int> long_chain(Pool& pool, int links) {
    Task<int> task = pool.submit([] { return 0; });
    for (int i = 0; i < links; ++i) task = std::move(task).then([](int value) { return value + 1; });
    return task;
}

// Bounded stack: each link runs after the one before, not inside it.
TEST_P(ThenOn, MillionLinksBuiltOutside) {
    Task<int> task = long_chain(pool, kLongChain);
    const auto start = Clock::now();
    EXPECT_EQ(task.get(), kLongChain);
    EXPECT_LT(seconds_since(start), 20);
}

TEST_P(ThenOn, MillionLinksBuiltBeforeTheFirstRuns) {
    std::atomic<bool> go{false};
    Task<void> first = pool.submit([&] {
        while (!go) std::this_thread::yield();
    });
    Task<int> task = std::move(first).then([] { return 0; });
    for (int i = 0; i < kLongChain; ++i) task = std::move(task).then([](int value) { return value + 1; });
    go = true;
    EXPECT_TRUE(eventually([&] { return task.ready(); }));
    EXPECT_EQ(task.get(), kLongChain);
}

TEST_P(ThenOn, MillionLinksBuiltAndWaitedForInsideAJob) {
    EXPECT_EQ(run_inside(pool, [&] { return long_chain(pool, kLongChain).get(); }), kLongChain);
}

TEST_P(ThenOn, MillionLinksAfterAnErrorOrACancelledJob) {
    std::atomic<bool> go{false};
    const auto hold = [&] {
        while (!go) std::this_thread::yield();
        throw std::runtime_error("first");
    };
    Task<void> failing = pool.submit(hold);
    for (int i = 0; i < kLongChain / 10; ++i) failing = std::move(failing).then([] {});
    go = true;
    EXPECT_THROW(failing.get(), std::runtime_error);
    BusyPool busy(PoolOptions{.workers = GetParam()});
    Task<void> given_up = busy.pool.submit([] {});
    ASSERT_TRUE(given_up.cancel());
    for (int i = 0; i < kLongChain / 10; ++i) given_up = std::move(given_up).then([] {});
    busy.release();
    EXPECT_THROW(given_up.get(), Cancelled);
}

// Nobody else can run it: the waiter goes back along the chain and runs what has not started.
TEST(Then, WaiterRunsTheChainThatSitsInItsOwnQueue) {
    for (const bool lifo_slot : {true, false}) {
        for (const Priority priority : {Priority::low, Priority::normal, Priority::urgent}) {
            Pool pool(PoolOptions{.workers = 1, .lifo_slot = lifo_slot});
            Task<int> outer = pool.submit([&] {
                Task<int> hidden = pool.submit([] { return 1; }, {.priority = priority});
                for (int i = 0; i < 10; ++i) pool.submit([] {});
                Task<int> last = std::move(hidden).then([](int value) { return value + 1; }).then([](int value) {
                    return value + 1;
                });
                return last.get();
            });
            ASSERT_TRUE(eventually([&] { return outer.ready(); }));
            EXPECT_EQ(outer.get(), 3);
        }
    }
}

TEST(Then, WaiterRunsWhatIsHiddenBehindWhenAll) {
    Pool pool(1);
    Task<int> outer = pool.submit([&] {
        std::vector<Task<int>> tasks;
        for (int i = 0; i < 10; ++i) {
            const Lane lane = i % 2 == 0 ? Lane::frame : Lane::background;
            tasks.push_back(pool.submit([i] { return i; }, {.lane = lane}).then([](int value) { return 2 * value; }));
        }
        return when_all(std::move(tasks)).then([](std::vector<int> values) { return values[9]; }).get();
    });
    ASSERT_TRUE(eventually([&] { return outer.ready(); }));
    EXPECT_EQ(outer.get(), 18);
}

// Each job waits for a chain that the next one has to finish: all workers are inside waits.
TEST_P(ThenOn, WaitsInsideWaitsComeBack) {
    struct Nest {
        static int sum(int depth) {
            if (depth == 0) return 1;
            Task<int> left = Pool::current()->submit([depth] { return sum(depth - 1); }).then([](int v) { return v; });
            Task<int> right = Pool::current()->submit([depth] { return sum(depth - 1); });
            return left.get() + std::move(right).then([](int v) { return v; }).get();
        }
    };
    constexpr int kDepth = kSanitized ? 7 : 10;
    EXPECT_EQ(run_inside(pool, [] { return Nest::sum(kDepth); }), 1 << kDepth);
}

}  // namespace
}  // namespace quarry
