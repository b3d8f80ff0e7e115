#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "tests/jobs/graph/graph_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

// Light and heavy nodes by turns: bundles, the heap, helpers that come and go.
TEST(TaskGraphStress, LightAndHeavyNodesOnMoreWorkersThanCpus) {
    static std::atomic<std::uint64_t> round{0};
    Pool pool(4);
    test_support::CheckedGraph checked(150, 1.2, round.fetch_add(1));
    checked.work = [](std::size_t node) {
        if (node % 5 == 0) test_support::spin_for(std::chrono::microseconds(5));
    };
    for (std::uint64_t run = 1; run <= 8; ++run) {
        checked.graph.run(pool);
        ASSERT_TRUE(checked.all_ran(run));
    }
}

// Only light nodes, long enough to be shared: threads that run dry and look for more, beside ones that give.
TEST(TaskGraphStress, LightNodesAreSharedBetweenThreadsThatRunDry) {
    static std::atomic<std::uint64_t> round{0};
    Pool pool(3);
    test_support::CheckedGraph checked(400, 1.5, round.fetch_add(1));
    checked.work = [](std::size_t) { test_support::spin_for(std::chrono::microseconds(1)); };
    for (std::uint64_t run = 1; run <= 4; ++run) {
        checked.graph.run(pool);
        ASSERT_TRUE(checked.all_ran(run));
    }
}

TEST(TaskGraphStress, ForeignLanesAndRangesWithinAGraph) {
    std::atomic<std::uint64_t> sum{0};
    std::atomic<int> read{0};
    Pool pool(PoolOptions{.workers = 3, .io_threads = 2});
    TaskGraph graph;
    GraphNode end = graph.add("end", [] {});
    for (int i = 0; i < 6; ++i) {
        GraphNode load = graph.add("load", [&] { ++read; }).lane(i % 2 == 0 ? Lane::io : Lane::background);
        graph
            .add_ranges(
                "sum", [] { return 300; },
                [&](IndexRange range) { sum.fetch_add(range.size(), std::memory_order_relaxed); }, 7)
            .after(load)
            .before(end);
    }
    for (std::uint64_t run = 1; run <= 8; ++run) {
        graph.run(pool);
        ASSERT_EQ(sum.load(), run * 1800);
        ASSERT_EQ(read.load(), static_cast<int>(run * 6));
    }
}

}  // namespace
}  // namespace quarry
