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
            for (std::size_t i = 1; i < kCapacity; ++i) pool.submit([] {});
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
