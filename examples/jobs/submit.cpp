// A submitted job runs whether anybody waits for it or not; its Task is a handle to what becomes of it.
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
    }  // a pool finishes what it has accepted before it goes
    std::printf("answer %d, %d saved\n", answer, saved.load());
    // [end docs]
    return answer == 42 && saved == 100 ? 0 : 1;
}
