#pragma once

#include "jobs/atomics/policy.hpp"

namespace quarry::impl {

// The end of a pool: it is told to stop, and at some time every job has ended. See README.md.
template <class Policy>
class Drain {
  public:
    using Flag = typename Policy::template Atomic<bool>;

    // look() follows.
    void stop() noexcept { stopping_.store(true, std::memory_order_seq_cst); }
    bool is_stopping() const noexcept { return stopping_.load(std::memory_order_seq_cst); }
    const Flag& stopping() const noexcept { return stopping_; }

    // The caller sees all that the jobs did.
    bool is_drained() const noexcept {
        return drained_.load(Policy::order(Mutation::drain_is_drained, std::memory_order_acquire));
    }

    // After stop(), and by every thread after it has counted the end of a job, before it sleeps or goes; after it has
    // announced its sleep, and before it looks at is_drained() for the last time. True for the one caller that finds
    // the end: it wakes all who sleep. all_ended() adds up the counters.
    template <class AllEnded>
    [[nodiscard]] bool look(AllEnded all_ended) noexcept {
        // Of two threads that count or stop first and look second, one sees what the other did.
        if (!Policy::mutated(Mutation::drain_fence)) Policy::fence(std::memory_order_seq_cst);
        if (!stopping_.load(std::memory_order_relaxed) || is_drained()) return false;
        // What others counted before they saw no stop is counted for us, who saw it.
        if (!Policy::mutated(Mutation::drain_stop_fence)) Policy::fence(std::memory_order_seq_cst);
        if (!all_ended()) return false;
        return !drained_.exchange(true, Policy::order(Mutation::drain_found, std::memory_order_release));
    }

    // A thread that is in no job has counted a new one. True: the pool does not end before that job. False: the pool
    // may have ended already, so the caller takes the count back, and looks.
    [[nodiscard]] bool still_accepts() const noexcept {
        if (!Policy::mutated(Mutation::drain_accept_fence)) Policy::fence(std::memory_order_seq_cst);
        return !stopping_.load(std::memory_order_relaxed);
    }

  private:
    Flag stopping_{false};
    Flag drained_{false};
};

}  // namespace quarry::impl
