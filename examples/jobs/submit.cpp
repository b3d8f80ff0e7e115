// A submitted job runs whether anybody waits for it or not. Its Task is the handle to its result.
#include <atomic>
#include <cstdio>

#include <quarry/jobs/pool.hpp>

int main() {
    // [begin docs]
    std::atomic<int> saved{0};
    int answer = 0;
    {
        quarry::Pool pool;
        quarry::Task<int> task = pool.submit([] { return 6 * 7; });
        for (int i = 0; i < 100; ++i) pool.submit([&] { ++saved; });  // nobody waits for these
        answer = task.get();
    }  // the pool's destructor finishes all jobs that it has accepted
    std::printf("answer %d, %d saved\n", answer, saved.load());
    // [end docs]
    return answer == 42 && saved == 100 ? 0 : 1;
}
