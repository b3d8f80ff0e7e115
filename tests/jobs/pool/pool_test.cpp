#include "quarry/jobs/pool.hpp"

#include <barrier>
#include <latch>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>

#include "jobs/os/os.hpp"
#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

std::string name_of_this_thread() {
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    return name;
}

// So many jobs meet that each of the workers must be in one of them.
std::set<std::thread::id> threads_that_meet(Pool& pool, int count) {
    std::barrier meeting(count);
    std::latch left(count);
    std::mutex mutex;
    std::set<std::thread::id> ids;
    for (int i = 0; i < count; ++i) {
        pool.submit([&] {
            meeting.arrive_and_wait();
            {
                const std::lock_guard lock(mutex);
                ids.insert(std::this_thread::get_id());
            }
            left.count_down();
        });
    }
    left.wait();
    return ids;
}

// R1: the threads that were asked for really exist.
TEST(Pool, OfTwoHasTwoWorkersOnDistinctThreads) {
    Pool pool(2);
    EXPECT_EQ(pool.worker_count(), 2);
    const auto ids = threads_that_meet(pool, 2);
    EXPECT_EQ(ids.size(), 2U);
    EXPECT_EQ(ids.count(std::this_thread::get_id()), 0U);
}

// R49
TEST(Pool, AnyNumberOfWorkersWorksAtTheSameTime) {
    for (const int workers : {1, 3, 4, 7, 16}) {
        Pool pool(workers);
        EXPECT_EQ(pool.worker_count(), workers);
        EXPECT_EQ(threads_that_meet(pool, workers).size(), static_cast<std::size_t>(workers));
    }
}

// R1, R67
TEST(Pool, WithoutOptionsUsesEveryUsableCpu) {
    Pool pool;
    EXPECT_GE(pool.worker_count(), 1);
    EXPECT_EQ(pool.worker_count(), impl::os::usable_cpus());
}

// R1: asks for the CPUs that its maker may use, not for those that exist.
TEST(Pool, MadeUnderAnAffinityMaskOfOneCpuHasOneWorker) {
    int workers = 0;
    std::thread restricted([&] {
        const int cpu = impl::os::affinity_cpus().front();
        cpu_set_t mask;
        CPU_ZERO(&mask);
        CPU_SET(static_cast<std::size_t>(cpu), &mask);
        ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
        const Pool pool;
        workers = pool.worker_count();
    });
    restricted.join();
    EXPECT_EQ(workers, 1);
}

TEST(Pool, ThreadsCarryThePoolsNameAndTheirNumber) {
    Pool pool(PoolOptions{.workers = 2, .name = "mesher"});
    std::barrier meeting(2);
    std::vector<Task<std::string>> names;
    for (int i = 0; i < 2; ++i) {
        names.push_back(pool.submit([&] {
            meeting.arrive_and_wait();
            return name_of_this_thread();
        }));
    }
    // Not get() before both are done: the waiting thread would take part.
    ASSERT_TRUE(eventually([&] { return names[0].ready() && names[1].ready(); }));
    const std::set<std::string> seen{names[0].get(), names[1].get()};
    EXPECT_EQ(seen, (std::set<std::string>{"mesher-0", "mesher-1"}));
}

TEST(Pool, HooksRunOnceOnEveryWorkersOwnThread) {
    std::mutex mutex;
    std::vector<std::pair<int, std::thread::id>> started;
    std::vector<std::pair<int, std::thread::id>> stopped;
    std::set<std::thread::id> working;
    {
        const auto note = [&](auto& list) {
            return [&](int index) {
                const std::lock_guard lock(mutex);
                list.emplace_back(index, std::this_thread::get_id());
            };
        };
        Pool pool(PoolOptions{.workers = 3, .on_thread_start = note(started), .on_thread_stop = note(stopped)});
        working = threads_that_meet(pool, 3);
        const std::lock_guard lock(mutex);
        EXPECT_TRUE(stopped.empty());
    }
    std::sort(started.begin(), started.end());
    std::sort(stopped.begin(), stopped.end());
    EXPECT_EQ(started, stopped);
    ASSERT_EQ(started.size(), 3U);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(started[static_cast<std::size_t>(i)].first, i);
        EXPECT_EQ(working.count(started[static_cast<std::size_t>(i)].second), 1U);
    }
}

int work_a_little(Pool& pool) {
    std::atomic<int> sum{0};
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < 10; ++i) scope.spawn([&] { sum.fetch_add(1, std::memory_order_relaxed); });
    });
    const auto [one, two] = pool.join([] { return 1; }, [] { return 2; });
    parallel_for(pool, 0, 10, [&](int) { sum.fetch_add(1, std::memory_order_relaxed); });
    return sum.load() + one + two + pool.submit([] { return 4; }).get();
}

TEST(Pool, CanBeMadeAndDestroyedThousandsOfTimes) {
    const auto cycles = [](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            Pool pool(2);
            ASSERT_EQ(work_a_little(pool), 27);
        }
    };
    cycles(20);
    const std::size_t threads = threads_of_process();
    const std::size_t files = open_files_of_process();
    const std::size_t resident = resident_bytes();
    const auto heap = static_cast<std::size_t>(mallinfo2().uordblks);
    cycles(scaled(2000));
    EXPECT_TRUE(threads_return_to(threads));
    EXPECT_EQ(open_files_of_process(), files);
    if (!kSanitized) {
        EXPECT_LE(static_cast<std::size_t>(mallinfo2().uordblks), heap + 64 * 1024);
        EXPECT_LE(resident_bytes(), resident + 8 * 1024 * 1024);
    }
}

