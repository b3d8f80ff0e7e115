#pragma once

#include <chrono>

namespace quarry {

// Time that moves only when it is told to, in the unit of the steady clock: for tests, replays and simulated hosts. It
// can also be turned back, which the steady clock promises never to do. Not for use by several threads at once.
class VirtualClock {
  public:
    using duration = std::chrono::steady_clock::duration;
    using time_point = std::chrono::steady_clock::time_point;

    VirtualClock() = default;
    explicit VirtualClock(time_point now) noexcept : now_(now) {}

    time_point now() const noexcept { return now_; }
    void set(time_point now) noexcept { now_ = now; }
    VirtualClock& operator+=(duration passed) noexcept {
        now_ += passed;
        return *this;
    }

  private:
    time_point now_{};
};

}  // namespace quarry
