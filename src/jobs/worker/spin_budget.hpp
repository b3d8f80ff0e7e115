#pragma once

#include <algorithm>
#include <cstdint>

#include "jobs/os/os.hpp"

namespace quarry::impl {

// How long to look for work before sleeping, by how often looking has paid: success lengthens the next search,
// failure shortens it. Sleeping and being woken costs some 5 to 50 us, so looking longer than kMost never pays.
class SpinBudget {
  public:
    static constexpr std::uint64_t kShortestMicroseconds = 1;
    static constexpr std::uint64_t kMostMicroseconds = 20;
    // The host's own thread does not spin: it looks for no longer than going to sleep would take.
    static constexpr std::uint64_t kGuestMicroseconds = 2;

    // For the search after a job that the worker was woken for from outside. Where that has not paid it is a single
    // look: the scheduler charges a longer one to the thread, which then no longer gets ahead of its waker when it is
    // woken.
    static SpinBudget after_wake_from_outside() noexcept { return {0, kShortestMicroseconds, kMostMicroseconds}; }
    // For all other searches, and for waits: within a computation work mostly comes soon.
    static SpinBudget within_computation(bool guest) noexcept {
        return guest ? SpinBudget(0, 0, kGuestMicroseconds)
                     : SpinBudget(kShortestMicroseconds, kShortestMicroseconds, kMostMicroseconds);
    }

    std::uint64_t ticks() const noexcept { return ticks_; }
    void found() noexcept { ticks_ = std::clamp(ticks_ + ticks_ / 2, shortest_, most_); }
    void slept() noexcept {
        ticks_ -= ticks_ / 4;
        if (ticks_ < shortest_) ticks_ = least_;
    }

  private:
    SpinBudget(std::uint64_t least, std::uint64_t shortest, std::uint64_t most) noexcept
        : least_(least * os::ticks_per_microsecond()),
          shortest_(shortest * os::ticks_per_microsecond()),
          most_(most * os::ticks_per_microsecond()),
          ticks_(most_ / 2) {}

    std::uint64_t least_;
    std::uint64_t shortest_;  // a search that would be shorter takes least_ instead
    std::uint64_t most_;
    std::uint64_t ticks_;
};

}  // namespace quarry::impl
