#pragma once

#include <cstdint>

#include "jobs/measure.hpp"

namespace quarry::bench {

// Adds up the time of calls.
class Stopwatch {
  public:
    template <class F>
    void time(F&& f) {
        const std::int64_t start = now_ns();
        f();
        spent_ += now_ns() - start;
    }
    double seconds() const { return static_cast<double>(spent_) / 1e9; }

  private:
    std::int64_t spent_ = 0;
};

}  // namespace quarry::bench
