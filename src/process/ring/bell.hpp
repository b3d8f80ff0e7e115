#pragma once

#include <cstdint>

#include "process/ring/ring.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::process::impl {

// Wakes one sleeper, in another process perhaps. The sleeper says that it is about to sleep and looks once more; the
// ringer publishes and looks whether anybody sleeps. One of them sees the other. See README.md.
template <class Policy>
class Bell {
  public:
    static constexpr std::uint32_t kAwake = 0;
    static constexpr std::uint32_t kAsleep = 1;

    // Ringer, after it has published. True: the sleeper must be woken, by the system's call on word().
    bool ring() {
        Policy::fence(Policy::order(Mutation::process_ring_fence, std::memory_order_seq_cst));
        if (word_.load(std::memory_order_relaxed) == kAwake) return false;
        // Of several ringers one wakes; a sleeper that gave up meanwhile costs a call that wakes nobody.
        return Policy::check(Mutation::process_ring_once, word_.exchange(kAwake, std::memory_order_relaxed) == kAsleep);
    }

    // Sleeper: waits until something is there or `wait` says that it is not worth waiting any longer. `wait(word,
    // kAsleep)` sleeps while the word has that value; false: give up.
    template <class Ready, class Wait>
    bool sleep_until(Ready ready, Wait wait) {
        for (;;) {
            word_.store(kAsleep, std::memory_order_relaxed);
            Policy::fence(Policy::order(Mutation::process_bell_fence, std::memory_order_seq_cst));
            if (Policy::check(Mutation::process_bell_recheck, ready)) break;
            const bool go_on = wait(word_, kAsleep);
            if (ready()) break;
            if (!go_on) {
                word_.store(kAwake, std::memory_order_relaxed);
                return false;
            }
        }
        word_.store(kAwake, std::memory_order_relaxed);
        return true;
    }

    bool is_asleep() const { return word_.load(std::memory_order_relaxed) == kAsleep; }
    typename Policy::template Atomic<std::uint32_t>& word() { return word_; }

  private:
    typename Policy::template Atomic<std::uint32_t> word_{kAwake};
};

}  // namespace quarry::process::impl
