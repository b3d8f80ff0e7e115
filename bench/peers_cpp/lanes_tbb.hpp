#pragma once

#include <utility>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "jobs/rows/lanes.hpp"

namespace quarry::bench {

// Two arenas over the same two threads. A thread is reserved by the size of the background's arena, and none of its
// own for jobs that block, so there is no I/O lane.
class TbbLanes {
  public:
    static constexpr bool kHasBackground = true;
    static constexpr bool kHasIo = false;

    explicit TbbLanes(int reserved)
        : limit_(tbb::global_control::max_allowed_parallelism, kLanesWorkers + 1),
          frame_(kLanesWorkers, 0, tbb::task_arena::priority::high),
          background_(kLanesWorkers - reserved, 0, tbb::task_arena::priority::low) {}

    template <class F>
    void hand_over(F&& job) {
        frame_.enqueue(std::forward<F>(job));
    }
    template <class F>
    void submit(OtherLane, F&& job) {
        background_.enqueue(std::forward<F>(job));
    }

  private:
    tbb::global_control limit_;
    tbb::task_arena frame_;
    tbb::task_arena background_;
};

}  // namespace quarry::bench
