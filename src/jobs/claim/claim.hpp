#pragma once

#include <cstdint>

#include "jobs/atomics/policy.hpp"

namespace quarry::impl {

// The right to run a job, and the references that keep its node alive. See README.md.
template <class Policy>
class Claim {
  public:
    // Before the node is published.
    void prepare(std::uint32_t references) noexcept { state_.store(references, std::memory_order_relaxed); }

    // True for exactly one caller. Whoever calls holds a reference.
    bool try_claim() noexcept {
        if (Policy::mutated(Mutation::claim_without_exchange)) {
            const std::uint32_t seen = state_.load(std::memory_order_relaxed);
            state_.store(seen | kClaimed, std::memory_order_relaxed);
            return (seen & kClaimed) == 0;
        }
        return (state_.fetch_or(kClaimed, std::memory_order_relaxed) & kClaimed) == 0;
    }
    bool is_claimed() const noexcept { return (state_.load(std::memory_order_relaxed) & kClaimed) != 0; }

    void retain() noexcept { state_.fetch_add(1, std::memory_order_relaxed); }

    // True for the caller that drops the last reference: the node is then its own.
    bool release() noexcept {
        // The only reference left is ours, so nobody else can change the word any more.
        if ((state_.load(Policy::order(Mutation::claim_sole_acquire, std::memory_order_acquire)) & kReferences) == 1) {
            return true;
        }
        return (state_.fetch_sub(1, Policy::order(Mutation::claim_release, std::memory_order_acq_rel)) &
                kReferences) == 1;
    }

  private:
    static constexpr std::uint32_t kClaimed = std::uint32_t{1} << 31;
    static constexpr std::uint32_t kReferences = kClaimed - 1;

    typename Policy::template Atomic<std::uint32_t> state_{0};
};

}  // namespace quarry::impl
