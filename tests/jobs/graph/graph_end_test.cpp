// How a run of a graph ends early: by an error, by a stop, by its deadline.
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/task_graph.hpp"
#include "tests/jobs/graph/graph_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using test_support::CheckedGraph;
using Clock = std::chrono::steady_clock;

TEST(TaskGraphError, IsRethrownAndTheGraphRunsAgain) {
    for (const int workers : {1, 2, 4}) {
        Pool pool(workers);
        TaskGraph graph;
        bool fails = true;
        int after = 0;
        GraphNode a = graph.add("a", [&] {
            if (fails) throw std::runtime_error("broken");
        });
        graph.add("b", [&] { ++after; }).after(a);
        EXPECT_THROW(graph.run(pool), std::runtime_error);
        EXPECT_EQ(graph.report().failed, 1U);
        EXPECT_EQ(after, 0);
        fails = false;
        EXPECT_EQ(graph.run(pool).done, 2U);
        EXPECT_EQ(after, 1);
    }
}

TEST(TaskGraphError, AtEveryNodeOfAGraphStopsExactlyThoseAfterIt) {
    for (const int workers : {0, 1, 3}) {
        Pool pool(std::max(workers, 1));
        constexpr std::size_t kNodes = 12;
        for (std::size_t failing = 0; failing < kNodes; ++failing) {
            std::vector<std::atomic<int>> ran(kNodes);
            TaskGraph graph;
            std::vector<GraphNode> nodes;
            for (std::size_t i = 0; i < kNodes; ++i) {
                nodes.push_back(graph.add("node " + std::to_string(i), [&, i] {
                    if (i == failing) throw std::runtime_error("broken");
                    ++ran[i];
                }));
                if (i > 0) nodes[i].after(nodes[(i - 1) / 2]);  // a tree
            }
            std::vector<NodeError> errors;
            GraphRunOptions options;
            options.errors = &errors;
            options.after_error = AfterError::skip_successors;
            workers == 0 ? graph.run_here(options) : graph.run(pool, options);
            ASSERT_EQ(errors.size(), 1U);
            EXPECT_EQ(errors[0].node, failing);
            EXPECT_EQ(errors[0].name, "node " + std::to_string(failing));
            for (std::size_t i = 0; i < kNodes; ++i) {
                bool below = i == failing;
                for (std::size_t up = i; up != 0 && !below; up = (up - 1) / 2) below = (up - 1) / 2 == failing;
                EXPECT_EQ(ran[i].load(), below ? 0 : 1) << i << " when " << failing << " fails";
                const NodeOutcome outcome = graph.times(i).outcome;
                EXPECT_EQ(outcome, i == failing ? NodeOutcome::failed
                                   : below      ? NodeOutcome::not_run
                                                : NodeOutcome::done);
            }
        }
    }
}

TEST(TaskGraphError, InARangeIsThatOfItsNode) {
    Pool pool(2);
    TaskGraph graph;
    graph.add_ranges(
        "ranges", [] { return 1000; },
        [](IndexRange range) {
            if (range.first == 500) throw std::runtime_error("at 500");
        },
        1);
    GraphNode counting = graph.add_ranges(
        "count", []() -> std::size_t { throw std::runtime_error("no count"); }, [](IndexRange) {});
    static_cast<void>(counting);
    std::vector<NodeError> errors;
    GraphRunOptions options;
    options.errors = &errors;
    options.after_error = AfterError::skip_successors;
    for (int run = 0; run < 10; ++run) {
        errors.clear();
        graph.run(pool, options);
        ASSERT_EQ(errors.size(), 2U);
        EXPECT_EQ(errors[0].name, "ranges");
        EXPECT_EQ(errors[1].name, "count");
    }
}

TEST(TaskGraphError, CanBeNoReasonForTheOthersNotToRun) {
    Pool pool(2);
    TaskGraph graph;
    int after = 0;
    GraphNode a = graph.add("a", [] { throw std::runtime_error("broken"); });
    graph.add("b", [&] { ++after; }).after(a);
    std::vector<NodeError> errors;
    GraphRunOptions options;
    options.errors = &errors;
    options.after_error = AfterError::go_on;
    EXPECT_EQ(graph.run(pool, options).done, 1U);
    EXPECT_EQ(after, 1);
}

TEST(TaskGraphError, CountThatChangesWhileItsRangesRunIsAnError) {
    std::atomic<std::size_t> count{100};
    Pool pool(2);
    TaskGraph graph;
    graph.add_ranges(
        "growing", [&] { return count.load(); }, [&](IndexRange range) { count += range.size(); });
    EXPECT_THROW(graph.run(pool), Error);
    EXPECT_THROW(graph.run_here(), Error);
}

TEST(TaskGraphStop, NoFurtherNodeStarts) {
    for (const int workers : {1, 2}) {
        Pool pool(workers);
        TaskGraph graph;
        std::stop_source source;
        int late = 0;
        GraphNode a = graph.add("a", [&] { source.request_stop(); });
        for (int i = 0; i < 10; ++i) graph.add("late", [&] { ++late; }).after(a);
        GraphRunOptions options;
        options.stop = source.get_token();
        const GraphReport& report = graph.run(pool, options);
        EXPECT_EQ(report.done, 1U);
        EXPECT_EQ(report.cancelled, 10U);
        EXPECT_EQ(late, 0);
        EXPECT_EQ(graph.run(pool, options).cancelled, 11U);
        EXPECT_EQ(graph.run(pool).done, 11U);
        EXPECT_EQ(late, 10);
    }
}

