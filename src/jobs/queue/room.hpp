#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// How many jobs a lane's queues may still take from outside, and those who wait until there is room. See README.md.
template <class Policy>
class Room {
  public:
    explicit Room(std::size_t capacity) : capacity_(capacity) {}

    // Takes room for one; false when there is none.
    bool try_take() noexcept {
        std::size_t used = used_.load(std::memory_order_relaxed);
        do {
            if (used >= capacity_) return false;
        } while (!take_from(used));
        return true;
    }
    // Takes room for one whether there is some or not.
    void take_beyond() noexcept { used_.fetch_add(1, std::memory_order_relaxed); }

    void make(std::size_t places) noexcept {
        used_.fetch_sub(places, Policy::order(Mutation::room_make, std::memory_order_seq_cst));
        // Pairs with wait(): the waiter counts itself, then looks for room again.
        const std::size_t waiters = waiters_.load(Policy::order(Mutation::room_waiters, std::memory_order_seq_cst));
        if (waiters == 0) [[likely]]
            return;
        wake(std::min(places, waiters));
    }

    // Returns when room was taken, or false when give_up() said so. That is asked before each look for room, and after
    // every wake(): who changes its answer writes that, passes a seq_cst fence, and calls wake_all() if somebody waits.
    template <class GiveUp>
    bool wait_unless(GiveUp give_up) noexcept {
        waiters_.fetch_add(1, std::memory_order_relaxed);
        Policy::fence(Mutation::room_wait_fence, std::memory_order_seq_cst);
        bool taken = false;
        while (!taken) {
            // Before the looks: what happens after them changes the word.
            const std::uint32_t seen = made_.load(Policy::order(Mutation::room_seen, std::memory_order_acquire));
            if (give_up()) break;
            Policy::in_order(
                Mutation::room_recheck, [&] { taken = try_take(); },
                [&] {
                    if (!taken) Policy::futex_wait(made_, seen);
                });
        }
        waiters_.fetch_sub(1, std::memory_order_relaxed);
        return taken;
    }
    // The same for a thread that is in no job. try_count() counts the one that it will make, so that this object does
    // not go meanwhile; false: it is about to go. take_back() undoes that, as the last touch.
    template <class GiveUp, class TryCount, class TakeBack>
    bool wait_counted_unless(GiveUp give_up, TryCount try_count, TakeBack take_back) noexcept {
        bool counted = true;
        bool taken = false;
        Policy::in_order(
            Mutation::room_count_late, [&] { counted = try_count(); },
            [&] { taken = counted && wait_unless(give_up); });
        if (counted && !taken) take_back();
        return taken;
    }
    // Lets all who wait ask give_up() again.
    void wake_all() noexcept { wake(waiters_.load(Policy::order(Mutation::room_wake_all, std::memory_order_seq_cst))); }

    // After a write that is sequentially consistent, see wait_unless.
    bool has_waiters() const noexcept {
        return waiters_.load(Policy::order(Mutation::room_has_waiters, std::memory_order_seq_cst)) != 0;
    }
    std::size_t used_hint() const noexcept { return used_.load(std::memory_order_relaxed); }

  private:
    bool take_from(std::size_t& used) noexcept {
        return Policy::at_once(Mutation::room_take_by_store, used_)
            .compare_exchange_weak(used, used + 1, std::memory_order_relaxed, std::memory_order_relaxed);
    }
    void wake(std::size_t waiters) noexcept {
        made_.fetch_add(1, Policy::order(Mutation::room_made, std::memory_order_release));
        for (std::size_t i = waiters; i > 0; --i) Policy::futex_wake_one(made_);
    }

    const std::size_t capacity_;
    alignas(128) typename Policy::template Atomic<std::size_t> used_{0};
    // Those who wait, and the word they sleep on.
    alignas(128) typename Policy::template Atomic<std::uint32_t> waiters_{0};
    typename Policy::template Atomic<std::uint32_t> made_{0};
};

}  // namespace quarry::impl
