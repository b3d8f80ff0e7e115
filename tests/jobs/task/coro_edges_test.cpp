// Coroutines at the edges: stopped, dropped, between pools, at the end of a pool, misused.
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/coro.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/when_all.hpp"
#include "tests/jobs/bookkeeping.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

struct SetsAtItsEnd {
    std::atomic<bool>& flag;
    ~SetsAtItsEnd() { flag = true; }
};

TEST(CoroStop, RequestedBeforeItsStartItDoesNotStart) {
    Pool pool(1);
    std::stop_source source;
    source.request_stop();
    bool ran = false;
    const auto coroutine = [&]() -> coro<void> {
        ran = true;
        co_return;
    };
    EXPECT_THROW(pool.start(coroutine(), SubmitOptions{.stop_token = source.get_token()}).get(), Cancelled);
    EXPECT_FALSE(ran);
    EXPECT_TRUE(adds_up(pool));
}

TEST(CoroStop, RequestedLaterTheNextHopThrowsAndLocalsAreDestroyed) {
    std::atomic<int> errors{0};
    std::stop_source source;
    std::atomic<bool> cleaned{false};
    std::atomic<int> hops{0};
    Pool pool(PoolOptions{.workers = 2, .on_error = [&](const std::exception_ptr&) { ++errors; }});
    const auto inner = [&]() -> coro<void> {
        const SetsAtItsEnd local{cleaned};
        for (;;) {
            co_await pool.schedule(hops % 2 == 0 ? Lane::background : Lane::frame);
            if (++hops == 10) source.request_stop();
        }
    };
    const auto outer = [&]() -> coro<int> {
        co_await inner();
        co_return 1;
    };
    Task<int> task = pool.start(outer(), SubmitOptions{.stop_token = source.get_token()});
    EXPECT_THROW(task.get(), Cancelled);
    EXPECT_TRUE(cleaned);
    EXPECT_EQ(hops, 10);
    EXPECT_TRUE(adds_up(pool));
    EXPECT_EQ(errors, 0);
}

TEST(CoroStop, AwaitOfATaskThrowsAtOnceWithoutWaitingForIt) {
    BusyPool busy(PoolOptions{.workers = 1});
    Pool pool(1);
    std::stop_source source;
    const auto coroutine = [&](Task<void> never_in_time) -> coro<void> {
        source.request_stop();
        co_await never_in_time;
    };
    Task<void> task = pool.start(coroutine(busy.pool.submit([] {})), SubmitOptions{.stop_token = source.get_token()});
    EXPECT_TRUE(eventually([&] { return task.ready(); }));
    EXPECT_THROW(task.get(), Cancelled);
}

// R20
TEST(CoroDetached, DroppedTaskLetsItRunOnAndItsErrorGoesToOnError) {
    std::mutex mutex;
    std::vector<std::string> messages;
    std::atomic<int> finished{0};
    const auto keep = [&](const std::exception_ptr& error) {
        const std::lock_guard lock(mutex);
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& thrown) {
            messages.emplace_back(thrown.what());
        }
    };
    const auto coroutine = [&](Pool& pool, bool fails) -> coro<void> {
        co_await pool.schedule(Lane::io);
        co_await pool.schedule(Lane::background);
        ++finished;
        if (fails) throw std::runtime_error("nobody asks");
    };
    {
        Pool pool(PoolOptions{.workers = 2, .on_error = keep});
        for (int i = 0; i < 10; ++i) pool.start(coroutine(pool, i % 5 == 0));
    }  // the pool finishes them
    EXPECT_EQ(finished, 10);
    EXPECT_EQ(messages, (std::vector<std::string>{"nobody asks", "nobody asks"}));
}

TEST(CoroPools, GoesOnInItsOwnPoolAfterATaskOfAnother) {
    Pool own(1);
    Pool other(1);
    const auto coroutine = [&](Lane lane) -> coro<bool> {
        co_await own.schedule(lane);
        const int value = co_await other.submit([] {
            spin_for(milliseconds(1));
            return 8;
        });
        co_return value == 8 && Pool::current() == &own&& Pool::current_lane() == lane;
    };
    for (int round = 0; round < 50; ++round) {
        EXPECT_TRUE(own.start(coroutine(round % 2 == 0 ? Lane::frame : Lane::io)).get());
    }
    EXPECT_TRUE(adds_up(own));
    EXPECT_TRUE(adds_up(other));
}

TEST(CoroPools, HopsBetweenPoolsAndEachCountsItsOwn) {
    Pool first(2);
    Pool second(2);
    const auto coroutine = [&]() -> coro<bool> {
        bool right = true;
        for (int i = 0; i < 10; ++i) {
            co_await second.schedule(Lane::frame);
            right = right && Pool::current() == &second;
            co_await first.schedule(Lane::background);
            right = right && Pool::current() == &first;
        }
        co_await second.schedule(Lane::io);
        co_return right;
    };
    Task<bool> waited = first.start(coroutine());
    Task<bool> watched = first.start(coroutine());
    EXPECT_TRUE(waited.get());
    EXPECT_TRUE(eventually([&] { return watched.ready(); }));
    EXPECT_TRUE(watched.get());
    EXPECT_TRUE(adds_up(first));
    EXPECT_TRUE(adds_up(second));
    EXPECT_EQ(first.stats().total.spawned, 2U * 12U);  // Task, start, ten hops
    EXPECT_EQ(second.stats().total.spawned, 2U * 11U);
}

