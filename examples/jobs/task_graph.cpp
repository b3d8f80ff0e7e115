// [begin docs]
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/task_graph.hpp>

int main() {
    quarry::Pool pool;
    std::vector<double> heights(100'000);
    double lowest = 0;
    double sum = 0;

    quarry::TaskGraph graph;
    const quarry::GraphNode fill = graph.add_ranges(
        "fill", [&] { return heights.size(); },
        [&](quarry::IndexRange range) {
            for (std::size_t i = range.first; i < range.last; ++i) heights[i] = static_cast<double>(i % 100);
        });
    graph.add("lowest", [&] { lowest = *std::min_element(heights.begin(), heights.end()); }).after(fill);
    graph.add("sum", [&] { sum = std::accumulate(heights.begin(), heights.end(), 0.0); }).after(fill);

    for (int frame = 0; frame < 3; ++frame) graph.run(pool);
    graph.write_text(std::cout);
    std::printf("lowest %.0f, sum %.0f, took %.1f us\n", lowest, sum,
                static_cast<double>(graph.report().wall.count()) / 1e3);
    return sum == 4'950'000 ? 0 : 1;
}
// [end docs]
