#include "quarry/jobs/parallel_reduce.hpp"

#include <cmath>
#include <functional>

#include "quarry/jobs/pool.hpp"

// A sum of floating-point numbers with the same bits on any number of workers.
int main() {
    const auto basel_sum = [](quarry::Pool& pool) {
        // [begin docs]
        double sum = quarry::parallel_reduce(
            pool, 1, 1'000'000, 0.0, [](int i) { return 1.0 / (double(i) * i); }, std::plus<>());
        // [end docs]
        return sum;
    };
    quarry::Pool one(1);
    quarry::Pool three(3);
    const double sum = basel_sum(one);
    const bool right = sum == basel_sum(three) && std::abs(sum - 1.644933) < 1e-5;
    return right ? 0 : 1;
}
