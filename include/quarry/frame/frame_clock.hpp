#pragma once

#include <chrono>
#include <cstdint>

#include "quarry/export.hpp"
#include "quarry/frame/fwd.hpp"

namespace quarry {

// What is to be done now.
struct FrameSteps {
    int steps = 0;                            // fixed steps to run, at most max_catch_up
    std::int64_t dropped_steps = 0;           // due as well, but never to be run
    std::chrono::nanoseconds dropped_time{};  // how long these would have covered
};

// Fixed steps locked to a monotonic clock. The first `advance` starts the clock; step k (1, 2, ...) is due at
// start + k / hertz, computed exactly from there and not by adding up periods: however long it runs and however
// irregularly it is asked, it does not drift. The rate is taken as the number that the double is: 59.94 or
// 60000.0 / 1001 are as exact as 60. After a stall at most `max_catch_up` steps are run; the rest of the debt is
// dropped, counted, and the steps stay on their places in time.
//
// A time before the latest one is counted and runs nothing. If it is earlier by no more than max_catch_up steps, the
// clock stands still until time has caught up; else it goes on from there as if no time had passed.
//
// For one thread, the host's. `now` may come from the steady clock or from a VirtualClock.
class FrameClock {
  public:
    // The clock whose times it takes.
    using Clock = std::chrono::steady_clock;
    using time_point = Clock::time_point;

    // Limits of the arguments of the constructor.
    static constexpr double kLeastHertz = 1;
    static constexpr double kMostHertz = 1000;
    static constexpr int kMostCatchUp = 1000;

    // Throws std::invalid_argument unless hertz is 1 to 1000 and max_catch_up 1 to 1000.
    QUARRY_API explicit FrameClock(double hertz, int max_catch_up = 3);

    // How many steps are due at that time, or now. The first call starts the clock and runs nothing.
    QUARRY_API FrameSteps advance(time_point now);
    FrameSteps advance() { return advance(Clock::now()); }

    // How far the latest time is on the way from the latest step to the next: in [0, 1). Between the last two states
    // of the simulation it is where to draw.
    double interpolation() const noexcept { return interpolation(latest_); }
    // interpolation() for a later moment, such as the one at which the picture will be seen. 0 before the latest step,
    // and just below 1 from the next step on.
    QUARRY_API double interpolation(time_point now) const noexcept;

    // When the next step is due: what a host may sleep until. Before the first advance: the clock's epoch.
    time_point next_step() const noexcept { return next_; }

    // As given to the constructor; the period is its inverse.
    double hertz() const noexcept { return hertz_; }
    int max_catch_up() const noexcept { return max_catch_up_; }
    std::chrono::duration<double> period() const noexcept { return std::chrono::duration<double>(1 / hertz_); }

    // In total, since the clock was made.
    std::int64_t steps() const noexcept { return steps_; }
    std::int64_t dropped_steps() const noexcept { return dropped_steps_; }
    std::chrono::nanoseconds dropped_time() const noexcept { return dropped_time_; }
    std::int64_t times_backwards() const noexcept { return times_backwards_; }

  private:
    FrameSteps turn_back(time_point now) noexcept;
    void start(time_point now) noexcept;
    std::uint64_t steps_in(std::uint64_t nanoseconds) const noexcept;
    std::uint64_t nanoseconds_to(std::uint64_t step) const noexcept;
    void set_place(std::uint64_t step) noexcept;

    double hertz_;
    std::uint64_t scaled_hertz_;  // hertz * 2^52, which is a whole number
    int max_catch_up_;
    bool started_ = false;
    time_point start_{};
    time_point latest_{};
    time_point current_{};     // when the latest step was due, run or dropped
    time_point next_{};        // when the next one is
    std::uint64_t place_ = 0;  // number of the latest step, counted from start_
    std::int64_t steps_ = 0;
    std::int64_t dropped_steps_ = 0;
    std::chrono::nanoseconds dropped_time_{};
    std::int64_t times_backwards_ = 0;
};

}  // namespace quarry
