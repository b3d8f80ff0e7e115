#include "quarry/jobs/coro.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/when_all.hpp"
#include "tests/jobs/bookkeeping.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// Clang 14 keeps the result of std::this_thread::get_id() across a co_await: for it a function stays on one thread.
[[gnu::noinline]] std::thread::id this_thread() {
    asm volatile("");
    return std::this_thread::get_id();
}

// Runs the host's jobs until the task has ended.
template <class R>
[[nodiscard]] bool pump_until_ready(Pool& pool, const Task<R>& task) {
    return eventually([&] {
        pool.run_host_jobs();
        return task.ready();
    });
}

struct CountsItsEnd {
    explicit CountsItsEnd(int& count) : ends(&count) {}
    CountsItsEnd(CountsItsEnd&& other) noexcept : ends(std::exchange(other.ends, nullptr)) {}
    CountsItsEnd& operator=(CountsItsEnd&&) = delete;
    ~CountsItsEnd() {
        if (ends != nullptr) ++*ends;
    }
    int* ends;
};

coro<int> number(int value) {
    co_return value;
}

coro<int> sum_of_hops(Pool& pool, std::vector<Lane> lanes) {
    int right = 0;
    for (const Lane lane : lanes) {
        co_await pool.schedule(lane);
        right += Pool::current_lane() == lane && Pool::current() == &pool;
    }
    co_return right;
}

TEST(Coro, DoesNothingUntilItIsStarted) {
    bool ran = false;
    int ends = 0;
    const auto coroutine = [](bool& flag, CountsItsEnd) -> coro<void> {
        flag = true;
        co_return;
    };
    {
        coro<void> dropped = coroutine(ran, CountsItsEnd(ends));
        EXPECT_TRUE(dropped.valid());
        EXPECT_EQ(ends, 0);
    }
    EXPECT_EQ(ends, 1);
    EXPECT_FALSE(ran);
    Pool pool(1);
    pool.start(coroutine(ran, CountsItsEnd(ends))).get();
    EXPECT_TRUE(ran);
    EXPECT_EQ(ends, 2);  // its frame is gone when its Task has ended
}

TEST(Coro, GivesValuesOfEveryKindAndNone) {
    Pool pool(2);
    EXPECT_EQ(pool.start(number(4)).get(), 4);
    EXPECT_EQ(*pool.start([]() -> coro<std::unique_ptr<int>> { co_return std::make_unique<int>(7); }()).get(), 7);
    EXPECT_EQ(pool.start([]() -> coro<std::string> { co_return std::string(100, 'x'); }()).get(),
              std::string(100, 'x'));
    EXPECT_NO_THROW(pool.start([]() -> coro<> { co_return; }()).get());
    EXPECT_TRUE(adds_up(pool));
}

TEST(Coro, GoesOnInTheLaneItNames) {
    Pool pool(PoolOptions{.workers = 2, .reserved_for_frame = 1});
    Task<int> task =
        pool.start(sum_of_hops(pool, {Lane::background, Lane::io, Lane::frame, Lane::io, Lane::background}),
                   SubmitOptions{.lane = Lane::io});
    EXPECT_EQ(task.get(), 5);
    EXPECT_TRUE(adds_up(pool));
    // The Task, the start and five hops.
    EXPECT_EQ(pool.stats().total.spawned, 7U);
}

TEST(Coro, GoesOnOnTheHostsThreadWhenThatPumps) {
    std::atomic<bool> arrived{false};
    Pool pool(2);
    const auto logic = [&]() -> coro<std::thread::id> {
        co_await pool.schedule(Lane::background);
        arrived = true;
        co_await pool.schedule(Lane::host);
        const std::thread::id host = this_thread();
        co_await pool.schedule(Lane::frame);
        co_return host;
    };
    Task<std::thread::id> task = pool.start(logic());
    ASSERT_TRUE(eventually([&] { return arrived.load(); }));
    EXPECT_FALSE(task.ready());
    ASSERT_TRUE(pump_until_ready(pool, task));
    EXPECT_EQ(task.get(), this_thread());
    // A wait on the host's thread runs them itself.
    EXPECT_EQ(pool.start(sum_of_hops(pool, {Lane::host, Lane::frame, Lane::host})).get(), 3);
}

