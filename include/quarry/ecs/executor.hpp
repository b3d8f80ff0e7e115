#pragma once

#include <cstdint>

#include "quarry/ecs/schedule.hpp"
#include "quarry/ecs/tick_report.hpp"
#include "quarry/jobs/fwd.hpp"

namespace quarry::ecs {

// All three leave the world in the same state, bit for bit, and apply the same commands in the same order. The report
// lives in the schedule until its next tick. They throw ScheduleError for a schedule that cannot be built, and
// quarry::Error when a tick of it runs already, for instance when a system asks for the next one.

// Every system on the calling thread, one after the other.
class BlockingExecutor {
  public:
    // One tick.
    template <class World>
    const TickReport& run(Schedule<World>& schedule, World& world) {
        return schedule.core().tick(&world, {});
    }
};

// On the calling thread and the workers of a pool.
class ParallelExecutor {
  public:
    // The pool must outlive it.
    explicit ParallelExecutor(Pool& pool) noexcept : pool_(&pool) {}

    // One tick.
    template <class World>
    const TickReport& run(Schedule<World>& schedule, World& world) {
        return schedule.core().tick(&world, {pool_, false, 0, nullptr});
    }

  private:
    Pool* pool_;
};

// On the calling thread, in an order and with ranges drawn from a seed: plays what a number of workers might do, and
// plays it again for the same seed.
class ShuffledExecutor {
  public:
    // Each tick takes the next seed.
    explicit ShuffledExecutor(std::uint64_t seed) noexcept : seed_(seed) {}

    // One tick.
    template <class World>
    const TickReport& run(Schedule<World>& schedule, World& world) {
        return schedule.core().tick(&world, {nullptr, true, seed_++, nullptr});
    }

  private:
    std::uint64_t seed_;
};

}  // namespace quarry::ecs
