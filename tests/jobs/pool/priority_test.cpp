// The order in which submitted jobs start (R22).
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

constexpr Priority kAll[] = {Priority::low, Priority::normal, Priority::high, Priority::urgent};

// One worker, or one I/O thread, so that the order of the starts is the order of the queue.
PoolOptions one_thread() {
    return PoolOptions{.workers = 1, .io_threads = 1};
}

class PriorityIn : public testing::TestWithParam<Lane> {};
INSTANTIATE_TEST_SUITE_P(Lanes, PriorityIn, testing::Values(Lane::frame, Lane::background, Lane::io));

TEST_P(PriorityIn, JobsStartByPriorityAndInOrderWithinOne) {
    StartOrder order;
    {
        BusyPool busy(one_thread(), BusyPool::Io::busy);
        // Fewer than after how many a low one gets its turn.
        for (int i = 0; i < 10; ++i) {
            for (const Priority priority : kAll) {
                busy.pool.submit([&, i, priority] { order.note(100 * static_cast<int>(priority) + i); },
                                 {.lane = GetParam(), .priority = priority});
            }
        }
    }
    std::vector<int> expected;
    for (const int priority : {3, 2, 1, 0}) {
        for (int i = 0; i < 10; ++i) expected.push_back(100 * priority + i);
    }
    EXPECT_EQ(order.jobs(), expected);
}

TEST_P(PriorityIn, RaisedJobGoesAheadOfWhatWaitsBelow) {
    StartOrder order;
    {
        BusyPool busy(one_thread(), BusyPool::Io::busy);
        std::vector<Task<void>> tasks;
        for (int i = 0; i < 6; ++i) {
            tasks.push_back(busy.pool.submit(
                [&, i] { order.note(i); }, {.lane = GetParam(), .priority = i < 3 ? Priority::normal : Priority::low}));
        }
        EXPECT_TRUE(tasks[2].raise(Priority::high));
        EXPECT_TRUE(tasks[4].raise(Priority::urgent));
        EXPECT_TRUE(tasks[5].raise(Priority::normal)) << "in front of low ones";
        EXPECT_TRUE(tasks[5].raise(Priority::high)) << "a second time";
    }
    EXPECT_EQ(order.jobs(), (std::vector<int>{4, 2, 5, 0, 1, 3}));
}

TEST_P(PriorityIn, RaiseToTheSameOrALowerPriorityChangesNothing) {
    StartOrder order;
    {
        BusyPool busy(one_thread(), BusyPool::Io::busy);
        std::vector<Task<void>> tasks;
        for (int i = 0; i < 4; ++i) {
            tasks.push_back(
                busy.pool.submit([&, i] { order.note(i); }, {.lane = GetParam(), .priority = Priority::high}));
        }
        EXPECT_FALSE(tasks[3].raise(Priority::high));
        EXPECT_FALSE(tasks[3].raise(Priority::normal));
        EXPECT_FALSE(tasks[3].raise(Priority::low));
    }
    EXPECT_EQ(order.jobs(), (std::vector<int>{0, 1, 2, 3}));
}

// Whatever ran in the pool before, so whatever turn its worker is at.
TEST_P(PriorityIn, LowJobIsNotStarvedByAnEndlessStreamOfNormalOnes) {
    for (int jobs_before = 0; jobs_before < 4; ++jobs_before) {
        constexpr int kStream = 2000;
        std::atomic<int> ran{0};
        std::atomic<int> ran_before_low{-1};
        {
            BusyPool busy(one_thread(), BusyPool::Io::busy);
            for (int i = 0; i < jobs_before; ++i) busy.pool.submit([] {}, {.lane = GetParam()});
            for (int i = 0; i < kStream; ++i) busy.pool.submit([&] { ++ran; }, {.lane = GetParam()});
            busy.pool.submit([&] { ran_before_low = ran.load(); }, {.lane = GetParam(), .priority = Priority::low});
        }
        EXPECT_LT(ran_before_low.load(), 500) << jobs_before << " jobs before";
    }
}

