#include <memory>

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

TEST(Background, UnderWayIsAppliedAtItsTickEvenIfTheScheduleIsChangedMeanwhile) {
    for (const int workers : {0, 2}) {
        Pool pool(std::max(workers, 1));
        Schedule<LoggedWorld> schedule;
        add_search(schedule, nullptr);
        LoggedWorld world;
        const auto tick = [&] {
            if (workers == 0) {
                BlockingExecutor().run(schedule, world).rethrow();
            } else {
                ParallelExecutor(pool).run(schedule, world).rethrow();
            }
        };
        tick();
        schedule.add("early", phase::pre_update).run([] {});  // moves the others up by one
        tick();
        schedule.add("late").run([] {});
        tick();
        EXPECT_TRUE(world.log.empty());
        tick();
        EXPECT_EQ(world.log, std::vector<std::uint64_t>{0}) << workers << " workers";
        EXPECT_EQ(schedule.report().systems[1].commands, 1U);
    }
}

TEST(Background, DefinedAnewEndsFirstWhereItIsUnderWay) {
    std::atomic<bool> under_way{false};
    std::atomic<bool> gone_too_early{false};
    std::atomic<int> second{0};
    auto token = std::make_shared<int>(0);
    const std::weak_ptr<int> alive = token;
    Pool pool(2);
    Schedule<LoggedWorld> schedule;
    System<LoggedWorld> search = schedule.add("search");
    search.background(
        2, [token](const LoggedWorld&) { return *token; },
        [&](int&, Commands<LoggedWorld>& commands) {
            under_way = true;
            spin_for(std::chrono::milliseconds(20));
            if (alive.expired()) gone_too_early = true;
            commands.custom([](LoggedWorld& world) { world.log.push_back(1); });
        });
    token.reset();
    LoggedWorld world;
    ParallelExecutor(pool).run(schedule, world).rethrow();
    ASSERT_TRUE(quarry::test_support::eventually([&] { return under_way.load(); }));
    search.background(
        2, [](const LoggedWorld&) { return 0; }, [&](int&, Commands<LoggedWorld>&) { ++second; });
    for (int tick = 0; tick < 3; ++tick) ParallelExecutor(pool).run(schedule, world).rethrow();
    EXPECT_FALSE(gone_too_early.load());
    EXPECT_GE(second.load(), 1);
    EXPECT_TRUE(world.log.empty());  // what the old one found is of no use to anybody
}

TEST(Background, PoolMayGoBeforeTheSchedule) {
    std::atomic<int> runs{0};
    Schedule<LoggedWorld> schedule;
    add_search(schedule, &runs);
    LoggedWorld world;
    {
        Pool pool(2);
        ParallelExecutor(pool).run(schedule, world).rethrow();
    }
    for (int tick = 0; tick < 3; ++tick) BlockingExecutor().run(schedule, world).rethrow();
    EXPECT_EQ(runs.load(), 2);  // and the next one
    EXPECT_EQ(world.log, std::vector<std::uint64_t>{0});
}

TEST(Background, OfNoTicksIsRefused) {
    Schedule<LoggedWorld> schedule;
    schedule.add("hasty").background(
        0, [](const LoggedWorld&) { return 0; }, [](int&, Commands<LoggedWorld>&) {});
    EXPECT_THROW(schedule.build(), ScheduleError);
}

}  // namespace
}  // namespace quarry::ecs
