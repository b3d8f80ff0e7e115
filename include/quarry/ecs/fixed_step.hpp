#pragma once

#include "quarry/ecs/executor.hpp"
#include "quarry/frame/frame_clock.hpp"

namespace quarry::ecs {

// Runs one tick for each fixed step that is due at `now`. Returns what the clock said; the reports of the ticks but the
// last are gone, so after_tick(const TickReport&) is called for each of them.
template <class Executor, class World, class AfterTick>
FrameSteps run_due_steps(FrameClock& clock, FrameClock::time_point now, Executor& executor, Schedule<World>& schedule,
                         World& world, AfterTick after_tick) {
    const FrameSteps due = clock.advance(now);
    for (int step = 0; step < due.steps; ++step) after_tick(executor.run(schedule, world));
    return due;
}

template <class Executor, class World>
FrameSteps run_due_steps(FrameClock& clock, FrameClock::time_point now, Executor& executor, Schedule<World>& schedule,
                         World& world) {
    return run_due_steps(clock, now, executor, schedule, world, [](const TickReport&) {});
}

}  // namespace quarry::ecs
