#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"
#include "tests/jobs/steady_allocations.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

// Entities come and go, but never more of them at a time than before.
void add_steady_systems(Schedule<LoggedWorld>& schedule) {
    schedule.add("move").writes<Position>().grain(16).each(
        [](const LoggedWorld& world) { return world.find_storage<Position>()->size(); },
        [](LoggedWorld& world, std::size_t i, Commands<LoggedWorld>& commands) {
            world.storage<Position>().at(i).x += 1;
            const SparseEntity entity = world.storage<Position>().entities()[i];
            if (i % 7 == 0) {
                commands.despawn(entity);
                const Spawned born = commands.spawn();
                commands.add(born, Position{1});
            } else {
                commands.set(entity, Position{5});
            }
        });
    for (int i = 0; i < 20; ++i) {
        schedule.add("light " + std::to_string(i))
            .reads<Position>()
            .run([](LoggedWorld&, Commands<LoggedWorld>& commands) { commands.custom([](LoggedWorld&) {}); });
    }
}

TEST(EcsAllocation, NoneIn10000TicksOnceWarm) {
    Pool pool(2);
    Schedule<LoggedWorld> schedule;
    add_steady_systems(schedule);
    LoggedWorld world = populated(200);
    const auto work = [&](int times) {
        for (int i = 0; i < times; ++i) {
            ParallelExecutor(pool).run(schedule, world);
            BlockingExecutor().run(schedule, world);
        }
    };
    // Three times in a row without any: 10,000 ticks. A schedule that has not been before may need a node of a job or a
    // range more than any so far, so it may take a while until that is so.
    const int rounds = static_cast<int>(scaled(1667, 50));
    EXPECT_EQ(quarry::test_support::allocations_once_warm(work, {.each_time = rounds}), 0U);
}

}  // namespace
}  // namespace quarry::ecs
