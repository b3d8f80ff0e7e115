#pragma once

#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// Where one thread sleeps. The owner goes to sleep here for one of two reasons; others end that sleep. See README.md.
template <class Policy>
class Parker {
  public:
    enum State : std::uint32_t {
        kAwake,
        kNotified,  // a notification that the owner has not consumed yet
        kSleeping,  // idle: counted by Sleep, woken only by a waker that holds a right to wake
        kWaiting,   // waits for the end of something particular: woken by notify()
    };

    // Owner: announces the sleep. False when a notification was pending; it is consumed, look again first.
    bool prepare(State reason) noexcept {
        std::uint32_t seen = kAwake;
        if (state_.compare_exchange_strong(seen, reason, std::memory_order_relaxed, std::memory_order_relaxed)) {
            return true;
        }
        consume();
        return false;
    }

    // Owner, after prepare(reason) said true: sleeps until notified.
    void park(State reason) noexcept {
        while (state_.load(std::memory_order_relaxed) == reason) Policy::futex_wait(state_, reason);
        consume();
    }

    // Owner, after prepare(reason) said true: stays awake after all. False when a notification came first.
    bool cancel(State reason) noexcept {
        std::uint32_t seen = reason;
        if (state_.compare_exchange_strong(seen, kAwake, std::memory_order_relaxed, std::memory_order_relaxed)) {
            return true;
        }
        consume();
        return false;
    }

    // Anyone: ends a wait, or the next one if the owner is not waiting yet. Leaves an idle sleeper alone: it no longer
    // waits for what the caller tells about. Always a read-modify-write, so that the owner, which consumes with one
    // too, either sees what the caller did before or finds the notification.
    void notify() noexcept {
        std::uint32_t seen = state_.load(std::memory_order_relaxed);
        auto&& state = Policy::written_again(Mutation::parker_notify_once, state_);
        while (!state.compare_exchange_weak(seen, seen == kSleeping ? kSleeping : kNotified,
                                            Policy::order(Mutation::parker_notify, std::memory_order_release),
                                            std::memory_order_relaxed)) {
        }
        if (seen == kWaiting) {
            Policy::step(Mutation::parker_notify_without_wake, [this] { Policy::futex_wake_one(state_); });
        }
    }

    // A waker that holds a right to wake: true for the one that gets this sleeper; it must call wake().
    bool try_pick() noexcept {
        std::uint32_t seen = state_.load(std::memory_order_relaxed);
        return seen == kSleeping &&
               state_.compare_exchange_strong(seen, kNotified, std::memory_order_release, std::memory_order_relaxed);
    }
    void wake() noexcept { Policy::futex_wake_one(state_); }

    // Hints.
    bool is_sleeping() const noexcept { return state_.load(std::memory_order_relaxed) == kSleeping; }
    bool is_waiting() const noexcept { return state_.load(std::memory_order_relaxed) == kWaiting; }

  private:
    void consume() noexcept {
        Policy::at_once(Mutation::parker_consume_by_store, state_)
            .exchange(kAwake, Policy::order(Mutation::parker_consume, std::memory_order_acquire));
    }

    typename Policy::template Atomic<std::uint32_t> state_{kAwake};
};

}  // namespace quarry::impl
