#pragma once

#include <utility>

#include <quarry/jobs/pool.hpp>

#include "jobs/recording.hpp"
#include "jobs/rows/lanes.hpp"

namespace quarry::bench {

class QuarryLanes {
  public:
    static constexpr bool kHasBackground = true;
    static constexpr bool kHasIo = true;

    explicit QuarryLanes(int reserved)
        : pool_(PoolOptions{.workers = kLanesWorkers, .io_threads = kLanesIoThreads, .reserved_for_frame = reserved}) {
        record(pool_);
    }

    template <class F>
    void hand_over(F&& job) {
        pool_.submit(std::forward<F>(job));
    }
    template <class F>
    void submit(OtherLane lane, F&& job) {
        pool_.submit(std::forward<F>(job), {.lane = lane == OtherLane::io ? Lane::io : Lane::background});
    }

  private:
    Pool pool_;
};

}  // namespace quarry::bench
