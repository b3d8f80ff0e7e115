#include "quarry/jobs/parallel_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "quarry/jobs/pool.hpp"

struct Request {
    std::uint32_t distance;
    std::uint32_t chunk;
};

// The nearest request first.
int main() {
    quarry::Pool pool;
    std::vector<Request> requests;
    for (std::uint32_t i = 0; i < 100'000; ++i) requests.push_back({i * 2'654'435'761U % 1'000'003U, i});

    // [begin docs]
    const auto nearer = [](const Request& a, const Request& b) { return a.distance < b.distance; };
    quarry::parallel_sort(pool, requests, nearer);
    // [end docs]

    return std::is_sorted(requests.begin(), requests.end(), nearer) ? 0 : 1;
}
