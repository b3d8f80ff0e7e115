#include <cstdio>
#include <string>

#include <quarry/ecs/executor.hpp>
#include <quarry/ecs/schedule.hpp>
#include <quarry/ecs/sparse_world.hpp>
#include <quarry/jobs/pool.hpp>

namespace ecs = quarry::ecs;
using World = ecs::SparseWorld;
using Commands = ecs::Commands<World>;

struct Tree {
    int age = 0;
};

int main() {
    World world;
    world.add(world.spawn(), Tree{});

    ecs::Schedule<World> schedule;
    // [begin docs]
    schedule.add("grow").writes<Tree>().each([](const World& w) { return w.count<Tree>(); },
                                             [](World& w, std::size_t i, Commands& commands) {
                                                 Tree& tree = w.storage<Tree>().at(i);
                                                 if (++tree.age % 3 != 0) return;
                                                 // A placeholder: the id is known when the commands are applied,
                                                 // after the phase.
                                                 const ecs::Spawned seedling = commands.spawn();
                                                 commands.add(seedling, Tree{});
                                                 if (tree.age > 10) commands.despawn(w.storage<Tree>().entities()[i]);
                                             });
    // [end docs]

    quarry::Pool pool;
    ecs::ParallelExecutor executor(pool);
    for (int year = 1; year <= 20; ++year) {
        const ecs::TickReport& report = executor.run(schedule, world);
        if (year % 5 == 0) {
            std::printf("year %d: %zu trees, %llu commands\n", year, world.size(),
                        static_cast<unsigned long long>(report.commands));
        }
    }
    return world.size() > 10 ? 0 : 1;
}
