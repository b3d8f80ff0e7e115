#pragma once

#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// Lets threads into something that may end at any time, and its end wait for those inside. It can be opened again for
// another one, with another serial number, while visitors to the one before are still on their way out. See README.md.
template <class Policy>
class Visitors {
  public:
    // While it is closed, by one thread at a time.
    void open(std::uint32_t serial) noexcept {
        serial_.set(serial);
        // An old visitor may be here at this moment: its count stays.
        word_.fetch_and(~kClosed, Policy::order(Mutation::visitors_open, std::memory_order_release));
    }

    // True: it exists until leave(). False: it has ended, and the caller sees all that was done before close().
    [[nodiscard]] bool try_enter(std::uint32_t serial) noexcept {
        const std::uint32_t old =
            word_.fetch_add(1, Policy::order(Mutation::visitors_enter, std::memory_order_acquire));
        if ((old & kClosed) == 0 && !Policy::check(Mutation::visitors_serial, serial_.get() != serial)) return true;
        leave();
        return false;
    }
    void leave() noexcept {
        const std::uint32_t old =
            word_.fetch_sub(1, Policy::order(Mutation::visitors_leave, std::memory_order_release));
        if (old == kClosed + 1) Policy::step(Mutation::visitors_wake, [this] { Policy::futex_wake_one(word_); });
    }

    // Once after each open(): returns when nobody is inside.
    void close() noexcept {
        word_.fetch_or(kClosed, Policy::order(Mutation::visitors_close, std::memory_order_release));
        Policy::step(Mutation::visitors_no_wait, [this] {
            const auto order = Policy::order(Mutation::visitors_wait, std::memory_order_acquire);
            for (std::uint32_t seen = word_.load(order); seen != kClosed; seen = word_.load(order)) {
                Policy::futex_wait(word_, seen);
            }
        });
    }

    std::uint32_t serial() const noexcept { return serial_.get(); }

  private:
    static constexpr std::uint32_t kClosed = std::uint32_t{1} << 31;

    typename Policy::template Plain<std::uint32_t> serial_{0};
    typename Policy::template Atomic<std::uint32_t> word_{kClosed};
};

}  // namespace quarry::impl
