#pragma once

#include <chrono>
#include <cstdint>

namespace quarry::app {

// CPU time that the calling thread has used.
std::chrono::nanoseconds thread_cpu_time() noexcept;

// Work of a wanted length: arithmetic that keeps a core busy until the calling thread has spent that much CPU time, so
// that a thread that is put aside meanwhile still does all of it.
class CpuWork {
  public:
    // Finds out, within some milliseconds, how fast this thread computes.
    static CpuWork calibrate();
    explicit CpuWork(double rounds_per_nanosecond) : rounds_per_nanosecond_(rounds_per_nanosecond) {}

    void run(std::chrono::nanoseconds length) const noexcept;

    double rounds_per_nanosecond() const noexcept { return rounds_per_nanosecond_; }

  private:
    double rounds_per_nanosecond_;
};

}  // namespace quarry::app
