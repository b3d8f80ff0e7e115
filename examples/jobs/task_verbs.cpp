// What you can do with a submitted job.
#include <cstdio>
#include <mutex>
#include <stop_token>

#include <quarry/jobs/error.hpp>
#include <quarry/jobs/pool.hpp>

int main() {
    quarry::Pool pool(1);
    std::mutex gate;
    std::unique_lock closed(gate);
    quarry::Task<void> first = pool.submit([&] { const std::lock_guard passed(gate); });
    int thrown = 0;
    // [begin docs]
    quarry::Task<int> unwanted = pool.submit([] { return 1; });
    const bool given_up = unwanted.cancel();  // false once it has started

    std::stop_source level;
    quarry::Task<int> path = pool.submit([] { return 2; }, {.stop_token = level.get_token()});
    level.request_stop();  // the level ends: jobs that have not started are cancelled

    closed.unlock();
    try {
        path.get();
    } catch (const quarry::Cancelled&) {
        ++thrown;
    }

    quarry::Task<int> answer = pool.submit([] { return 42; });
    answer.wait();  // runs it right here if no worker has started it
    std::printf("%s\n", answer.ready() ? "ready" : "never");
    std::printf("%d\n", answer.get());
    // [end docs]
    return given_up && thrown == 1 ? 0 : 1;
}