TEST(Coro, HopTakesThePriorityItAsksFor) {
    Pool pool(1);
    const auto ask = [&]() -> coro<Priority> {
        co_await pool.schedule(Lane::frame, Priority::high);
        co_return Pool::current_priority();
    };
    EXPECT_EQ(pool.start(ask()).get(), Priority::high);
}

TEST(Coro, GoesOnWhereItWasAfterATask) {
    Pool pool(2);
    const auto logic = [&](Lane lane) -> coro<bool> {
        co_await pool.schedule(lane);
        Task<std::string> task = pool.submit([] {
            spin_for(milliseconds(2));
            return std::string(50, 'y');
        });
        const std::string text = co_await task;
        EXPECT_FALSE(task.valid());
        co_return Pool::current_lane() == lane&& text == std::string(50, 'y');
    };
    for (const Lane lane : {Lane::frame, Lane::background, Lane::io}) EXPECT_TRUE(pool.start(logic(lane)).get());
    Task<bool> on_host = pool.start(logic(Lane::host));
    EXPECT_TRUE(pump_until_ready(pool, on_host));
    EXPECT_TRUE(on_host.get());
    EXPECT_TRUE(adds_up(pool));
}

TEST(Coro, DoesNotStopForATaskThatHasEnded) {
    Pool pool(1);
    Task<int> ended = pool.submit([] { return 3; });
    ended.wait();
    const std::uint64_t before = pool.stats().total.spawned;
    EXPECT_EQ(pool.start([](Task<int> task) -> coro<int> { co_return co_await task; }(std::move(ended))).get(), 3);
    EXPECT_EQ(pool.stats().total.spawned, before + 2);  // the Task and the start
}

// R26
TEST(Coro, ErrorsArriveWhereTheyAreAwaited) {
    Pool pool(2);
    const auto fails = [&](Lane lane) -> coro<int> {
        co_await pool.schedule(lane);
        throw std::runtime_error("on purpose");
    };
    const auto passes_on = [&](Lane lane) -> coro<int> { co_return co_await fails(lane) + 1; };
    const auto catches = [&](Lane lane) -> coro<std::string> {
        try {
            co_await passes_on(lane);
        } catch (const std::runtime_error& error) {
            co_return error.what();
        }
        co_return "";
    };
    EXPECT_EQ(pool.start(catches(Lane::io)).get(), "on purpose");
    EXPECT_THROW(pool.start(passes_on(Lane::background)).get(), std::runtime_error);
    const auto awaits_task = [&]() -> coro<int> {
        co_return co_await pool.submit([]() -> int { throw std::out_of_range("task"); });
    };
    EXPECT_THROW(pool.start(awaits_task()).get(), std::out_of_range);
    EXPECT_TRUE(adds_up(pool));
    EXPECT_EQ(pool.stats().total.failed, 3U);
}

TEST(Coro, CancelledTaskMakesTheCoroutineCancelledUnlessItCatches) {
    BusyPool busy(PoolOptions{.workers = 1});
    const auto awaits = [](Task<int> task) -> coro<int> { co_return co_await task; };
    Task<int> cancelled = busy.pool.submit([] { return 1; });
    ASSERT_TRUE(cancelled.cancel());
    Task<int> coroutine = busy.pool.start(awaits(std::move(cancelled)));
    EXPECT_THROW(coroutine.get(), Cancelled);
    busy.release();
    EXPECT_TRUE(adds_up(busy.pool));
}

// 10^6 calls on a stack would need far more than the 8 MiB that a thread has.
TEST(Coro, AMillionAwaitsInARowNeedNoStack) {
    Pool pool(1);
    const auto loop = [](int count) -> coro<std::int64_t> {
        std::int64_t sum = 0;
        for (int i = 0; i < count; ++i) sum += co_await number(i);
        co_return sum;
    };
    const auto count = static_cast<std::int64_t>(scaled(1'000'000, 2));
    EXPECT_EQ(pool.start(loop(static_cast<int>(count)), SubmitOptions{.lane = Lane::io}).get(),
              count * (count - 1) / 2);
}

coro<int> nested(int depth) {
    if (depth == 0) co_return 0;
    co_return 1 + co_await nested(depth - 1);
}

coro<int> nested_failure(int depth) {
    if (depth == 0) throw std::runtime_error("at the bottom");
    co_return 1 + co_await nested_failure(depth - 1);
}

