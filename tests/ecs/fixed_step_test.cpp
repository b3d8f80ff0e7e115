#include "quarry/ecs/fixed_step.hpp"

#include <gtest/gtest.h>

#include "quarry/frame/virtual_clock.hpp"
#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

struct Count {
    int ticks = 0;
};

TEST(FixedStep, RunsOneTickForEachStepThatIsDue) {
    Schedule<Count> schedule;
    schedule.add("count").exclusive().run([](Count& world) { ++world.ticks; });
    FrameClock clock(50, 3);
    VirtualClock time;
    Count world;
    BlockingExecutor executor;
    run_due_steps(clock, time.now(), executor, schedule, world);
    EXPECT_EQ(world.ticks, 0);
    time += std::chrono::milliseconds(41);
    EXPECT_EQ(run_due_steps(clock, time.now(), executor, schedule, world).steps, 2);
    EXPECT_EQ(world.ticks, 2);
    time += std::chrono::seconds(1);  // a stall: at most 3 are caught up
    int reports = 0;
    const FrameSteps late = run_due_steps(clock, time.now(), executor, schedule, world,
                                          [&](const TickReport& report) { reports += report.ok() ? 1 : 0; });
    EXPECT_EQ(late.steps, 3);
    EXPECT_GT(late.dropped_steps, 0);
    EXPECT_EQ(reports, 3);
    EXPECT_EQ(world.ticks, 5);
}

}  // namespace
}  // namespace quarry::ecs
