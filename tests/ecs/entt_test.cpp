#include "quarry/ecs/entt.hpp"

#include <gtest/gtest.h>

#include "quarry/ecs/executor.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry::ecs {
namespace {

struct Position {
    int x = 0;
};

TEST(EnttAdapter, CommandsChangeARegistry) {
    entt::registry registry;
    const entt::entity old = registry.create();
    const entt::entity kept = registry.create();
    registry.emplace_or_replace<Position>(kept, Position{1});
    Schedule<entt::registry> schedule;
    schedule.add("system").run([&](entt::registry&, Commands<entt::registry>& commands) {
        commands.despawn(old);
        commands.set(kept, Position{2});
        commands.set(old, Position{3});  // gone by then
        const Spawned born = commands.spawn();
        commands.add(born, Position{4});
        commands.remove<Position>(born);
        commands.add(born, Position{5});
    });
    Pool pool(2);
    const TickReport& report = ParallelExecutor(pool).run(schedule, registry);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.rejected, 1U);
    EXPECT_FALSE(registry.valid(old));
    EXPECT_EQ(registry.get<Position>(kept).x, 2);
    EXPECT_TRUE(registry.all_of<Position>(kept));
}

}  // namespace
}  // namespace quarry::ecs
