#pragma once

#include <cstdint>

#include "process/ring/ring.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::process::impl {

// Who decides over a job that lies in a ring: the worker by starting it, or the host by withdrawing it. One exchange,
// so exactly one of them does.
template <class Policy>
class Claim {
  public:
    enum State : std::uint32_t {
        kReady = 1,
        kStarted,
        kStopping,   // started, and asked to stop
        kWithdrawn,  // the host has answered for it already
    };

    // Host, before the job is published.
    void reset() { state_.store(kReady, std::memory_order_relaxed); }
    // Worker: false if the host was first.
    bool start() { return decide(kStarted); }
    // Host: false if the worker was first. Whatever a worker may have written there is no withdrawal.
    bool withdraw() { return decide(kWithdrawn); }
    // Host: asks a started job to stop.
    void ask_to_stop() {
        std::uint32_t seen = kStarted;
        state_.compare_exchange_strong(seen, kStopping, std::memory_order_relaxed, std::memory_order_relaxed);
    }
    bool asked_to_stop() const { return state_.load(std::memory_order_relaxed) == kStopping; }
    bool is_ready() const { return state_.load(std::memory_order_relaxed) == kReady; }

  private:
    bool decide(State state) {
        std::uint32_t seen = kReady;
        return Policy::at_once(Mutation::process_claim_by_store, state_)
            .compare_exchange_strong(seen, state, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    typename Policy::template Atomic<std::uint32_t> state_{kReady};
};

}  // namespace quarry::process::impl
