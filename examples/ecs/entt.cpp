#include <cstdio>

#include <quarry/ecs/entt.hpp>

#if __has_include(<entt/entity/registry.hpp>)

#include <quarry/ecs/executor.hpp>
#include <quarry/jobs/pool.hpp>

struct Age {
    int years = 0;
};

int main() {
    entt::registry registry;
    registry.emplace<Age>(registry.create());
    quarry::ecs::Schedule<entt::registry> schedule;
    schedule.add("grow old").writes<Age>().run([](entt::registry& world) {
        for (auto [entity, age] : world.view<Age>().each()) ++age.years;
    });
    quarry::Pool pool;
    quarry::ecs::ParallelExecutor(pool).run(schedule, registry).rethrow();
    std::puts("a registry of EnTT, one tick older");
}

#else

int main() {
    std::puts("EnTT is not installed: nothing to show");
}

#endif
