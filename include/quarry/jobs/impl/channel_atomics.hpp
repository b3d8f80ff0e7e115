#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "quarry/export.hpp"
#include "quarry/jobs/ext/sleep.hpp"
#include "quarry/jobs/impl/sound_steps.hpp"
#include "quarry/jobs/impl/ticks.hpp"

namespace quarry::impl {

QUARRY_API void channel_relax() noexcept;

// How long it pays at most to look before sleeping, in ticks; 0 where only one CPU may be used.
QUARRY_API std::uint64_t channel_most_spin_ticks() noexcept;

// How long one side of a channel looks before it sleeps, by how often looking has paid. Threads share it and
// overwrite each other's changes, which costs it nothing but precision.
class ChannelSpin {
  public:
    ChannelSpin() : most_(channel_most_spin_ticks()), ticks_(most_ / 2) {}

    template <class Ready>
    bool until(Ready ready) noexcept {
        if (most_ == 0) return false;
        const std::uint64_t budget = ticks_.load(std::memory_order_relaxed);
        const std::uint64_t start = ticks();
        do {
            channel_relax();
            if (ready()) {
                ticks_.store(std::min(most_, budget + budget / 8 + 1), std::memory_order_relaxed);
                return true;
            }
        } while (ticks() - start < budget);
        ticks_.store(budget - budget / 4, std::memory_order_relaxed);
        return false;
    }

  private:
    const std::uint64_t most_;
    std::atomic<std::uint64_t> ticks_;
};

// The atomics policy (src/jobs/atomics/policy.hpp) of the channels that ship. The protocol uses no fences, so it is the
// same for the thread sanitizer.
struct ChannelAtomics : SoundSteps {
    template <class T>
    using Atomic = std::atomic<T>;
    using Mutex = std::mutex;
    using Spin = ChannelSpin;
    struct StorageGuard {
        void write() noexcept {}
    };

    static void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) { ext::sleep(word, expected); }
    static bool futex_wait_until(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline) {
        return ext::sleep_until(word, expected, deadline);
    }
    static void futex_wake_one(std::atomic<std::uint32_t>& word) { ext::wake_one(word); }
    static void futex_wake_all(std::atomic<std::uint32_t>& word) { ext::wake_all(word); }
};

}  // namespace quarry::impl
