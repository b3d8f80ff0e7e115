#include "jobs/os/os.hpp"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::impl {
namespace {

// A turn that is handed round a ring of threads: each waits for its number, then sets the next one. A wake-up that is
// lost anywhere stops the ring for ever.
TEST(FutexStress, TurnGoesRoundARingOfThreads) {
    constexpr std::uint32_t kThreads = 4;
    constexpr std::uint32_t kRounds = 200;
    std::vector<std::atomic<std::uint32_t>> turns(kThreads);
    std::uint32_t steps = 0;  // whoever has the turn owns it
    {
        std::vector<std::jthread> threads;
        for (std::uint32_t i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                for (std::uint32_t round = 0; round < kRounds; ++round) {
                    while (turns[i].load(std::memory_order_acquire) == round) ext::sleep(turns[i], round);
                    ++steps;
                    auto& next = turns[(i + 1) % kThreads];
                    next.fetch_add(1, std::memory_order_release);
                    ext::wake_one(next);
                }
            });
        }
        turns[0].fetch_add(1, std::memory_order_release);
        ext::wake_one(turns[0]);
    }
    EXPECT_EQ(steps, kThreads * kRounds);
}

std::size_t cpus_of_calling_thread() {
    return os::affinity_cpus().size();
}

// A waker steers a thread that has just found work by itself. Wherever the two meet, the thread ends up on all its
// CPUs.
TEST(PlacementStress, ThreadThatWorksIsNeverLeftOnFewerCpus) {
    const std::size_t all = cpus_of_calling_thread();
    if (all < 2) GTEST_SKIP() << "there is nowhere to steer to";
    constexpr int kRounds = 1'000;  // a hundred passes in .ci/run
    os::Placement placement;
    std::atomic<int> steer{0};
    std::atomic<int> steered{0};
    std::atomic<bool> ready{false};
    int pinned = 0;
    std::jthread worker([&] {
        placement.adopt_calling_thread();
        ready = true;
        for (int round = 1; round <= kRounds; ++round) {
            placement.rest_begins();
            steer = round;
            // Finds work at some moment while the other one steers.
            for (int i = 0; i < round % 97; ++i) os::cpu_relax();
            placement.rest_ends();
            while (steered != round) std::this_thread::yield();
            if (cpus_of_calling_thread() != all) ++pinned;
        }
    });
    while (!ready) std::this_thread::yield();
    for (int round = 1; round <= kRounds; ++round) {
        while (steer != round) std::this_thread::yield();
        placement.steer_away_from_caller();
        steered = round;
    }
    worker.join();
    EXPECT_EQ(pinned, 0);
}

}  // namespace
}  // namespace quarry::impl
