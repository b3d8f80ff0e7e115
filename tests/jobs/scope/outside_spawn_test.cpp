// A thread outside the pool spawns into somebody's scope, with the lane's queue full or beyond its bound (R4, R7).
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// The only worker is inside a job until let_go(), or for absurdly long. Of its lane's queue one place is taken, by a
// job that came beyond the bound: it is not in the queue itself, and neither is what comes after it.
class OverflownPool {
  public:
    OverflownPool() {
        // In a scope, so that nothing waits for room.
        pool.scope([&](Scope&) {
            pool.submit([&] {
                at_first_ = true;
                EXPECT_TRUE(eventually([&] { return filled_.load(); }));
            });
            EXPECT_TRUE(eventually([&] { return at_first_.load(); }));
            for (std::size_t i = 1; i < kPlaces; ++i) pool.submit([] {});
            pool.submit([&] {
                at_last_ = true;
                waited_in_vain_ = !eventually([&] { return let_go_.load(); }, std::chrono::seconds(10));
            });
            pool.submit([] {});
            filled_ = true;
            EXPECT_TRUE(eventually([&] { return at_last_.load(); }));
        });
    }
    OverflownPool(const OverflownPool&) = delete;
    OverflownPool& operator=(const OverflownPool&) = delete;
    ~OverflownPool() { let_go(); }

    void let_go() { let_go_ = true; }
    bool worker_waited_in_vain() const { return waited_in_vain_; }

  private:
    static constexpr std::size_t kCapacity = 3;
    static constexpr std::size_t kPlaces = 2 * kCapacity;  // of the lane's queue, see Injection
    std::atomic<bool> at_first_{false};
    std::atomic<bool> filled_{false};
    std::atomic<bool> at_last_{false};
    std::atomic<bool> let_go_{false};
    std::atomic<bool> waited_in_vain_{false};

  public:
    Pool pool{PoolOptions{.workers = 1, .queue_capacity = kCapacity}};  // the last member: its end waits for the jobs
};

// The worker waits for the scope, so the scope's own thread must be able to reach all that was spawned into it.
TEST(OutsideSpawn, BesideAnOverflownQueueTheScopesThreadFindsEveryJob) {
    std::atomic<int> ran{0};
    OverflownPool overflown;
    overflown.pool.scope([&](Scope& scope) {
        std::jthread([&] {
            for (int i = 0; i < 2; ++i) scope.spawn([&] { ++ran; });
        }).join();
    });
    EXPECT_EQ(ran.load(), 2);
    overflown.let_go();
    overflown.pool.submit([] {}).get();
    EXPECT_FALSE(overflown.worker_waited_in_vain());
}

TEST(OutsideSpawn, BesideAnOverflownQueueTheScopesThreadRunsNothingElse) {
    const auto here = std::this_thread::get_id();
    std::atomic<int> spawned_ran{0};
    std::atomic<int> submitted_ran{0};
    std::atomic<int> submitted_ran_in_the_wait{0};
    {
        OverflownPool overflown;
        overflown.pool.scope([&](Scope& scope) {
            std::jthread([&] { scope.spawn([&] { ++spawned_ran; }); }).join();
            for (int i = 0; i < 3; ++i) {
                overflown.pool.submit([&] {
                    ++submitted_ran;
                    if (std::this_thread::get_id() == here) ++submitted_ran_in_the_wait;
                });
            }
        });
        EXPECT_EQ(spawned_ran.load(), 1);
        EXPECT_EQ(submitted_ran.load(), 0);
    }
    EXPECT_EQ(submitted_ran_in_the_wait.load(), 0);
    EXPECT_EQ(submitted_ran.load(), 3);
}

