// The algorithms beside parallel_for. A reduction has one fixed tree whatever the number of workers, so that a sum of
// floating-point numbers is the same every time.
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

#include <quarry/jobs/parallel_map.hpp>
#include <quarry/jobs/parallel_reduce.hpp>
#include <quarry/jobs/parallel_scan.hpp>
#include <quarry/jobs/parallel_sort.hpp>
#include <quarry/jobs/pool.hpp>

int main() {
    quarry::Pool pool;
    std::vector<int> numbers(10'000);
    std::iota(numbers.begin(), numbers.end(), 0);
    // [begin docs]
    const std::vector<double> halves = quarry::parallel_map(pool, numbers, [](int n) { return n / 2.0; });

    const double sum = quarry::parallel_reduce(
        pool, std::size_t{0}, halves.size(), 0.0, [&](std::size_t i) { return halves[i]; }, std::plus<>());

    std::vector<int> running(numbers.size());
    quarry::parallel_scan(pool, numbers, running, 0, std::plus<>());  // running[i] = numbers[0] + ... + numbers[i]

    quarry::parallel_sort(pool, numbers, std::greater<>());
    // [end docs]
    std::printf("sum %.1f, last running sum %d, largest %d\n", sum, running.back(), numbers.front());
    return sum == 24'997'500.0 && running.back() == 49'995'000 && numbers.front() == 9'999 ? 0 : 1;
}
