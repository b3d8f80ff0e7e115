// A loop is split when a worker is idle and the rest is worth sharing: there is no grain size to choose.
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

    // By pieces, for a body that is faster on a run of neighbouring elements.
    quarry::parallel_for(pool, std::size_t{0}, heights.size(), [&](quarry::IndexRange piece) {
        for (std::size_t i = piece.first; i < piece.last; ++i) heights[i] *= 32.0F;
    });
    // [end docs]
    std::printf("height at 157: %.2f\n", static_cast<double>(heights[157]));
    return heights[157] > 31.9F ? 0 : 1;
}
