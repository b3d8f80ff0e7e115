#pragma once

#include <cstdint>

#include "jobs/atomics/policy.hpp"

namespace quarry::impl {

// What a continuation continues, as a thread that waits for the continuation sees it. The continuation holds the
// antecedent's handle until it starts or is cancelled; a waiter that wants to go back to the antecedent must not meet
// that moment. So both take this lock, for a few instructions. See README.md.
template <class Policy>
class Antecedents {
  public:
    // Before the continuation is published. An address; the lowest bit is the lock, the next one the caller's.
    void set(std::uintptr_t address) noexcept { word_.store(address, std::memory_order_relaxed); }

    // Calls visit(address), 0 when there is nothing left, while the antecedents can not go.
    template <class Visit>
    void visit(Visit visit) noexcept {
        const std::uintptr_t address = lock();
        visit(address);
        unlock(address);
    }
    // From here on a visit finds nothing.
    void clear() noexcept {
        lock();
        unlock(0);
    }

  private:
    static constexpr std::uintptr_t kLocked = 1;

    std::uintptr_t lock() noexcept {
        if (Policy::mutated(Mutation::chain_without_lock)) return word_.load(std::memory_order_acquire);
        for (;;) {
            const std::uintptr_t seen =
                word_.fetch_or(kLocked, Policy::order(Mutation::chain_lock, std::memory_order_acquire));
            if ((seen & kLocked) == 0) return seen;
            while ((word_.load(std::memory_order_relaxed) & kLocked) != 0) Policy::cpu_relax();
        }
    }
    void unlock(std::uintptr_t address) noexcept {
        word_.store(address, Policy::order(Mutation::chain_unlock, std::memory_order_release));
    }

    typename Policy::template Atomic<std::uintptr_t> word_{0};
};

}  // namespace quarry::impl
