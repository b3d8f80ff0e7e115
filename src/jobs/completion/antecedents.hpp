#pragma once

#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// What a continuation continues, as a thread that waits for the continuation sees it. The continuation holds the
// antecedent's handle until it starts or is cancelled; a waiter that wants to go back to the antecedent must not meet
// that moment. See README.md.
template <class Policy>
class Antecedents {
  public:
    // Before the continuation is published. An address, a multiple of 32; the second and the third bit are the
    // caller's, the others below it ours.
    void set(std::uintptr_t address) noexcept { word_.store(address, std::memory_order_relaxed); }

    // Calls visit(address), 0 when there is nothing left, while the antecedents cannot go.
    template <class Visit>
    void visit(Visit visit) noexcept {
        std::uintptr_t seen = word_.load(Policy::order(Mutation::chain_cleared, std::memory_order_acquire));
        while ((seen & kCleared) == 0) {
            if ((seen & (kVisited | kReplacing)) != 0) {
                Policy::cpu_relax();
                seen = word_.load(Policy::order(Mutation::chain_cleared, std::memory_order_acquire));
            } else if (word_.compare_exchange_weak(seen, seen | kVisited, std::memory_order_relaxed,
                                                   Policy::order(Mutation::chain_cleared, std::memory_order_acquire))) {
                visit(seen);
                word_.fetch_and(~kVisited, Policy::order(Mutation::chain_leave, std::memory_order_release));
                return;
            }
        }
        visit(0);
    }

    // From here on a visit finds that one, and nobody reaches the one before through this. Not beside clear(). Waits
    // for a visit that has begun; one that comes meanwhile waits for us.
    void replace(std::uintptr_t address) noexcept {
        wait_for_visit(word_.fetch_or(kReplacing, Policy::order(Mutation::chain_replacing, std::memory_order_acquire)));
        word_.store(address, Policy::order(Mutation::chain_replace, std::memory_order_release));
    }

    // From here on a visit finds nothing. Once; waits for a visit that has begun, and no more can begin meanwhile.
    void clear() noexcept {
        wait_for_visit(word_.fetch_or(kCleared, Policy::order(Mutation::chain_clear, std::memory_order_acq_rel)));
    }

  private:
    static constexpr std::uintptr_t kVisited = 1;
    static constexpr std::uintptr_t kCleared = 8;
    static constexpr std::uintptr_t kReplacing = 16;

    void wait_for_visit(std::uintptr_t seen) noexcept {
        while (Policy::check(Mutation::chain_no_wait, (seen & kVisited) != 0)) {
            Policy::cpu_relax();
            seen = word_.load(Policy::order(Mutation::chain_wait, std::memory_order_acquire));
        }
    }

    typename Policy::template Atomic<std::uintptr_t> word_{0};
};

}  // namespace quarry::impl