TEST(Coro, AMillionNestedAwaitsNeedNoStack) {
    Pool pool(1);
    const auto depth = static_cast<int>(scaled(1'000'000, 2));
    EXPECT_EQ(pool.start(nested(depth)).get(), depth);
    EXPECT_THROW(pool.start(nested_failure(static_cast<int>(scaled(100'000)))).get(), std::runtime_error);
}

// The only worker waits within a job: it has to run every hop, and what the coroutine waits for, itself.
TEST(Coro, WaitOfTheOnlyWorkerRunsEveryHop) {
    Pool pool(PoolOptions{.workers = 1, .io_threads = 1});
    const auto logic = [&]() -> coro<int> {
        // GCC 12 cannot compile a braced list within the awaited expression.
        std::vector<Lane> lanes{Lane::frame, Lane::background, Lane::io, Lane::frame};
        int sum = co_await sum_of_hops(pool, std::move(lanes));
        sum += co_await pool.submit([] { return 10; });
        auto [a, b] = co_await when_all(pool.start(number(100)), pool.submit([] { return 1000; }));
        co_await pool.schedule(Lane::frame, Priority::low);
        co_return sum + a + b;
    };
    for (int round = 0; round < 200; ++round) {
        EXPECT_EQ(pool.submit([&] { return pool.start(logic()).get(); }).get(), 1114);
    }
    EXPECT_TRUE(adds_up(pool));
}

TEST(Coro, WaitFromOutsideRunsEveryHopWhileAllWorkersAreBusy) {
    BusyPool busy(PoolOptions{.workers = 2});
    const std::thread::id me = this_thread();
    const auto logic = [&]() -> coro<bool> {
        co_await busy.pool.schedule(Lane::background);
        const bool first = this_thread() == me;
        co_await busy.pool.submit([] {});
        co_await busy.pool.schedule(Lane::host);
        co_return first&& this_thread() == me;
    };
    EXPECT_TRUE(busy.pool.start(logic()).get());
}

TEST(Coro, TaskOfACoroutineHasEveryVerb) {
    Pool pool(2);
    EXPECT_EQ(pool.start(number(1)).then([](int value) { return value + 1; }).get(), 2);
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 100; ++i) tasks.push_back(pool.start(sum_of_hops(pool, {Lane::background, Lane::frame})));
    const std::vector<int> values = when_all(std::move(tasks)).get();
    EXPECT_EQ(values, std::vector<int>(100, 2));
    const auto outer = [&]() -> coro<int> { co_return co_await pool.start(number(5)) + 1; };
    EXPECT_EQ(pool.start(outer()).get(), 6);
    EXPECT_TRUE(adds_up(pool));
}

TEST(Coro, CancelBeforeItsStartDestroysItAndAfterwardsIsTooLate) {
    int ends = 0;
    {
        BusyPool busy(PoolOptions{.workers = 1});
        const auto coroutine = [](CountsItsEnd) -> coro<void> { co_return; };
        Task<void> task = busy.pool.start(coroutine(CountsItsEnd(ends)));
        EXPECT_TRUE(task.cancel());
        EXPECT_EQ(ends, 1);
        EXPECT_THROW(task.get(), Cancelled);
        busy.release();
        EXPECT_TRUE(adds_up(busy.pool));
        EXPECT_EQ(busy.pool.stats().total.cancelled, 2U);  // the Task and its start
    }
    std::atomic<bool> started{false};
    Pool pool(1);
    const auto hops = [&]() -> coro<void> { co_await pool.schedule(Lane::host); };
    const auto started_hops = [&]() -> coro<void> {
        started = true;
        co_await hops();
    };
    Task<void> task = pool.start(started_hops());
    ASSERT_TRUE(eventually([&] { return started.load(); }));
    EXPECT_FALSE(task.cancel());
    EXPECT_FALSE(task.raise(Priority::urgent));
    EXPECT_NO_THROW(task.get());
}

TEST(Coro, RaisedBeforeItsStartItStartsEarlier) {
    BusyPool busy(PoolOptions{.workers = 1});
    std::vector<int> order;
    Task<void> plain = busy.pool.submit([&] { order.push_back(1); });
    const auto coroutine = [&]() -> coro<void> {
        order.push_back(2);
        co_return;
    };
    Task<void> raised = busy.pool.start(coroutine());
    EXPECT_TRUE(raised.raise(Priority::urgent));
    busy.release();
    ASSERT_TRUE(eventually([&] { return plain.ready() && raised.ready(); }));
    EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

}  // namespace
}  // namespace quarry
