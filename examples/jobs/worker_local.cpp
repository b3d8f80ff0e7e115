// Scratch memory for each thread that takes part in a pool.
#include <cstddef>
#include <cstdio>
#include <vector>

#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/worker_local.hpp>

int main() {
    // [begin docs]
    quarry::Pool pool;
    quarry::WorkerLocal<std::vector<float>> scratch(pool);

    quarry::parallel_for(pool, 0, 1000, [&](int i) {
        std::vector<float>& mine = scratch.local();  // no other job uses it at the same time
        mine.assign(64, static_cast<float>(i));
    });

    std::size_t used = 0;
    scratch.for_each([&](const std::vector<float>&) { ++used; });
    std::printf("%zu threads took part\n", used);
    // [end docs]
    return used >= 1 ? 0 : 1;
}
