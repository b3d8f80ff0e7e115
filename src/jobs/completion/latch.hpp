#pragma once

#include <cstdint>

#include "jobs/parking/parker.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// One event and at most one waiting thread: the end of a promoted join closure or of a task. See README.md.
template <class Policy>
class Latch {
  public:
    bool is_set() const noexcept {
        return waiter_.load(Policy::order(Mutation::latch_is_set, std::memory_order_acquire)) == kSet;
    }

    // The end of the event. The latch may be gone when this returns; the parker is not, parkers outlive all waits.
    void set() noexcept {
        const std::uintptr_t waiter =
            waiter_.exchange(kSet, Policy::order(Mutation::latch_set, std::memory_order_acq_rel));
        if (waiter != kNobody) reinterpret_cast<Parker<Policy>*>(waiter)->notify();
    }

    // The waiter: false when the latch is set already. Afterwards set() notifies the parker.
    bool announce(Parker<Policy>& parker) noexcept {
        std::uintptr_t seen = kNobody;
        const auto mine = reinterpret_cast<std::uintptr_t>(&parker);
        return waiter_.compare_exchange_strong(
                   seen, mine, Policy::order(Mutation::latch_announce, std::memory_order_release),
                   Policy::order(Mutation::latch_announce_late, std::memory_order_acquire)) ||
               seen == mine;
    }

  private:
    static constexpr std::uintptr_t kNobody = 0;
    static constexpr std::uintptr_t kSet = 1;

    typename Policy::template Atomic<std::uintptr_t> waiter_{kNobody};
};

}  // namespace quarry::impl
