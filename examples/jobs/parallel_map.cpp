#include "quarry/jobs/parallel_map.hpp"

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "quarry/jobs/pool.hpp"

// One result per element, and one result per chunk of elements.
int main() {
    quarry::Pool pool;
    std::vector<int> numbers(1'000);
    std::iota(numbers.begin(), numbers.end(), 1);

    // [begin docs]
    std::vector<std::string> names = quarry::parallel_map(pool, numbers, [](int x) { return "n" + std::to_string(x); });
    std::vector<int> sums = quarry::chunk_map(
        pool, numbers, 100, [](std::span<int> chunk) { return std::accumulate(chunk.begin(), chunk.end(), 0); });
    // [end docs]

    const bool right = names.back() == "n1000" && sums.size() == 10 && sums.front() == 5'050;
    return right ? 0 : 1;
}