// A chain of must-run nodes, and two deferrable ones, one after the other.
class Deferring : public ::testing::Test {
  protected:
    Deferring() {
        GraphNode must = graph.add("must", [this] {
            order.push_back('m');
            test_support::spin_for(std::chrono::milliseconds(3));
        });
        GraphNode may = graph.add("may", [this] { order.push_back('d'); }).after(must).deferrable();
        graph.add("may too", [this] { order.push_back('e'); }).after(may).deferrable();
    }

    TaskGraph graph;
    std::string order;
};

TEST_F(Deferring, PastTheDeadlineOnlyDeferrableNodesAreLeftAndTheNextRunDoesThemFirst) {
    for (const int workers : {1, 2}) {
        Pool pool(workers);
        order.clear();
        const GraphReport& late = graph.run_until(pool, Clock::now() + std::chrono::milliseconds(1));
        EXPECT_EQ(order, "m");
        EXPECT_EQ(late.done, 1U);
        EXPECT_EQ(late.deferred, (std::vector<std::size_t>{1, 2}));
        EXPECT_EQ(graph.times(2).outcome, NodeOutcome::deferred);
        const GraphReport& next = graph.run_until(pool, Clock::now() + std::chrono::minutes(10));
        EXPECT_EQ(order, "mdemde");
        EXPECT_EQ(next.carried, (std::vector<std::size_t>{1, 2}));
        EXPECT_TRUE(next.deferred.empty());
        EXPECT_EQ(next.done, 3U);
        EXPECT_TRUE(graph.run(pool).carried.empty());
    }
}

TEST_F(Deferring, NoNodeIsLeftTwiceInARow) {
    Pool pool(2);
    for (int run = 0; run < 5; ++run) graph.run_until(pool, Clock::now());
    // Each run but the first does what the one before left, then its own.
    EXPECT_EQ(order, "mdemdemdemdem");
}

TEST_F(Deferring, EnoughTimeDefersNothing) {
    Pool pool(2);
    EXPECT_TRUE(graph.run_until(pool, Clock::now() + std::chrono::hours(1)).deferred.empty());
    EXPECT_TRUE(graph.run_until(pool, Clock::time_point::max()).deferred.empty());
    EXPECT_EQ(order, "mdemde");
}

TEST_F(Deferring, AStopKeepsWhatWasLeft) {
    Pool pool(1);
    graph.run_until(pool, Clock::now());
    std::stop_source stopped;
    stopped.request_stop();
    GraphRunOptions options;
    options.stop = stopped.get_token();
    graph.run(pool, options);
    EXPECT_EQ(order, "m");
    graph.run(pool);
    EXPECT_EQ(order, "mdemde");
}

TEST_F(Deferring, NodeThatWouldEndTooLateIsNotStarted) {
    Pool pool(1);
    TaskGraph timed;
    int ran = 0;
    timed
        .add("long",
             [&] {
                 ++ran;
                 test_support::spin_for(std::chrono::milliseconds(20));
             })
        .deferrable();
    timed.run(pool);
    const auto start = Clock::now();
    timed.run_until(pool, start + std::chrono::milliseconds(5));
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(timed.report().deferred.size(), 1U);
}

TEST_F(Deferring, NodesBeforeOneThatIsNotDeferrableAreRefusedByName) {
    TaskGraph wrong;
    GraphNode a = wrong.add("patient", [] {}).deferrable();
    wrong.add("hasty", [] {}).after(a);
    try {
        wrong.build();
        FAIL() << "accepted";
    } catch (const GraphError& error) {
        EXPECT_NE(std::string(error.what()).find("patient"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("hasty"), std::string::npos);
    }
}

TEST(TaskGraphDeadline, RandomGraphsRunEveryNodeOnceForEveryRun) {
    Pool pool(3);
    for (std::uint64_t seed = 0; seed < test_support::scaled(30); ++seed) {
        CheckedGraph checked(60, 1.5, seed);
        checked.work = [](std::size_t) { test_support::spin_for(std::chrono::microseconds(2)); };
        // Everything that follows a deferrable node is deferrable, too.
        std::vector<bool> deferrable(60);
        std::vector<std::uint64_t> wanted(60);
        std::vector<std::atomic<std::uint64_t>> runs(60);
        TaskGraph graph;
        std::vector<GraphNode> nodes;
        for (std::size_t i = 0; i < 60; ++i) {
            bool may = i % 7 == 3;
            for (const std::size_t before : checked.before[i]) may = may || deferrable[before];
            deferrable[i] = may;
            nodes.push_back(graph
                                .add("n",
                                     [&, i] {
                                         ++runs[i];
                                         test_support::spin_for(std::chrono::microseconds(2));
                                     })
                                .deferrable(may));
            for (const std::size_t before : checked.before[i]) nodes[i].after(nodes[before]);
        }
        for (int run = 0; run < 20; ++run) {
            graph.run_until(pool, Clock::now() + std::chrono::microseconds(40 * (run % 3)));
        }
        graph.run(pool);
        for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(runs[i].load(), 21U) << i << ", seed " << seed;
    }
}

}  // namespace
}  // namespace quarry
