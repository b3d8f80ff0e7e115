// A loop is split when somebody is hungry and what is left of it is worth handing over: there is no grain to choose.
#include <cmath>
#include <cstdio>
#include <vector>

#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>

int main() {
    // [begin docs]
    quarry::Pool pool;
    std::vector<float> heights(100'000);

    quarry::parallel_for(pool, std::size_t{0}, heights.size(),
                         [&](std::size_t i) { heights[i] = std::sin(static_cast<float>(i) * 0.01F); });

    // The same by pieces, for a body that gains from a run of neighbours.
    quarry::parallel_for(pool, std::size_t{0}, heights.size(), [&](quarry::IndexRange piece) {
        for (std::size_t i = piece.first; i < piece.last; ++i) heights[i] *= 32.0F;
    });
    // [end docs]
    std::printf("height at 157: %.2f\n", static_cast<double>(heights[157]));
    return heights[157] > 31.9F ? 0 : 1;
}
