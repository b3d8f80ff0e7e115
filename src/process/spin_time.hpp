#pragma once

#include <algorithm>
#include <cstdint>

namespace quarry::process::impl {

// For how long to look for what may come soon before going to sleep, in ticks: as long as that has paid.
class SpinTime {
  public:
    SpinTime() = default;
    explicit SpinTime(std::uint64_t most) : most_(most), now_(most) {}

    bool is_allowed() const { return most_ != 0; }
    // Now and then as long as is allowed: what came just after the end of a shorter look would never be found out.
    std::uint64_t next() { return ++turns_ % kTurnsBetweenLongOnes == 0 ? most_ : now_; }
    void has_paid() { now_ = most_; }
    // Half as long the next time, but never less than it takes to wake a sleeper and hand over another job, or who
    // sleeps once would sleep every time.
    void has_not_paid() { now_ = std::max(most_ / kLeastPart, now_ / 2); }

  private:
    static constexpr std::uint64_t kLeastPart = 5;
    static constexpr std::uint32_t kTurnsBetweenLongOnes = 16;

    std::uint64_t most_ = 0;
    std::uint64_t now_ = 0;
    std::uint32_t turns_ = 0;
};

}  // namespace quarry::process::impl
