// [begin docs]
#include <cstdio>
#include <iostream>

#include <quarry/ecs/executor.hpp>
#include <quarry/ecs/schedule.hpp>
#include <quarry/ecs/sparse_world.hpp>
#include <quarry/jobs/pool.hpp>

namespace ecs = quarry::ecs;

struct Position {
    float x = 0;
};
struct Velocity {
    float x = 0;
};

int main() {
    ecs::SparseWorld world;
    for (int i = 0; i < 1000; ++i) {
        const ecs::SparseEntity entity = world.spawn();
        world.add(entity, Position{});
        world.add(entity, Velocity{static_cast<float>(i % 10)});
    }

    ecs::Schedule<ecs::SparseWorld> schedule;
    // Called for each entity with a velocity, on as many workers as are free.
    schedule.add("move").reads<Velocity>().writes<Position>().each(
        [](const ecs::SparseWorld& w) { return w.count<Velocity>(); },
        [](ecs::SparseWorld& w, std::size_t i) {
            const ecs::SparseEntity entity = w.storage<Velocity>().entities()[i];
            w.get<Position>(entity)->x += w.storage<Velocity>().at(i).x;
        });
    // Called once per tick. Entities are despawned when no system runs.
    schedule.add("remove the far")
        .reads<Position>()
        .after("move")
        .run([](ecs::SparseWorld& w, ecs::Commands<ecs::SparseWorld>& commands) {
            auto& positions = w.storage<Position>();
            for (std::size_t i = 0; i < positions.size(); ++i) {
                if (positions.at(i).x > 50) commands.despawn(positions.entities()[i]);
            }
        });
    schedule.write_text(std::cout);  // the plan

    quarry::Pool pool;
    ecs::ParallelExecutor executor(pool);
    for (int tick = 0; tick < 10; ++tick) executor.run(schedule, world).rethrow();
    std::printf("%zu entities are left\n", world.size());
    return world.size() == 600 ? 0 : 1;
}
// [end docs]
