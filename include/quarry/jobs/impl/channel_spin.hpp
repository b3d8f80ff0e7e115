#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "quarry/export.hpp"
#include "quarry/jobs/impl/ticks.hpp"

namespace quarry::impl {

// How long it pays at most to look before sleeping, in ticks; 0 where only one CPU may be used.
QUARRY_API std::uint64_t channel_most_spin_ticks() noexcept;

// How long one side of a channel looks before it sleeps, by how often looking has paid. Threads share it and
// overwrite each other's changes, which costs it nothing but precision.
class ChannelSpin {
  public:
    ChannelSpin() : most_(channel_most_spin_ticks()), ticks_(most_ / 2) {}

    template <class Ready>
    bool until(Ready ready) noexcept {
        if (most_ == 0) return false;
        const std::uint64_t budget = ticks_.load(std::memory_order_relaxed);
        const std::uint64_t start = ticks();
        do {
            cpu_relax();
            if (ready()) {
                ticks_.store(std::min(most_, budget + budget / 8 + 1), std::memory_order_relaxed);
                return true;
            }
        } while (ticks() - start < budget);
        ticks_.store(budget - budget / 4, std::memory_order_relaxed);
        return false;
    }

  private:
    const std::uint64_t most_;
    std::atomic<std::uint64_t> ticks_;
};

}  // namespace quarry::impl
