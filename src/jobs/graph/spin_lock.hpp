#pragma once

#include <atomic>

#include "jobs/os/os.hpp"

namespace quarry::impl {

// For a few instructions at a time, where the holder never waits for anybody.
class SpinLock {
  public:
    void lock() noexcept {
        while (locked_.exchange(true, std::memory_order_acquire)) {
            for (int spins = 0; locked_.load(std::memory_order_relaxed); ++spins) {
                // The holder may have lost its CPU.
                if (spins < 256) {
                    os::cpu_relax();
                } else {
                    os::yield_thread();
                }
            }
        }
    }
    void unlock() noexcept { locked_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> locked_{false};
};

}  // namespace quarry::impl
