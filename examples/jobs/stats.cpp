// The counters of a pool: in total, for each worker, and for one batch alone.
#include <cstdio>

#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>

int main() {
    // [begin docs]
    quarry::Pool pool(quarry::PoolOptions{.workers = 2});
    const quarry::PoolStats before = pool.stats();
    pool.scope([](quarry::Scope& scope) {
        for (int i = 0; i < 1000; ++i) scope.spawn([] {});
    });
    const quarry::PoolStats batch = pool.stats().since(before);

    std::printf("%zu jobs, %zu of them stolen\n", static_cast<std::size_t>(batch.total.completed),
                static_cast<std::size_t>(batch.total.stolen));
    for (const double share : batch.shares()) std::printf("%5.1f %%\n", share * 100);
    // [end docs]
    return batch.total.spawned == 1000 && batch.total.completed == 1000 ? 0 : 1;
}
