// queue_capacity, exactly: who waits, who is refused, and what becomes of the callable (R4, R7, R14).
#include <array>
#include <atomic>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

constexpr std::array kAllLanes = {Lane::frame, Lane::background, Lane::io, Lane::host};

PoolOptions two_workers(std::size_t capacity) {
    return PoolOptions{.workers = 2, .io_threads = 2, .queue_capacity = capacity};
}

class CapacityOf : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Jobs, CapacityOf, testing::Values(1, 3, 64, 256, 10'000));

// How many a lane accepts until it refuses one, and whether it stays full.
std::size_t accepted_by(Pool& pool, Lane lane, bool mixed_priorities, std::atomic<std::size_t>& ran) {
    std::size_t accepted = 0;
    const auto try_one = [&] {
        const auto priority = mixed_priorities ? static_cast<Priority>(accepted % kPriorities) : Priority::normal;
        return pool.try_submit([&ran] { ++ran; }, {.lane = lane, .priority = priority}).has_value();
    };
    while (try_one()) ++accepted;
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(try_one());
    return accepted;
}

TEST_P(CapacityOf, EachLaneAcceptsExactlySoManyWhileAllAreBusy) {
    std::atomic<std::size_t> ran{0};
    BusyPool busy(two_workers(GetParam()), BusyPool::Io::busy);
    std::size_t accepted = 0;
    // The second time it shows whether all room was given back, and no more.
    for (const bool mixed_priorities : {false, true, false}) {
        for (const Lane lane : kAllLanes) {
            EXPECT_EQ(accepted_by(busy.pool, lane, mixed_priorities, ran), GetParam())
                << "lane " << static_cast<int>(lane) << (mixed_priorities ? ", mixed priorities" : "");
        }
        accepted += kAllLanes.size() * GetParam();
        busy.run_all_and_occupy_again();
        EXPECT_EQ(ran.load(), accepted) << "R4: what was accepted runs";
    }
}

TEST_P(CapacityOf, ManyThreadsTogetherGetExactlySoManyAccepted) {
    std::atomic<std::size_t> accepted{0};
    std::atomic<std::size_t> ran{0};
    BusyPool busy(two_workers(GetParam()));
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&] {
                while (busy.pool.try_submit([&] { ++ran; })) ++accepted;
            });
        }
    }
    EXPECT_EQ(accepted.load(), GetParam());
    busy.run_all_and_occupy_again();
    EXPECT_EQ(ran.load(), GetParam());
}

// R5, R14: through the smallest of queues, with submitters that have to wait most of the time.
TEST_P(CapacityOf, WaitingSubmittersLoseNothing) {
    std::atomic<int> ran{0};
    Pool pool(two_workers(GetParam()));
    const int each = static_cast<int>(scaled(3000));
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&, thread] {
                for (int i = 0; i < each; ++i) {
                    const auto priority = static_cast<Priority>((i + thread) % kPriorities);
                    pool.submit([&] { ++ran; },
                                {.lane = kAllLanes[static_cast<std::size_t>(i % 3)], .priority = priority});
                }
            });
        }
    }
    EXPECT_TRUE(eventually([&] { return ran == 4 * each; }));
}

// Records what happens to it.
struct Traveller {
    explicit Traveller(std::atomic<int>& count) : moves(&count) {}
    Traveller(Traveller&& other) noexcept : moves(std::exchange(other.moves, nullptr)) { ++*moves; }
    Traveller& operator=(Traveller&&) = delete;
    int operator()() const { return 7; }

    std::atomic<int>* moves;
};

TEST(Capacity, RefusedCallableIsNotMovedFrom) {
    for (const Lane lane : kAllLanes) {
        std::atomic<int> moves{0};
        BusyPool busy(two_workers(1), BusyPool::Io::busy);
        Traveller traveller(moves);
        ASSERT_TRUE(busy.pool.try_submit([] {}, {.lane = lane}));
        EXPECT_FALSE(busy.pool.try_submit(std::move(traveller), {.lane = lane}));
        EXPECT_EQ(moves.load(), 0);
        ASSERT_NE(traveller.moves, nullptr);  // NOLINT(bugprone-use-after-move): that is the question
        busy.run_all_and_occupy_again();
        std::optional<Task<int>> task = busy.pool.try_submit(std::move(traveller), {.lane = lane});
        ASSERT_TRUE(task);
        EXPECT_EQ(moves.load(), 1);
        EXPECT_EQ(task->get(), 7);
    }
}

struct ThrowsWhenMoved {
    ThrowsWhenMoved() = default;
    ThrowsWhenMoved(ThrowsWhenMoved&&) { throw std::runtime_error("move"); }  // NOLINT(*-noexcept-move-constructor)
    ThrowsWhenMoved(const ThrowsWhenMoved&) { throw std::runtime_error("copy"); }
    ThrowsWhenMoved& operator=(const ThrowsWhenMoved&) = delete;
    void operator()() const {}
};

