#include <cstdio>

#include <quarry/jobs/parallel_reduce.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/task.hpp>

int main() {
    quarry::Pool pool;  // one worker for each CPU that this process may use

    quarry::Task<int> answer = pool.submit([] { return 6 * 7; });

    const long squares = quarry::parallel_reduce(
        pool, 1L, 1001L, 0L, [](long i) { return i * i; }, [](long a, long b) { return a + b; });

    std::printf("%d, and %ld on %d workers\n", answer.get(), squares, pool.worker_count());
}