// The scope's thread is inside its body until the job has run, so somebody else has to find it.
TEST(OutsideSpawn, JobOfAGuestThatHasLeftIsFoundByIdleWorkers) {
    for (int round = 0; round < static_cast<int>(scaled(20)); ++round) {
        std::atomic<bool> release{false};
        std::atomic<int> busy{0};
        std::atomic<int> ran{0};
        Pool pool(2);
        for (int i = 0; i < 2; ++i) {
            pool.submit([&] {
                ++busy;
                while (!release) std::this_thread::yield();
            });
        }
        ASSERT_TRUE(eventually([&] { return busy == 2; }));
        bool found = false;
        pool.scope([&](Scope& scope) {
            // By turns with a scope, a join and a wait in which the guest has slept and published what it had.
            std::jthread([&] {
                if (round % 2 == 0) {
                    pool.scope([&](Scope&) {
                        for (int i = 0; i < 3; ++i) scope.spawn([&] { ++ran; });
                    });
                } else {
                    pool.join([&] { scope.spawn([&] { ++ran; }); }, [&] { scope.spawn([&] { ++ran; }); });
                }
            }).join();
            release = true;
            found = eventually([&] { return ran == (round % 2 == 0 ? 3 : 2); }, std::chrono::seconds(5));
        });
        ASSERT_TRUE(found) << "round " << round;
    }
}

// A guest that has slept in a wait has published its jobs; it takes none of them with it.
TEST(OutsideSpawn, JobThatAGuestPublishedBeforeItLeftIsFoundByIdleWorkers) {
    std::atomic<bool> release{false};
    std::atomic<bool> release_io{false};
    std::atomic<int> busy{0};
    std::atomic<int> ran{0};
    std::atomic<bool> io_runs{false};
    Pool pool(2);
    for (int i = 0; i < 2; ++i) {
        pool.submit([&] {
            ++busy;
            while (!release) std::this_thread::yield();
        });
    }
    ASSERT_TRUE(eventually([&] { return busy == 2; }));
    Task<void> slow = pool.submit(
        [&] {
            io_runs = true;
            while (!release_io) std::this_thread::yield();
        },
        {.lane = Lane::io});
    ASSERT_TRUE(eventually([&] { return io_runs.load(); }));
    bool found = false;
    pool.scope([&](Scope& scope) {
        std::jthread([&] {
            std::jthread later([&] {
                std::this_thread::sleep_for(milliseconds(20));
                release_io = true;
            });
            pool.scope([&](Scope&) {
                scope.spawn([&] { ++ran; });
                slow.get();  // asleep: what was spawned is in the lists
            });
        }).join();
        release = true;
        found = eventually([&] { return ran == 1; }, std::chrono::seconds(5));
    });
    EXPECT_TRUE(found);
}

// With no place left in the lane's queue the guest runs the job itself before it goes.
TEST(OutsideSpawn, GuestThatLeavesBesideAnOverflownQueueLeavesNothingHidden) {
    std::atomic<int> ran{0};
    OverflownPool overflown;
    overflown.pool.scope([&](Scope& scope) {
        std::jthread([&] {
            overflown.pool.scope([&](Scope&) {
                for (int i = 0; i < 3; ++i) scope.spawn([&] { ++ran; });
            });
        }).join();
        EXPECT_TRUE(eventually([&] { return ran == 3; }, std::chrono::seconds(5)));
    });
    EXPECT_EQ(ran.load(), 3);
}

// Places are made and taken all the time, so that a job has room and yet finds no place, or one beyond the bound.
TEST(OutsideSpawn, FromManyThreadsIntoOneScopeRunsEachJobOnce) {
    constexpr int kThreads = 3;
    const int each = static_cast<int>(scaled(2000));
    for (const std::size_t capacity : {1U, 2U, 5U}) {
        std::atomic<int> spawned_ran{0};
        std::atomic<int> submitted_ran{0};
        {
            Pool pool(PoolOptions{.workers = 2, .queue_capacity = capacity});
            pool.scope([&](Scope& scope) {
                std::vector<std::jthread> threads;
                for (int thread = 0; thread < kThreads; ++thread) {
                    threads.emplace_back([&] {
                        for (int i = 0; i < each; ++i) scope.spawn([&] { ++spawned_ran; });
                    });
                }
                for (int i = 0; i < each; ++i) pool.submit([&] { ++submitted_ran; });
            });
            EXPECT_EQ(spawned_ran.load(), kThreads * each);
        }
        EXPECT_EQ(submitted_ran.load(), each);
    }
}

}  // namespace
}  // namespace quarry
