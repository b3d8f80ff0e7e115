#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "quarry/jobs/impl/mutation.hpp"

namespace quarry::impl {

// Where the threads of one side of a channel sleep: all on one word that every wake-up changes. Who reads the word (by
// ticket) before it looks for the last time, and sleeps on what it read, misses no wake-up that follows that look.
// Spin: as ChannelSpin; looking before sleeping is no part of the protocol.
template <class Policy, class Spin>
class ChannelWaiters {
  public:
    static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

    void enter() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
    // True when others still wait.
    [[nodiscard]] bool leave() noexcept { return count_.fetch_sub(1, std::memory_order_relaxed) > 1; }

    // A read-modify-write: it reads the latest wake-up, and so a thread that was woken sees all that its waker did.
    std::uint32_t ticket() noexcept {
        return word_.fetch_add(0, Policy::order(Mutation::channel_ticket, std::memory_order_acquire));
    }
    // False when the deadline has passed.
    bool sleep(std::uint32_t ticket, std::int64_t deadline) noexcept {
        if (deadline != kForEver) return Policy::futex_wait_until(word_, ticket, deadline);
        Policy::futex_wait(word_, ticket);
        return true;
    }

    void wake_one() noexcept {
        if (count_.load(std::memory_order_relaxed) == 0) return;
        change();
        Policy::futex_wake_one(word_);
    }
    void wake_all() noexcept {
        change();
        Policy::futex_wake_all(word_);
    }

    Spin& spin() noexcept { return spin_; }

  private:
    void change() noexcept {
        Policy::step(Mutation::channel_wake_bump, [this] {
            word_.fetch_add(1, Policy::order(Mutation::channel_wake_release, std::memory_order_release));
        });
    }

    typename Policy::template Atomic<std::uint32_t> word_{0};
    typename Policy::template Atomic<std::uint32_t> count_{0};
    Spin spin_;
};

}  // namespace quarry::impl
