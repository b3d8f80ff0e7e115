#pragma once

#include <chrono>

namespace quarry {

// Time that moves only when it is told to, in the unit of the steady clock: for tests, replays and simulated hosts. It
// can also be turned back, which the steady clock promises never to do. Not for use by several threads at once.
class VirtualClock {
  public:
    // Those of the steady clock.
    using duration = std::chrono::steady_clock::duration;
    using time_point = std::chrono::steady_clock::time_point;

    VirtualClock() = default;
    // Begins at that time.
    explicit VirtualClock(time_point now) noexcept : now_(now) {}

    // The time that was set last.
    time_point now() const noexcept { return now_; }
    // Moves the time, also backwards.
    void set(time_point now) noexcept { now_ = now; }
    // Moves the time on.
    VirtualClock& operator+=(duration passed) noexcept {
        now_ += passed;
        return *this;
    }

  private:
    time_point now_{};
};

}  // namespace quarry
