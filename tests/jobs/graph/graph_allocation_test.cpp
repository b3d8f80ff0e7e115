#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "tests/jobs/graph/graph_support.hpp"
#include "tests/jobs/steady_allocations.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

TEST(TaskGraphAllocation, NoneOnceWarm) {
    Pool pool(2);
    test_support::CheckedGraph checked(300, 1.5, 1);
    checked.work = [](std::size_t node) {
        if (node % 10 == 0) test_support::spin_for(std::chrono::microseconds(4));
    };
    TaskGraph deferring;
    for (int i = 0; i < 50; ++i) deferring.add("n", [] {}).deferrable(i % 2 == 0);
    std::uint64_t seed = 0;
    const auto work = [&](int times) {
        for (int i = 0; i < times; ++i) {
            checked.graph.run(pool);
            checked.graph.run_here();
            checked.graph.run_shuffled(++seed);
            deferring.run_until(pool, std::chrono::steady_clock::now());
        }
    };
    EXPECT_EQ(test_support::allocations_once_warm(work), 0U);
}

}  // namespace
}  // namespace quarry
