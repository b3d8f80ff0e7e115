#pragma once

#include <algorithm>
#include <cstdint>

#include "jobs/os.hpp"

namespace quarry::impl {

// How many polls to let pass before looking again at an offer that stands while somebody is hungry. Where polls follow
// each other within nanoseconds looking at each one would cost more than the work; where they are rare each one counts.
class Patience {
  public:
    static constexpr std::int32_t kMostPolls = 64;
    static constexpr std::uint64_t kSoonNanoseconds = 1000;

    std::int32_t next() noexcept {
        const std::uint64_t now = os::ticks();
        const bool soon = (now - last_look_) * 1000 < kSoonNanoseconds * os::ticks_per_microsecond();
        last_look_ = now;
        polls_ = soon ? std::min(polls_ * 4, kMostPolls) : 1;
        return polls_;
    }
    void lose() noexcept { polls_ = 1; }

  private:
    std::int32_t polls_ = 1;
    std::uint64_t last_look_ = 0;
};

}  // namespace quarry::impl