// Nor are those that were submitted from outside, and those of the worker itself, by one of important ones.
TEST_P(PriorityIn, OthersAreNotStarvedByAnEndlessStreamOfImportantOnes) {
    for (const Priority important : {Priority::high, Priority::urgent}) {
        constexpr int kStream = 2000;
        std::atomic<int> ran{0};
        std::atomic<int> before_normal{-1};
        std::atomic<int> before_low{-1};
        std::atomic<int> before_own{-1};
        {
            BusyPool busy(one_thread(), BusyPool::Io::busy);
            const SubmitOptions stream{.lane = GetParam(), .priority = important};
            busy.pool.submit([&] { busy.pool.submit([&] { before_own = ran.load(); }, {.lane = GetParam()}); }, stream);
            for (int i = 0; i < kStream; ++i) busy.pool.submit([&] { ++ran; }, stream);
            busy.pool.submit([&] { before_low = ran.load(); }, {.lane = GetParam(), .priority = Priority::low});
            busy.pool.submit([&] { before_normal = ran.load(); }, {.lane = GetParam()});
        }
        EXPECT_EQ(ran.load(), kStream);
        EXPECT_LT(before_normal.load(), 500);
        EXPECT_LT(before_low.load(), 500);
        EXPECT_LT(before_own.load(), 500);
        EXPECT_GE(before_normal.load(), 59) << "the important ones go first";
    }
}

TEST_P(PriorityIn, RaisedJobRunsAtItsNewPriority) {
    Task<Priority> task;
    Task<Priority> continuation;
    {
        BusyPool busy(one_thread(), BusyPool::Io::busy);
        task = busy.pool.submit(&Pool::current_priority, {.lane = GetParam(), .priority = Priority::low});
        EXPECT_TRUE(task.raise(Priority::high));
        continuation = busy.pool.submit([] {}, {.lane = GetParam()}).then(&Pool::current_priority);
        EXPECT_TRUE(continuation.raise(Priority::urgent));
    }
    EXPECT_EQ(task.get(), Priority::high);
    EXPECT_EQ(continuation.get(), Priority::urgent);
}

TEST(PriorityRaise, ComesTooLateOnceTheJobHasStarted) {
    std::atomic<bool> running{false};
    std::atomic<bool> release{false};
    Pool pool(1);
    Task<void> task = pool.submit(
        [&] {
            running = true;
            while (!release) std::this_thread::yield();
        },
        {.priority = Priority::low});
    ASSERT_TRUE(eventually([&] { return running.load(); }));
    EXPECT_FALSE(task.raise(Priority::urgent));
    release = true;
    task.wait();
    EXPECT_FALSE(task.raise(Priority::urgent)) << "it has ended";
    EXPECT_EQ(pool.stats().total.completed, 1U);
}

TEST(PriorityRaise, OfAContinuationCountsWhenItsTurnComes) {
    StartOrder order;
    {
        BusyPool busy(PoolOptions{.workers = 1});
        Task<void> first = busy.pool.submit([&] { order.note(0); });
        Task<void> continuation = std::move(first).then([&] { order.note(1); });
        EXPECT_TRUE(continuation.raise(Priority::urgent));
        EXPECT_FALSE(continuation.raise(Priority::high));
        for (int i = 2; i < 5; ++i) busy.pool.submit([&, i] { order.note(i); }, {.priority = Priority::high});
        for (int i = 5; i < 8; ++i) busy.pool.submit([&, i] { order.note(i); });
    }
    EXPECT_EQ(order.jobs(), (std::vector<int>{2, 3, 4, 0, 1, 5, 6, 7}));
}

TEST(PriorityRaise, OfAnEndedOrEmptyTaskIsFalseOrAnError) {
    Pool pool(1);
    Task<int> task = pool.submit([] { return 1; });
    task.wait();
    EXPECT_FALSE(task.raise(Priority::urgent));
    EXPECT_EQ(task.get(), 1);
    EXPECT_THROW(task.raise(Priority::urgent), Error);
}

