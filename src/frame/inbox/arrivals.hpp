#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "quarry/jobs/impl/mutation.hpp"

namespace quarry::impl {

// Slots that were filled and not yet taken in: any thread puts, the host's takes all at once, and may sleep until there
// is one. See README.md.
template <class Policy>
class Arrivals {
  public:
    explicit Arrivals(std::uint32_t slots) : before_(std::make_unique<Before[]>(slots)) {}

    // Never fails: the slot is the caller's until here. Returns whether it is the first since the host took all.
    bool put(std::uint32_t slot) noexcept {
        std::uint32_t seen = newest_.load(std::memory_order_relaxed);
        do {
            before_[slot].set(seen == kAsleep ? kEmpty : seen);
        } while (!newest_.compare_exchange_weak(
            seen, slot + 1, Policy::order(Mutation::inbox_put, std::memory_order_release), std::memory_order_relaxed));
        if (seen == kAsleep) Policy::step(Mutation::inbox_put_wakes, [this] { Policy::futex_wake_one(newest_); });
        return seen == kAsleep || seen == kEmpty;
    }

    // The rest is for the host's thread.

    bool none() const noexcept { return newest_.load(std::memory_order_relaxed) == kEmpty; }

    // Calls visit(slot), newest first.
    template <class Visit>
    void take_all(Visit visit) noexcept {
        std::uint32_t entry = newest_.exchange(kEmpty, Policy::order(Mutation::inbox_take, std::memory_order_acquire));
        while (entry != kEmpty) {
            const std::uint32_t slot = entry - 1;
            entry = before_[slot].get();
            visit(slot);
        }
    }

    // Calls sleep(word, value), which returns at the latest when the word differs from the value.
    template <class Sleep>
    void sleep_until_put(Sleep sleep) noexcept {
        std::uint32_t seen = kEmpty;
        auto&& newest = Policy::at_once(Mutation::inbox_sleep_by_store, newest_);
        if (!newest.compare_exchange_strong(seen, kAsleep, std::memory_order_relaxed, std::memory_order_relaxed)) {
            return;
        }
        sleep(newest_, kAsleep);
        seen = kAsleep;
        newest_.compare_exchange_strong(seen, kEmpty, std::memory_order_relaxed, std::memory_order_relaxed);
    }

  private:
    static constexpr std::uint32_t kEmpty = 0;
    static constexpr std::uint32_t kAsleep = ~std::uint32_t{0};

    using Before = typename Policy::template Plain<std::uint32_t>;

    const std::unique_ptr<Before[]> before_;
    alignas(128) typename Policy::template Atomic<std::uint32_t> newest_{kEmpty};
};

}  // namespace quarry::impl