TEST(Capacity, CallableThatThrowsWhileItIsTakenGivesItsRoomBack) {
    for (const Lane lane : kAllLanes) {
        std::atomic<std::size_t> ran{0};
        BusyPool busy(two_workers(3), BusyPool::Io::busy);
        const ThrowsWhenMoved kept;
        for (int i = 0; i < 10; ++i) {
            EXPECT_THROW(busy.pool.try_submit(ThrowsWhenMoved(), {.lane = lane}), std::runtime_error);
            EXPECT_THROW(busy.pool.submit(kept, {.lane = lane, .priority = Priority::high}), std::runtime_error);
        }
        EXPECT_EQ(accepted_by(busy.pool, lane, true, ran), 3U);
        EXPECT_EQ(busy.pool.stats().total.spawned, 4U + 3U) << "what was never made does not count";
    }
}

TEST(Capacity, RoomThatIsGivenBackGoesToWhoWaits) {
    std::atomic<bool> moving{false};
    std::atomic<bool> go_on{false};
    std::atomic<bool> accepted{false};
    BusyPool busy(two_workers(1));
    // Holds the only room until it throws.
    struct SlowToThrow {
        SlowToThrow(std::atomic<bool>& in, std::atomic<bool>& out) : moving(&in), go_on(&out) {}
        SlowToThrow(const SlowToThrow& other) : moving(other.moving), go_on(other.go_on) {
            *moving = true;
            while (!*go_on) std::this_thread::yield();
            throw std::runtime_error("copy");
        }
        SlowToThrow& operator=(const SlowToThrow&) = delete;
        void operator()() const {}
        std::atomic<bool>* moving;
        std::atomic<bool>* go_on;
    };
    std::jthread thrower([&] {
        const SlowToThrow callable(moving, go_on);
        EXPECT_THROW(busy.pool.submit(callable), std::runtime_error);
    });
    ASSERT_TRUE(eventually([&] { return moving.load(); }));
    std::jthread waiter([&] {
        busy.pool.submit([] {});
        accepted = true;
    });
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_FALSE(accepted.load());
    go_on = true;
    EXPECT_TRUE(eventually([&] { return accepted.load(); }));
}

// Also beyond the capacity, in every lane and at every priority: the worker that would make room may be this one.
TEST(Capacity, WorkerNeverWaitsAndIsNeverRefused) {
    for (const int workers : {1, 2, 8}) {
        std::atomic<int> ran{0};
        Pool pool(PoolOptions{.workers = workers, .io_threads = 1, .queue_capacity = 2});
        constexpr int kEach = 50;
        for (const Lane from : {Lane::frame, Lane::background, Lane::io}) {
            Task<int> submitter = pool.submit(
                [&] {
                    int accepted = 0;
                    for (int i = 0; i < kEach; ++i) {
                        for (const Lane lane : kAllLanes) {
                            const SubmitOptions options{.lane = lane, .priority = static_cast<Priority>(i % 4)};
                            pool.submit([&] { ++ran; }, options);
                            accepted += pool.try_submit([&] { ++ran; }, options).has_value() ? 1 : 0;
                        }
                    }
                    return accepted;
                },
                {.lane = from});
            ASSERT_TRUE(eventually([&] { return submitter.ready(); }));
            EXPECT_EQ(submitter.get(), 4 * kEach);
        }
        EXPECT_TRUE(eventually([&] {
            pool.run_host_jobs();
            return ran == 3 * 8 * kEach;
        }));
    }
}

// From a job of another pool, and from a scope in a thread outside: submit goes beyond, try_submit is told.
TEST(Capacity, JobOfAnotherPoolDoesNotWaitButIsRefused) {
    std::atomic<int> ran{0};
    BusyPool busy(two_workers(1));
    Pool other(1);
    ASSERT_TRUE(busy.pool.try_submit([] {}));
    const auto inside_a_job = [&] {
        busy.pool.submit([&] { ++ran; });
        EXPECT_FALSE(busy.pool.try_submit([&] { ran += 100; }));
    };
    other.submit(inside_a_job).get();
    other.scope([&](Scope&) { inside_a_job(); });
    busy.pool.scope([&](Scope&) { inside_a_job(); });
    busy.release();
    EXPECT_TRUE(eventually([&] { return ran == 3; }));
}

// Nobody else could make room there.
TEST(Capacity, HostThreadDoesNotWaitForItself) {
    int ran = 0;
    Pool pool(two_workers(2));
    for (int i = 0; i < 5; ++i) pool.submit([&] { ++ran; }, {.lane = Lane::host});
    EXPECT_FALSE(pool.try_submit([&] { ++ran; }, {.lane = Lane::host}));
    EXPECT_EQ(pool.run_host_jobs(), 5U);
    EXPECT_EQ(ran, 5);
    EXPECT_TRUE(pool.try_submit([&] { ++ran; }, {.lane = Lane::host}));
}

