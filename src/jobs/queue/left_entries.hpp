#pragma once

#include "jobs/queue/room.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// Whether a lane's queues hold entries whose jobs were claimed by another way, which take up room until somebody comes
// past them, or sweeps them out. See README.md.
template <class Policy>
class LeftEntries {
  public:
    // The caller has claimed a job that way. True: somebody waits for room, so the caller sweeps.
    bool note(const Room<Policy>& room) noexcept {
        // Between the claim and the look: whoever takes the flag back later sees the claim.
        Policy::fence(Mutation::left_note_fence, std::memory_order_seq_cst);
        if (!there_are_.load(std::memory_order_relaxed)) {
            there_are_.store(true, Policy::order(Mutation::left_note, std::memory_order_seq_cst));
        }
        return room.has_waiters();
    }

    // For one who found no room, or who has counted itself among the waiters and passed their fence.
    bool look() const noexcept { return there_are_.load(std::memory_order_relaxed); }

    // True: the caller looks through all entries, and sees every claim that was noted before. Anybody else may do the
    // same meanwhile, for those noted after this call.
    bool take() noexcept {
        if (!there_are_.exchange(false, std::memory_order_relaxed)) return false;
        Policy::fence(Mutation::left_take_fence, std::memory_order_seq_cst);
        return true;
    }
    // There may be some, and none who waits for room is told. The next note, or who comes to wait, looks.
    void assume() noexcept { there_are_.store(true, std::memory_order_relaxed); }

  private:
    typename Policy::template Atomic<bool> there_are_{false};
};

}  // namespace quarry::impl
