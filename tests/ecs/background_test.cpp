#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

// A search over three ticks: starts in ticks 1, 4, 7, ... and is applied in 4, 7, ...
void add_search(Schedule<LoggedWorld>& schedule, std::atomic<int>* runs) {
    schedule.add("search").reads<Position>().background(
        3, [](const LoggedWorld& world) { return world.size(); },
        [runs](std::size_t& size, Commands<LoggedWorld>& commands) {
            spin_for(std::chrono::microseconds(300));
            if (runs != nullptr) ++*runs;
            commands.custom([size](LoggedWorld& world) { world.log.push_back(size); });
        });
    schedule.add("grow").run([](LoggedWorld&, Commands<LoggedWorld>& commands) { commands.spawn(); });
}

TEST(Background, CommandsAreAppliedAtTheFixedLaterTickWhateverTheExecutor) {
    std::vector<std::vector<std::uint64_t>> logs;
    Pool one(1);
    Pool three(3);
    for (int way = 0; way < 4; ++way) {
        Schedule<LoggedWorld> schedule;
        add_search(schedule, nullptr);
        LoggedWorld world;
        ShuffledExecutor shuffled(3);
        for (int tick = 1; tick <= 8; ++tick) {
            if (way == 0) BlockingExecutor().run(schedule, world);
            if (way == 1) shuffled.run(schedule, world);
            if (way == 2) ParallelExecutor(one).run(schedule, world);
            if (way == 3) ParallelExecutor(three).run(schedule, world);
            EXPECT_EQ(world.log.size(), tick < 4 ? 0U : tick < 7 ? 1U : 2U) << "tick " << tick << ", way " << way;
        }
        // What was captured in tick 1 and tick 4.
        EXPECT_EQ(world.log, (std::vector<std::uint64_t>{0, 3}));
    }
}

TEST(Background, RunsBesideTheTicks) {
    std::atomic<bool> go{false};
    Pool pool(2);
    Schedule<LoggedWorld> schedule;
    schedule.add("slow").background(
        2, [](const LoggedWorld&) { return 0; },
        [&](int&, Commands<LoggedWorld>&) {
            while (!go) std::this_thread::yield();
        });
    LoggedWorld world;
    ParallelExecutor(pool).run(schedule, world);
    ParallelExecutor(pool).run(schedule, world);  // returns although it is still under way
    go = true;
    EXPECT_TRUE(ParallelExecutor(pool).run(schedule, world).ok());
}

TEST(Background, ScheduleWaitsForItBeforeItGoes) {
    std::atomic<int> runs{0};
    Pool pool(2);
    {
        Schedule<LoggedWorld> schedule;
        add_search(schedule, &runs);
        LoggedWorld world;
        ParallelExecutor(pool).run(schedule, world);
    }
    EXPECT_EQ(runs.load(), 1);
}

TEST(Background, DisabledIsAppliedOnceMoreAndNotStartedAgain) {
    std::atomic<int> runs{0};
    Pool pool(2);
    Schedule<LoggedWorld> schedule;
    add_search(schedule, &runs);
    LoggedWorld world;
    ParallelExecutor(pool).run(schedule, world);
    schedule.disable("search");
    for (int tick = 0; tick < 6; ++tick) ParallelExecutor(pool).run(schedule, world);
    EXPECT_EQ(runs.load(), 1);
    EXPECT_EQ(world.log.size(), 1U);
}

TEST(Background, OfNoTicksIsRefused) {
    Schedule<LoggedWorld> schedule;
    schedule.add("hasty").background(
        0, [](const LoggedWorld&) { return 0; }, [](int&, Commands<LoggedWorld>&) {});
    EXPECT_THROW(schedule.build(), ScheduleError);
}

}  // namespace
}  // namespace quarry::ecs
