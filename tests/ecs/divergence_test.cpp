#include "quarry/ecs/divergence.hpp"

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

TEST(Divergence, NoneForSystemsThatDeclareWhatTheyTouch) {
    Schedule<LoggedWorld> schedule;
    schedule.add("move").writes<Position>().grain(8).each(
        [](const LoggedWorld& world) { return world.find_storage<Position>()->size(); },
        [](LoggedWorld& world, std::size_t i) { world.storage<Position>().at(i).x *= 3; });
    schedule.add("count", phase::render).reads<Position>().run([](LoggedWorld&, Commands<LoggedWorld>& commands) {
        commands.spawn();
    });
    LoggedWorld world = populated(100);
    DivergenceChecker<LoggedWorld> checker(schedule, hash_of);
    for (int tick = 0; tick < 3; ++tick) EXPECT_FALSE(checker.check(world, 1, 10).has_value());
    Pool pool(2);
    EXPECT_FALSE(checker.check(world, pool, 5).has_value());
    EXPECT_EQ(world.size(), 104U);
}

TEST(Divergence, FirstSystemThatDependsOnTheOrderIsNamed) {
    Schedule<LoggedWorld> schedule;
    schedule.add("innocent").writes<Velocity>().each(10, [](LoggedWorld&, std::size_t) {});
    schedule.add("double").run([](LoggedWorld& world) { world.storage<Position>().at(0).x *= 2; });  // not declared
    schedule.add("increase").run([](LoggedWorld& world) { world.storage<Position>().at(0).x += 1; });
    schedule.add("innocent too").writes<Health>().run([] {});
    LoggedWorld world = populated(10);
    DivergenceChecker<LoggedWorld> checker(schedule, hash_of);
    const std::optional<Divergence> found = checker.check(world, 1, 20);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->phase, "update");
    EXPECT_EQ(found->system, "increase");
}

TEST(Divergence, SystemThatDependsOnTheOrderOfItsRangesIsNamed) {
    Schedule<LoggedWorld> schedule;
    schedule.add("fine", phase::pre_update).writes<Position>().run([](LoggedWorld& world) {
        world.storage<Position>().at(0).x += 1;
    });
    schedule.add("sum").writes<Position>().grain(1).each(10, [](LoggedWorld& world, std::size_t i) {
        auto& total = world.storage<Position>().at(0).x;  // of all ranges, each in its turn
        total = total * 3 + static_cast<std::int64_t>(i);
    });
    LoggedWorld world = populated(10);
    const std::optional<Divergence> found = DivergenceChecker<LoggedWorld>(schedule, hash_of).check(world, 1, 5);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->system, "sum");
}

TEST(Divergence, CheckingLeavesBackgroundSystemsAlone) {
    for (const int workers : {0, 2}) {
        Pool pool(std::max(workers, 1));
        Schedule<LoggedWorld> schedule;
        schedule.add("search").background(
            2, [](const LoggedWorld& world) { return world.size(); },
            [](std::size_t& size, Commands<LoggedWorld>& commands) {
                commands.custom([size](LoggedWorld& w) { w.log.push_back(size); });
            });
        schedule.add("visit").reads<Position>().run([] {});
        LoggedWorld world = populated(5);
        const auto tick = [&] {
            if (workers == 0) {
                BlockingExecutor().run(schedule, world).rethrow();
            } else {
                ParallelExecutor(pool).run(schedule, world).rethrow();
            }
        };
        tick();
        DivergenceChecker<LoggedWorld> checker(schedule, hash_of);
        EXPECT_FALSE(checker.check(world, 1, 10).has_value());
        EXPECT_TRUE(world.log.empty());
        tick();
        EXPECT_TRUE(world.log.empty());
        tick();
        EXPECT_EQ(world.log, std::vector<std::uint64_t>{5});
        EXPECT_EQ(schedule.report().tick, 3U);
    }
}

}  // namespace
}  // namespace quarry::ecs