TEST(Pool, SeveralLiveSideBySide) {
    std::vector<std::unique_ptr<Pool>> pools;
    for (int i = 1; i <= 4; ++i) pools.push_back(std::make_unique<Pool>(i));
    std::vector<std::jthread> users;
    std::atomic<int> right{0};
    for (const auto& pool : pools) {
        users.emplace_back([&] {
            for (int i = 0; i < 50; ++i) right += work_a_little(*pool) == 27 ? 1 : 0;
        });
    }
    users.clear();
    EXPECT_EQ(right.load(), 200);
}

TEST(Pool, JobsOfOnePoolUseAnotherOneAndBack) {
    Pool first(2);
    Pool second(1);
    const auto there_and_back = [&] {
        int sum = 0;
        second.scope([&](Scope& scope) {
            auto inner = scope.spawn([&] {
                int value = 0;
                first.scope([&](Scope& back) { back.spawn([&] { value = 20; }); });
                return value + first.submit([] { return 1; }).get();
            });
            sum += second.submit([] { return 300; }).get();
            scope.spawn([&] { first.submit([] {}); });
            static_cast<void>(inner);
        });
        return sum + work_a_little(second);
    };
    for (int i = 0; i < 50; ++i) EXPECT_EQ(first.submit(there_and_back).get(), 327);
    EXPECT_EQ(there_and_back(), 327);
}

TEST(Pool, CurrentTellsThePoolWhoseJobRuns) {
    EXPECT_EQ(Pool::current(), nullptr);
    EXPECT_EQ(Pool::current_index(), -1);
    std::latch ran(1);
    Pool outer(1);
    Pool inner(1);
    outer.scope([&](Scope&) {
        EXPECT_EQ(Pool::current(), &outer);
        EXPECT_EQ(Pool::current_index(), 1) << "a guest comes after the workers";
        inner.scope([&](Scope&) { EXPECT_EQ(Pool::current(), &inner); });
        EXPECT_EQ(Pool::current(), &outer);
    });
    EXPECT_EQ(Pool::current(), nullptr);
    Pool* seen = nullptr;
    int index = -2;
    inner.submit([&] {
        seen = Pool::current();
        index = Pool::current_index();
        ran.count_down();
    });
    ran.wait();
    EXPECT_EQ(seen, &inner);
    EXPECT_EQ(index, 0);
}

// R20: fire and forget.
TEST(Pool, DetachedJobsRunWithNobodyWaiting) {
    constexpr int kJobs = 1000;
    std::atomic<int> ran{0};
    Pool pool(2);
    for (int i = 0; i < kJobs; ++i) pool.submit([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    EXPECT_TRUE(eventually([&] { return pool.stats().total.completed == kJobs; }));
    EXPECT_EQ(ran.load(), kJobs);
}

TEST(Pool, DestructionFinishesWhatWasAccepted) {
    for (const int workers : {1, 2, 8}) {
        std::atomic<int> ran{0};
        {
            Pool pool(workers);
            for (int i = 0; i < 300; ++i) {
                pool.submit([&] {
                    // What an accepted job submits is accepted as well.
                    Pool::current()->submit([&] { ran.fetch_add(1, std::memory_order_relaxed); });
                    ran.fetch_add(1, std::memory_order_relaxed);
                });
            }
        }
        EXPECT_EQ(ran.load(), 600);
    }
}

TEST(Pool, SharedIsMadeOnFirstUseAndAgainAfterItWasStopped) {
    { const Pool first(1); }  // a sanitizer starts a thread of its own with the first one
    const std::size_t before = threads_of_process();
    Pool& shared = Pool::shared();
    EXPECT_EQ(&Pool::shared(), &shared);
    EXPECT_EQ(join([] { return Pool::current(); }, [] {}).first, &shared);
    Pool::stop_shared();
    EXPECT_TRUE(threads_return_to(before));
    EXPECT_EQ(work_a_little(Pool::shared()), 27);
    Pool::stop_shared();
    Pool::stop_shared();
    EXPECT_TRUE(threads_return_to(before));
}

// The end of the shared pool waits for its jobs, so these must not wait for the end: what they ask for is the pool that
// runs them. Threads outside get a new one at once.
TEST(Pool, SharedStaysTheSameForItsOwnJobsWhileItIsBeingStopped) {
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> replaced{false};
        std::atomic<int> right{0};
        std::latch running(1);
        Pool* const stopped = &Pool::shared();
        stopped->submit([&] {
            running.count_down();
            EXPECT_TRUE(eventually([&] { return replaced.load(); }, std::chrono::seconds(10)));
            right += &Pool::shared() == stopped ? 1 : 0;
            right += join([] { return Pool::current(); }, [] {}).first == stopped ? 1 : 0;
            Pool::shared().submit([&] { right += &Pool::shared() == stopped ? 1 : 0; });
        });
        running.wait();
        std::jthread stopper([] { Pool::stop_shared(); });
        EXPECT_TRUE(eventually([&] { return &Pool::shared() != stopped; }));
        replaced = true;
        stopper.join();
        ASSERT_EQ(right.load(), 3);
        EXPECT_EQ(work_a_little(Pool::shared()), 27);
    }
    Pool::stop_shared();
}

TEST(Pool, ManyThreadsOutsideUseItAtOnce) {
    std::atomic<int> right{0};
    Pool pool(2);
    {
        std::vector<std::jthread> users;
        for (int user = 0; user < 16; ++user) {
            users.emplace_back([&] {
                for (int i = 0; i < 20; ++i) right += work_a_little(pool) == 27 ? 1 : 0;
            });
        }
    }
    EXPECT_EQ(right.load(), 320);
    const PoolStats stats = pool.stats();
    EXPECT_EQ(stats.total.spawned, stats.total.completed);
}

}  // namespace
}  // namespace quarry
