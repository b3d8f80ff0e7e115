// A lane's queue is bounded. try_submit never waits: if the queue is full, the caller keeps the job.
#include <cstddef>
#include <cstdio>
#include <latch>
#include <optional>
#include <utility>
#include <vector>

#include <quarry/jobs/pool.hpp>

int main() {
    // [begin docs]
    std::latch started(1);
    std::latch gate(1);
    // Declared after what its jobs refer to: it is destroyed first, and waits for them.
    quarry::Pool pool(quarry::PoolOptions{.workers = 1, .queue_capacity = 64});
    pool.submit([&] {  // keeps the only worker busy
        started.count_down();
        gate.wait();
    });
    started.wait();

    std::size_t accepted = 0;
    for (;;) {
        auto job = [parcel = std::vector<int>(100, 7)] { return parcel.front(); };
        std::optional<quarry::Task<int>> task = pool.try_submit(std::move(job));
        if (!task) break;  // full: `job` still has its parcel
        ++accepted;
    }
    std::printf("%zu accepted\n", accepted);
    gate.count_down();
    // [end docs]
    return accepted == 64 ? 0 : 1;
}
