#pragma once

#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// The right to run a job, and the references that keep its node alive. See README.md.
//
// A job that sits in exactly one queue belongs to whoever takes it out of there. Only a shared job, one that can also
// be reached by another way (a group's list, a join's frame, a Task), needs the exchange.
template <class Policy>
class Claim {
  public:
    // Before the node is published. `handle`: one of the references is that of a handle to the job's result.
    void prepare(std::uint32_t references, bool shared, bool handle) noexcept {
        state_.store(references | (shared ? kShared : 0) | (handle ? kHandle : 0), std::memory_order_relaxed);
    }

    // A submitted job: one reference is the handle's, one that of the queue it is in or, if it is a continuation and
    // not armed yet, of what it continues.
    void prepare_task(bool armed, std::uint32_t priority) noexcept {
        state_.store(2 | kShared | kHandle | (armed ? 0 : kUnarmed) | priority << kPriorityShift,
                     std::memory_order_relaxed);
    }

    // The caller has just taken an unshared job out of its only queue and will publish it again, in two places. The
    // handle may be dropped at the same time, so a load and a store would not do.
    void share() noexcept {
        Policy::at_once(Mutation::claim_share_by_store, state_).fetch_add(kShared + 1, std::memory_order_relaxed);
    }

    // True for exactly one caller. Whoever calls holds a reference. A continuation that is not armed cannot be run,
    // only cancelled.
    bool try_claim() noexcept {
        const std::uint32_t seen = state_.load(Policy::order(Mutation::claim_armed, std::memory_order_acquire));
        if ((seen & kShared) == 0) return true;
        // The only reference is ours: nobody else can claim it, or get to where it could.
        if ((seen & (kReferences | kHandle | kUnarmed | kClaimed)) == 1) {
            return true;
        }
        if (Policy::check(Mutation::claim_unarmed, (seen & kUnarmed) != 0)) return false;
        return try_claim_even_if_unarmed();
    }
    // The same for a caller that will not run it, or that has just seen the end of what the job continues.
    bool try_claim_even_if_unarmed() noexcept {
        auto&& state = Policy::at_once(Mutation::claim_without_exchange, state_);
        return (state.fetch_or(kClaimed, std::memory_order_relaxed) & kClaimed) == 0;
    }

    // What a continuation waited for has ended. True: it is to be queued, at `priority`. False: it was claimed before,
    // by cancelling it.
    bool arm(std::uint32_t& priority) noexcept {
        const std::uint32_t old =
            state_.fetch_and(~kUnarmed, Policy::order(Mutation::claim_arm, std::memory_order_release));
        priority = (old & kPriority) >> kPriorityShift;
        return (old & kClaimed) == 0;
    }
    // A hint: who then claims the job acquires what was done before it was armed.
    bool is_armed() const noexcept { return (state_.load(std::memory_order_relaxed) & kUnarmed) == 0; }

    // A hint, until the caller has tried to claim it itself; but once it is true it stays so.
    bool is_claimed() const noexcept { return (state_.load(std::memory_order_relaxed) & kClaimed) != 0; }

