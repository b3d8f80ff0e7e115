#pragma once

#include <cstdint>

#include "jobs/atomics/policy.hpp"

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

    // The caller has just taken an unshared job out of its only queue and will publish it again, in two places. The
    // handle may be dropped at the same time, so a load and a store would not do.
    void share() noexcept {
        if (Policy::mutated(Mutation::claim_share_by_store)) {
            state_.store(state_.load(std::memory_order_relaxed) + kShared + 1, std::memory_order_relaxed);
            return;
        }
        state_.fetch_add(kShared + 1, std::memory_order_relaxed);
    }

    // True for exactly one caller. Whoever calls holds a reference.
    bool try_claim() noexcept {
        const std::uint32_t seen = state_.load(std::memory_order_relaxed);
        if ((seen & kShared) == 0) return true;
        if (Policy::mutated(Mutation::claim_without_exchange)) {
            state_.fetch_or(kClaimed, std::memory_order_relaxed);
            return (seen & kClaimed) == 0;
        }
        return (state_.fetch_or(kClaimed, std::memory_order_relaxed) & kClaimed) == 0;
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
    static constexpr std::uint32_t kReferences = kEnded - 1;

    typename Policy::template Atomic<std::uint32_t> state_{0};
};

}  // namespace quarry::impl
