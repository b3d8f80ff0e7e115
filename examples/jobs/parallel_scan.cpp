#include "quarry/jobs/parallel_scan.hpp"

#include <cstddef>
#include <functional>
#include <vector>

#include "quarry/jobs/pool.hpp"

// Where each chunk's vertices start in one shared buffer: the running sum of their counts.
int main() {
    quarry::Pool pool;
    std::vector<std::size_t> vertex_counts(10'000, 3);

    // [begin docs]
    std::vector<std::size_t> ends(vertex_counts.size());
    quarry::parallel_scan(pool, vertex_counts, ends, std::size_t{0}, std::plus<>());
    // [end docs]

    const bool right = ends.front() == 3 && ends.back() == 30'000;
    return right ? 0 : 1;
}
