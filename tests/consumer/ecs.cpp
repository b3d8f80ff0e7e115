#include <cstdio>
#include <vector>

#include <quarry/ecs/executor.hpp>
#include <quarry/ecs/fixed_step.hpp>
#include <quarry/ecs/schedule.hpp>
#include <quarry/ecs/sparse_world.hpp>
#include <quarry/frame/virtual_clock.hpp>
#include <quarry/jobs/pool.hpp>

namespace {

struct Age {
    int years = 0;
};

}  // namespace

// Templates of the program over a core in the library.
int main() {
    namespace ecs = quarry::ecs;
    quarry::Pool pool(quarry::PoolOptions{.workers = 2});
    ecs::SparseWorld world;
    for (int i = 0; i < 100; ++i) world.add(world.spawn(), Age{});
    ecs::Schedule<ecs::SparseWorld> schedule;
    schedule.add("age").writes<Age>().each(100,
                                           [](ecs::SparseWorld& w, std::size_t i) { ++w.storage<Age>().at(i).years; });
    schedule.add("count").reads<Age>().after("age").run(
        [](ecs::SparseWorld&, ecs::Commands<ecs::SparseWorld>& commands) { commands.spawn(); });
    quarry::FrameClock clock(50);
    quarry::VirtualClock time;
    ecs::ParallelExecutor executor(pool);
    ecs::run_due_steps(clock, time.now(), executor, schedule, world);
    time += std::chrono::milliseconds(41);
    ecs::run_due_steps(clock, time.now(), executor, schedule, world);
    const bool all_right = world.size() == 102 && world.storage<Age>().at(99).years == 2 && schedule.report().ok();
    std::printf("ecs: %s\n", all_right ? "all right" : "wrong result");
    return all_right ? 0 : 1;
}
