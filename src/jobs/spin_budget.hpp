#pragma once

#include <algorithm>
#include <cstdint>

#include "jobs/os.hpp"

namespace quarry::impl {

// How long to look for work before sleeping, by how often looking has paid (R60): success lengthens the next search,
// failure shortens it. Sleeping and being woken costs some 5 to 50 us, so looking longer than kMost never pays.
class SpinBudget {
  public:
    static constexpr std::uint64_t kLeastMicroseconds = 1;
    static constexpr std::uint64_t kMostMicroseconds = 20;

    // The host's own thread does not spin (R61): it looks for no longer than going to sleep would take.
    static constexpr std::uint64_t kGuestMicroseconds = 2;

    explicit SpinBudget(bool guest) noexcept
        : least_((guest ? 0 : kLeastMicroseconds) * os::ticks_per_microsecond()),
          most_((guest ? kGuestMicroseconds : kMostMicroseconds) * os::ticks_per_microsecond()),
          ticks_(most_ / 2) {}

    std::uint64_t ticks() const noexcept { return ticks_; }
    void found() noexcept { ticks_ = std::min(most_, ticks_ + ticks_ / 2); }
    void slept() noexcept { ticks_ = std::max(least_, ticks_ - ticks_ / 4); }

  private:
    std::uint64_t least_;
    std::uint64_t most_;
    std::uint64_t ticks_;
};

}  // namespace quarry::impl
