#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "jobs/os/os.hpp"

namespace quarry::impl {

// Keeps thieves away from tiny jobs. A stolen job costs its owner some 50 ns of cache traffic, so a thief that finds
// jobs shorter than that slows the whole down: it waits before it steals again, for longer the longer this goes on,
// while the owner runs them itself. One batch of longer jobs ends it.
class StealPace {
  public:
    static constexpr std::uint64_t kTinyNanoseconds = 200;
    static constexpr std::uint64_t kLongestPauseMicroseconds = 16;

    void stole(std::size_t jobs) noexcept {
        jobs_ = jobs;
        at_ = os::ticks();
    }

    // The stolen jobs have been run: how long to stay away from other workers' queues, in ticks of the clock.
    std::uint64_t away_until() noexcept {
        if (jobs_ == 0) return 0;
        const std::uint64_t now = os::ticks();
        const std::uint64_t microsecond = os::ticks_per_microsecond();
        const bool tiny = (now - at_) * 1000 < jobs_ * kTinyNanoseconds * microsecond;
        pause_ = tiny ? std::clamp(pause_ * 2, microsecond, kLongestPauseMicroseconds * microsecond) : 0;
        jobs_ = 0;
        return now + pause_;
    }

  private:
    std::size_t jobs_ = 0;
    std::uint64_t at_ = 0;
    std::uint64_t pause_ = 0;
};

}  // namespace quarry::impl