// A waiter may run the last hop while the thread that queued it is still about to wake somebody in that pool.
TEST(CoroPools, PoolMayGoAsSoonAsTheLastCoroutineInItHasEnded) {
    Pool own(2);
    for (int round = 0; round < static_cast<int>(scaled(500)); ++round) {
        auto other = std::make_unique<Pool>(1);
        const auto coroutine = [&]() -> coro<int> {
            co_await other->schedule(Lane::frame);
            co_return round;
        };
        EXPECT_EQ(own.start(coroutine()).get(), round);
        other.reset();
    }
    EXPECT_TRUE(adds_up(own));
}

TEST(CoroPools, PoolWaitsAtItsEndForTheTaskThatItsCoroutineAwaits) {
    std::atomic<bool> finished{false};
    std::atomic<bool> go{false};
    std::atomic<bool> waiting{false};
    Pool other(1);
    const auto coroutine = [&]() -> coro<void> {
        Task<void> slow = other.submit([&] {
            while (!go) std::this_thread::yield();
        });
        waiting = true;
        co_await slow;
        finished = true;
    };
    {
        Pool own(1);
        own.start(coroutine());
        ASSERT_TRUE(eventually([&] { return waiting.load(); }));
        own.submit([&] { go = true; });
    }
    EXPECT_TRUE(finished);
}

TEST(CoroPools, PoolDestroyedOffTheHostsThreadCancelsWhatIsBoundForIt) {
    std::atomic<bool> cleaned{false};
    std::atomic<bool> told{false};
    std::atomic<bool> waiting{false};
    auto pool = std::make_unique<Pool>(1);
    const auto coroutine = [&](Pool& own) -> coro<void> {
        const SetsAtItsEnd local{cleaned};
        waiting = true;
        try {
            co_await own.schedule(Lane::host);
        } catch (const Cancelled&) {
            told = true;
            throw;
        }
    };
    const auto unstarted = []() -> coro<void> { co_return; };
    Task<void> task = pool->start(coroutine(*pool));
    Task<void> never = pool->start(unstarted(), SubmitOptions{.lane = Lane::host});
    ASSERT_TRUE(eventually([&] { return waiting.load(); }));
    std::jthread([&] { pool.reset(); }).join();
    EXPECT_TRUE(told);
    EXPECT_TRUE(cleaned);
    EXPECT_THROW(task.get(), Cancelled);
    EXPECT_THROW(never.get(), Cancelled);
}

// R14: what cannot wait is not refused either.
TEST(CoroCapacity, HopGoesIntoAFullLaneWithoutWaiting) {
    BusyPool busy(PoolOptions{.workers = 1, .queue_capacity = 1});
    ASSERT_TRUE(busy.pool.try_submit([] {}).has_value());
    ASSERT_FALSE(busy.pool.try_submit([] {}).has_value());
    const auto coroutine = [&]() -> coro<int> {
        co_await busy.pool.schedule(Lane::frame);
        co_await busy.pool.schedule(Lane::frame, Priority::low);
        co_return 5;
    };
    EXPECT_EQ(busy.pool.start(coroutine(), SubmitOptions{.lane = Lane::io}).get(), 5);
    busy.release();
    EXPECT_TRUE(adds_up(busy.pool));
}

TEST(CoroMisuse, EmptyOnesAreRefusedInOneLine) {
    Pool pool(1);
    const auto awaits = [](Task<int> task) -> coro<int> { co_return co_await task; };
    EXPECT_THROW(pool.start(awaits({})).get(), Error);
    coro<int> moved = awaits({});
    coro<int> taken = std::move(moved);
    EXPECT_THROW(pool.start(std::move(moved)), Error);  // NOLINT(bugprone-use-after-move): that is the question
    EXPECT_TRUE(taken.valid());
    const auto twice = [&]() -> coro<std::string> {
        coro<void> once = []() -> coro<void> { co_return; }();
        co_await once;
        try {
            co_await once;
        } catch (const Error& error) {
            co_return error.what();
        }
        co_return "";
    };
    EXPECT_EQ(pool.start(twice()).get(), "this coro is empty: it was moved from, awaited or started before");
}

TEST(CoroMisuse, AwaitOfItsOwnTaskIsAnError) {
    std::atomic<bool> set{false};
    Pool pool(1);
    std::optional<Task<int>> own;
    const auto coroutine = [&]() -> coro<int> {
        while (!set) co_await pool.schedule(Lane::frame);
        co_return co_await *own;
    };
    own = pool.start(coroutine());
    Task<int>& task = *own;
    set = true;
    // The await consumed it: the error goes where errors go that nobody asks for.
    EXPECT_TRUE(eventually([&] { return pool.stats().total.failed == 1; }));
    EXPECT_FALSE(task.valid());
}

TEST(CoroMisuse, RefusedHopThrowsAndTheCoroutineIsWhereItWas) {
    Pool pool(PoolOptions{.workers = 1, .io_threads = 0});
    const auto coroutine = [&]() -> coro<int> {
        int refused = 0;
        try {
            co_await pool.schedule(Lane::io);
        } catch (const Error&) {
            refused += Pool::current_lane() == Lane::background;
        }
        try {
            co_await pool.schedule(static_cast<Lane>(9));
        } catch (const std::invalid_argument&) {
            refused += Pool::current_lane() == Lane::background;
        }
        co_return refused;
    };
    EXPECT_EQ(pool.start(coroutine(), SubmitOptions{.lane = Lane::background}).get(), 2);
    EXPECT_TRUE(adds_up(pool));
}

}  // namespace
}  // namespace quarry