    enum class Raise { too_late, noted, requeue };
    // Whoever calls holds a reference. requeue: the caller queues the job once more, with a reference that was counted
    // here. noted: arm() will see the priority.
    Raise raise(std::uint32_t priority) noexcept {
        auto&& state = Policy::at_once(Mutation::claim_raise_by_store, state_);
        std::uint32_t seen = state_.load(std::memory_order_relaxed);
        for (;;) {
            if ((seen & kClaimed) != 0 || (seen & kPriority) >> kPriorityShift >= priority) return Raise::too_late;
            const bool armed = (seen & kUnarmed) == 0;
            const std::uint32_t raised = ((seen & ~kPriority) | priority << kPriorityShift) + (armed ? 1 : 0);
            if (state.compare_exchange_weak(seen, raised, std::memory_order_relaxed, std::memory_order_relaxed)) {
                return armed ? Raise::requeue : Raise::noted;
            }
        }
    }
    // For a job that needs a permit before it may run: it begins unarmed, is queued all the same, and is armed once it
    // has its permit. Until then whoever finds it in a queue may only bring it to the gate; true for the first to do
    // so, if the job was not cancelled before.
    bool enter_gate() noexcept {
        auto&& state = Policy::at_once(Mutation::claim_enter_by_store, state_);
        std::uint32_t seen = state_.load(std::memory_order_relaxed);
        while ((seen & (kClaimed | kEntered)) == 0) {
            if (state.compare_exchange_weak(seen, seen | kEntered, std::memory_order_relaxed,
                                            std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    // Whoever entered has a permit for it and runs it at once. False: it was cancelled.
    bool try_start_with_permit() noexcept {
        std::uint32_t seen = state_.load(std::memory_order_relaxed);
        while ((seen & kClaimed) == 0) {
            if (state_.compare_exchange_weak(seen, (seen | kClaimed) & ~kUnarmed, std::memory_order_relaxed,
                                             std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    // The same for one that is to be queued, at `priority`.
    bool try_arm_with_permit(std::uint32_t& priority) noexcept {
        std::uint32_t seen = state_.load(std::memory_order_relaxed);
        while ((seen & kClaimed) == 0) {
            if (state_.compare_exchange_weak(seen, seen & ~kUnarmed,
                                             Policy::order(Mutation::claim_grant, std::memory_order_release),
                                             std::memory_order_relaxed)) {
                priority = (seen & kPriority) >> kPriorityShift;
                return true;
            }
        }
        return false;
    }
    // Once the job is claimed neither changes any more.
    bool has_permit() const noexcept {
        return (state_.load(Policy::order(Mutation::claim_has_permit, std::memory_order_acquire)) & kUnarmed) == 0;
    }
    bool has_entered_gate() const noexcept { return (state_.load(std::memory_order_relaxed) & kEntered) != 0; }

    std::uint32_t priority() const noexcept {
        return (state_.load(std::memory_order_relaxed) & kPriority) >> kPriorityShift;
    }

    // The result lives until the job has ended and the handle is gone, whichever comes last; not until the last queue
    // has forgotten the job. Both return true for the caller that has to destroy it.
    bool ended() noexcept {
        if ((state_.load(Policy::order(Mutation::claim_ended_alone, std::memory_order_acquire)) & kHandle) == 0) {
            return true;
        }
        return (state_.fetch_or(kEnded, Policy::order(Mutation::claim_ended, std::memory_order_acq_rel)) & kHandle) ==
               0;
    }
    bool handle_dropped() noexcept {
        return (state_.fetch_sub(kHandle, Policy::order(Mutation::claim_handle, std::memory_order_acq_rel)) & kEnded) !=
               0;
    }

    // The handle of a job that has not ended goes, and its reference with it, in one exchange: mostly a job nobody
    // waits for, whose runner then needs none at all. False: it has ended, see handle_dropped().
    bool drop_handle_before_end() noexcept {
        std::uint32_t seen = state_.load(std::memory_order_relaxed);
        while ((seen & kEnded) == 0) {
            if (state_.compare_exchange_weak(seen, seen - kHandle - 1,
                                             Policy::order(Mutation::claim_drop_early, std::memory_order_release),
                                             std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    // Whether nobody else knows of the job any more: no handle, and no reference but the caller's.
    bool is_forgotten() const noexcept {
        const std::uint32_t seen = state_.load(Policy::order(Mutation::claim_forgotten, std::memory_order_acquire));
        std::uint32_t known_by = kHandle;
        Policy::step(Mutation::claim_forgotten_handle_only, [&known_by] { known_by |= kReferences; });
        const std::uint32_t callers_own = known_by & 1;
        return (seen & known_by) == callers_own;
    }

    void retain() noexcept { state_.fetch_add(1, std::memory_order_relaxed); }

    // True for the caller that drops the last reference: the node is then its own.
    bool release() noexcept {
        // The only reference left is ours, so nobody else can change the word any more.
        if ((state_.load(Policy::order(Mutation::claim_sole_acquire, std::memory_order_acquire)) & kReferences) == 1) {
            return true;
        }
        return (state_.fetch_sub(1, Policy::order(Mutation::claim_release, std::memory_order_acq_rel)) & kReferences) ==
               1;
    }

  private:
    static constexpr std::uint32_t kClaimed = std::uint32_t{1} << 31;
    static constexpr std::uint32_t kShared = std::uint32_t{1} << 30;
    static constexpr std::uint32_t kHandle = std::uint32_t{1} << 29;
    static constexpr std::uint32_t kEnded = std::uint32_t{1} << 28;
    static constexpr std::uint32_t kUnarmed = std::uint32_t{1} << 27;
    static constexpr unsigned kPriorityShift = 25;
    static constexpr std::uint32_t kPriority = std::uint32_t{3} << kPriorityShift;
    static constexpr std::uint32_t kEntered = std::uint32_t{1} << 24;
    static constexpr std::uint32_t kReferences = kEntered - 1;

    typename Policy::template Atomic<std::uint32_t> state_{0};
};

}  // namespace quarry::impl
