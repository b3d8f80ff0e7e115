// Jobs that only the host's own thread may run, such as calls of the host's API.
#include <chrono>
#include <cstdio>
#include <string>

#include <quarry/jobs/pool.hpp>

int main() {
    // [begin docs]
    quarry::Pool pool;  // the thread that makes the pool is the host's
    std::string title;

    quarry::Task<void> loading = pool.submit([&] {
        const int level = std::stoi("3");  // computed on a worker
        pool.submit([&, level] { title = "level " + std::to_string(level); }, {.lane = quarry::Lane::host});
    });

    int frame = 0;
    for (; title.empty(); ++frame) {
        pool.run_host_jobs(std::chrono::milliseconds(2));  // at least one job, then as many as fit
        // ... draw the frame ...
    }
    // [end docs]
    loading.wait();
    std::printf("%s\n", title.c_str());
    return title == "level 3" ? 0 : 1;
}
