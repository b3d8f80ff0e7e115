#pragma once

#include <algorithm>
#include <cmath>

namespace quarry::impl {

// What an item takes, learned from those before it, in nanoseconds: a moving mean, and how far items are from it.
class ItemCost {
  public:
    void learn(double nanoseconds) noexcept {
        // The first one often pays for what a host makes once.
        if (mean_ < 0 || (is_first_ && nanoseconds < mean_)) {
            is_first_ = mean_ < 0;
            mean_ = nanoseconds;
            deviation_ = 0;
            return;
        }
        is_first_ = false;
        // One item that is out of all proportion (a page fault, a preemption) must not keep the next frames from using
        // their budget; if all are that long, it is learned within a few of them.
        const double believed = std::min(nanoseconds, 2 * expected() + kAlwaysBelieved);
        const double difference = believed - mean_;
        mean_ += difference / 8;
        deviation_ += (std::abs(difference) - deviation_) / 4;
    }
    // 0 as long as nothing is known.
    double expected() const noexcept { return mean_ < 0 ? 0 : mean_ + deviation_; }

  private:
    static constexpr double kAlwaysBelieved = 1000;

    double mean_ = -1;
    bool is_first_ = false;  // what is known is known from one item
    double deviation_ = 0;
};

}  // namespace quarry::impl
