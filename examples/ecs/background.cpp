#include <cstdio>
#include <numeric>
#include <vector>

#include <quarry/ecs/executor.hpp>
#include <quarry/ecs/schedule.hpp>
#include <quarry/jobs/pool.hpp>

namespace ecs = quarry::ecs;

struct City {
    std::vector<long> incomes = std::vector<long>(10'000, 3);
    long known_total = 0;
};

int main() {
    City city;
    ecs::Schedule<City> schedule;
    // [begin docs]
    // Counts a copy during the next four ticks. The result is applied in the fourth, on every machine.
    schedule.add("statistics")
        .background(
            4, [](const City& c) { return c.incomes; },
            [](std::vector<long>& incomes, ecs::Commands<City>& commands) {
                const long total = std::accumulate(incomes.begin(), incomes.end(), 0L);
                commands.custom([total](City& c) { c.known_total = total; });
            });
    // [end docs]
    schedule.add("work").writes(ecs::AccessKey::named("incomes")).after("statistics").run([](City& c) {
        for (long& income : c.incomes) ++income;
    });

    quarry::Pool pool;
    ecs::ParallelExecutor executor(pool);
    for (int tick = 1; tick <= 8; ++tick) {
        executor.run(schedule, city).rethrow();
        std::printf("tick %d: total known %ld\n", tick, city.known_total);
    }
    return city.known_total == 30'000 ? 0 : 1;
}