// One of those who wait lets the pool's last job end, so that the others leave while the pool goes.
TEST(Capacity, WaitingSubmittersGetAnErrorWhenThePoolIsDestroyed) {
    for (int round = 0; round < static_cast<int>(scaled(200, 5)); ++round) {
        std::latch release(1);
        std::atomic<bool> released{false};
        std::atomic<int> busy{0};
        std::atomic<int> ran{0};
        auto pool = std::make_unique<Pool>(two_workers(1));
        for (int i = 0; i < 2; ++i) {
            pool->submit([&] {
                ++busy;
                release.wait();
            });
            ASSERT_TRUE(eventually([&] { return busy == i + 1; }));
        }
        for (const Lane lane : {Lane::frame, Lane::background}) pool->submit([&] { ++ran; }, {.lane = lane});
        std::atomic<int> about_to_wait{0};
        std::atomic<int> refused{0};
        std::vector<std::jthread> waiters;
        for (int i = 0; i < 4; ++i) {
            waiters.emplace_back([&, i, &target = *pool] {
                ++about_to_wait;
                try {
                    target.submit([&] { ++ran; }, {.lane = i % 2 == 0 ? Lane::frame : Lane::background});
                } catch (const Error&) {
                    ++refused;
                }
                if (!released.exchange(true)) release.count_down();
            });
        }
        ASSERT_TRUE(eventually([&] { return about_to_wait == 4 && all_others_sleep(); }));
        pool.reset();
        EXPECT_EQ(ran.load(), 2);
        waiters.clear();
        EXPECT_EQ(refused.load(), 4);
    }
}

// A job that has ended holds no place, whoever ran it, although no worker has come past its entry.
TEST(Capacity, JobsThatTheirWaiterRanLeaveTheirPlace) {
    for (const Lane lane : {Lane::frame, Lane::background, Lane::io}) {
        for (int level = 0; level < kPriorities; ++level) {
            const SubmitOptions options{.lane = lane, .priority = static_cast<Priority>(level)};
            std::atomic<std::size_t> ran{0};
            BusyPool busy(two_workers(4), BusyPool::Io::busy);
            for (int i = 0; i < 40; ++i) {
                auto task = busy.pool.try_submit([i] { return i; }, options);
                ASSERT_TRUE(task) << "after " << i << " jobs that have ended";
                EXPECT_EQ(task->get(), i);
            }
            EXPECT_EQ(accepted_by(busy.pool, lane, false, ran), 4U);
        }
    }
}

TEST(Capacity, CancelledAndRaisedJobsLeaveTheirPlace) {
    std::atomic<std::size_t> ran{0};
    BusyPool busy(two_workers(4));
    for (int i = 0; i < 40; ++i) {
        auto task = busy.pool.try_submit([] {});
        ASSERT_TRUE(task) << "after " << i << " jobs that have ended";
        if (i % 2 == 0) task->raise(Priority::high);
        if (i % 3 == 0) {
            task->get();
        } else {
            task->cancel();
        }
    }
    EXPECT_EQ(accepted_by(busy.pool, Lane::frame, true, ran), 4U);
}

// What stays keeps its order.
TEST(Capacity, JobsBesideThoseThatEndedKeepTheirOrder) {
    StartOrder order;
    {
        BusyPool busy(PoolOptions{.workers = 1, .queue_capacity = 8});
        std::vector<Task<void>> ended;
        for (int i = 0; i < 8; ++i) {
            Task<void> task = busy.pool.submit([&order, i] { order.note(i); });
            if (i % 2 != 0) ended.push_back(std::move(task));
        }
        for (Task<void>& task : ended) task.cancel();
        for (int i = 8; i < 12; ++i) {
            ASSERT_TRUE(busy.pool.try_submit([&order, i] { order.note(i); }));
        }
        EXPECT_FALSE(busy.pool.try_submit([] {}));
    }
    EXPECT_EQ(order.jobs(), (std::vector<int>{0, 2, 4, 6, 8, 9, 10, 11}));
}

// A thread that waits for room gets that of a job which its waiter has run meanwhile.
TEST(Capacity, RoomOfAJobThatItsWaiterRanGoesToWhoWaits) {
    for (std::size_t round = 0; round < scaled(50); ++round) {
        std::atomic<bool> accepted{false};
        BusyPool busy(two_workers(1));
        Task<int> only = busy.pool.submit([] { return 1; });
        std::jthread waiter([&] {
            busy.pool.submit([] {});
            accepted = true;
        });
        if (round % 2 == 0) std::this_thread::sleep_for(milliseconds(2));
        EXPECT_EQ(only.get(), 1);
        const bool in_time = eventually([&] { return accepted.load(); }, std::chrono::seconds(10));
        busy.release();
        ASSERT_TRUE(in_time);
    }
}

TEST(Capacity, OfNothingIsRefused) {
    EXPECT_THROW(Pool(two_workers(0)), std::invalid_argument);
}

}  // namespace
}  // namespace quarry
