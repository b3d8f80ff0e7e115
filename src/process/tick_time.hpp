#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace quarry::process::impl {

// Ticks as nanoseconds. Divisions took a tenth of the time of a small job; up to an hour one multiplication does it, to
// some millionths.
class TickTime {
  public:
    explicit TickTime(std::uint64_t ticks_per_us)
        : ticks_per_us_(ticks_per_us), factor_((1000ULL << kShift) / ticks_per_us), hour_(kHourUs * ticks_per_us) {}

    std::chrono::nanoseconds operator()(std::uint64_t ticks) const {
        if (ticks <= hour_) return up_to_an_hour(ticks);
        return std::chrono::nanoseconds(static_cast<std::int64_t>(ticks / ticks_per_us_ * 1000));
    }
    // An hour for all that is longer.
    std::chrono::nanoseconds up_to_an_hour(std::uint64_t ticks) const {
        return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(ticks, hour_) * factor_ >> kShift));
    }

  private:
    static constexpr std::uint64_t kHourUs = 3'600'000'000;
    static constexpr unsigned kShift = 20;  // an hour of nanoseconds, shifted, takes 62 bits

    std::uint64_t ticks_per_us_;
    std::uint64_t factor_;
    std::uint64_t hour_;
};

}  // namespace quarry::process::impl
