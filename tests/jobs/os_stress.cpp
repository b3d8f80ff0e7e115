#include "jobs/os.hpp"

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
                    while (turns[i].load(std::memory_order_acquire) == round) os::futex_wait(turns[i], round);
                    ++steps;
                    auto& next = turns[(i + 1) % kThreads];
                    next.fetch_add(1, std::memory_order_release);
                    os::futex_wake_one(next);
                }
            });
        }
        turns[0].fetch_add(1, std::memory_order_release);
        os::futex_wake_one(turns[0]);
    }
    EXPECT_EQ(steps, kThreads * kRounds);
}

}  // namespace
}  // namespace quarry::impl