// Raising while the job starts: whoever wins, it runs once.
TEST(PriorityRaise, RacesWithTheStart) {
    std::atomic<int> ran{0};
    Pool pool(2);
    const int rounds = static_cast<int>(scaled(20'000));
    for (int i = 0; i < rounds; ++i) {
        Task<void> task = pool.submit([&] { ++ran; }, {.priority = Priority::low});
        task.raise(Priority::normal);
        task.raise(Priority::urgent);
        if (i % 2 == 0) task.wait();
    }
    ASSERT_TRUE(eventually([&] { return ran == rounds; }));
    EXPECT_EQ(pool.stats().total.spawned, static_cast<std::uint64_t>(rounds));
}

void run_only_on(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

// The worker shares a CPU with the submitter and yields to it: so when it runs, all four jobs are there.
TEST(Priority, WokenWorkerTakesTheMostImportantJobFirst) {
    std::jthread([] {
        const int cpu = sched_getcpu();
        run_only_on(cpu);
        Pool pool(PoolOptions{.workers = 1, .on_thread_start = [cpu](int) {
                                  run_only_on(cpu);
                                  const sched_param none{};
                                  ASSERT_EQ(sched_setscheduler(0, SCHED_IDLE, &none), 0);
                              }});
        int urgent_first = 0;
        constexpr int kRounds = 20;
        for (int round = 0; round < kRounds; ++round) {
            while (!all_others_sleep()) std::this_thread::sleep_for(milliseconds(1));
            StartOrder order;
            for (int i = 0; i < 3; ++i) pool.submit([&, i] { order.note(i); });
            pool.submit([&] { order.note(3); }, {.priority = Priority::urgent});
            while (order.size() < 4) std::this_thread::sleep_for(milliseconds(1));
            urgent_first += order.jobs()[0] == 3 ? 1 : 0;
        }
        EXPECT_GT(urgent_first, kRounds / 2);
    }).join();
}

// A long row of continuations on one worker does not keep what was submitted from its turn.
TEST(Priority, ChainLetsOthersHaveTheirTurn) {
    constexpr int kLinks = 5000;
    std::atomic<int> links{0};
    std::atomic<int> links_before{-1};
    {
        BusyPool busy(PoolOptions{.workers = 1});
        Task<void> last = busy.pool.submit([&] { ++links; });
        for (int i = 1; i < kLinks; ++i) last = std::move(last).then([&] { ++links; });
        busy.pool.submit([&] { links_before = links.load(); });
    }
    EXPECT_EQ(links.load(), kLinks);
    EXPECT_LT(links_before.load(), 500);
}

class PriorityOn : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, PriorityOn, testing::Values(1, 2, 8));

// R22: on whichever worker the pieces run.
TEST_P(PriorityOn, ScopesJoinsAndLoopsInheritIt) {
    Pool pool(GetParam());
    for (const Priority priority : kAll) {
        std::atomic<int> pieces{0};
        std::atomic<int> wrong{0};
        const auto note = [&] {
            ++pieces;
            if (Pool::current_priority() != priority) ++wrong;
            spin_for(microseconds(20));
        };
        pool.submit(
                [&] {
                    note();
                    pool.scope([&](Scope& scope) {
                        for (int i = 0; i < 20; ++i) {
                            scope.spawn([&] {
                                note();
                                pool.join(note, note);
                            });
                        }
                    });
                    parallel_for(pool, 0, 50, [&](int) { note(); });
                    pool.join(note, [&] { parallel_for(pool, 0, 20, [&](int) { note(); }); });
                    note();
                },
                {.priority = priority})
            .get();
        EXPECT_EQ(pieces.load(), 1 + 20 * 3 + 50 + 21 + 1);
        EXPECT_EQ(wrong.load(), 0) << "priority " << static_cast<int>(priority);
    }
    EXPECT_EQ(Pool::current_priority(), Priority::normal);
}

}  // namespace
}  // namespace quarry
