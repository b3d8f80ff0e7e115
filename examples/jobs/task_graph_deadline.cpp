#include <chrono>
#include <cstdio>

#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/task_graph.hpp>

namespace {

void compute_for(std::chrono::microseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

}  // namespace

int main() {
    quarry::Pool pool(2);
    // [begin docs]
    quarry::TaskGraph graph;
    int statistics = 0;
    const quarry::GraphNode physics = graph.add("physics", [] { compute_for(std::chrono::microseconds(3000)); });
    graph.add("statistics", [&] { ++statistics; }).after(physics).deferrable();

    // A frame of 2 ms has no time left for the statistics: the next one does them first.
    const quarry::GraphReport& late =
        graph.run_until(pool, std::chrono::steady_clock::now() + std::chrono::milliseconds(2));
    std::printf("left to the next frame: %zu\n", late.deferred.size());
    const quarry::GraphReport& next =
        graph.run_until(pool, std::chrono::steady_clock::now() + std::chrono::seconds(10));
    std::printf("done first: %zu, left: %zu, statistics ran %d times\n", next.carried.size(), next.deferred.size(),
                statistics);
    // [end docs]
    return statistics == 2 ? 0 : 1;
}
