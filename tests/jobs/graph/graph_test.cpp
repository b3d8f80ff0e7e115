#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/task_graph.hpp"
#include "quarry/jobs/trace.hpp"
#include "tests/jobs/graph/graph_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using test_support::CheckedGraph;

TEST(TaskGraph, RunsEveryNodeOnceAndNeverBeforeWhatItWaitsFor) {
    for (const int workers : {1, 2, 3, 8}) {
        Pool pool(workers);
        for (std::uint64_t seed = 0; seed < test_support::scaled(20); ++seed) {
            CheckedGraph checked(200, 2.0, seed);
            for (std::uint64_t run = 1; run <= 10; ++run) {
                const GraphReport& report = checked.graph.run(pool);
                EXPECT_EQ(report.done, 200U);
                EXPECT_TRUE(checked.all_ran(run)) << workers << " workers, seed " << seed << ", run " << run;
            }
        }
    }
}

TEST(TaskGraph, HeavyNodesRunOnSeveralThreadsAtATime) {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    Pool pool(2);
    TaskGraph graph;
    std::mutex mutex;
    std::set<std::thread::id> threads;
    for (int i = 0; i < 8; ++i) {
        graph.add("heavy", [&] {
            most = std::max(most.load(), ++inside);
            test_support::spin_for(std::chrono::milliseconds(2));
            --inside;
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
        });
    }
    ASSERT_TRUE(test_support::eventually([&] {
        graph.run(pool);
        return most.load() >= 2 && threads.size() >= 2;
    }));
}

TEST(TaskGraph, ManyLightNodesAreShared) {
    Pool pool(2);
    TaskGraph graph;
    for (int i = 0; i < 4000; ++i) {
        graph.add("light", [] { test_support::spin_for(std::chrono::nanoseconds(500)); });
    }
    EXPECT_TRUE(test_support::eventually([&] { return graph.run(pool).helpers > 0 && graph.report().run > 2; }));
}

TEST(TaskGraph, NodeWithVeryManyBeforeItRunsOnceAndLast) {
    std::atomic<int> before{0};
    Pool pool(4);
    TaskGraph graph;
    int at_the_end = -1;
    int ends = 0;
    GraphNode last = graph.add("last", [&] {
        at_the_end = before.load();
        ++ends;
    });
    for (int i = 0; i < 1000; ++i) {
        graph
            .add("one",
                 [&] {
                     before.fetch_add(1, std::memory_order_relaxed);
                     test_support::spin_for(std::chrono::nanoseconds(300));
                 })
            .before(last);
    }
    for (int run = 1; run <= 30; ++run) {
        graph.run(pool);
        EXPECT_EQ(at_the_end, run * 1000);
        EXPECT_EQ(ends, run);
    }
}

TEST(TaskGraph, EmptyGraphRunsToItsEnd) {
    Pool pool(1);
    TaskGraph graph;
    EXPECT_EQ(graph.run(pool).done, 0U);
    EXPECT_EQ(graph.run_here().run, 2U);
}

TEST(TaskGraph, RunHereFollowsTheOrderOfAddingAsFarAsEdgesAllow) {
    TaskGraph graph;
    std::vector<int> order;
    GraphNode a = graph.add("a", [&] { order.push_back(0); });
    graph.add("b", [&] { order.push_back(1); });
    GraphNode c = graph.add("c", [&] { order.push_back(2); });
    a.after(c);
    graph.run_here();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 0}));
}

TEST(TaskGraph, ShuffledRunsFollowFromTheirSeedAndObeyTheEdges) {
    std::vector<std::size_t> order;
    const auto run = [&](std::uint64_t seed) {
        TaskGraph graph;
        std::vector<GraphNode> nodes;
        order.clear();
        for (std::size_t i = 0; i < 12; ++i) nodes.push_back(graph.add("n", [&, i] { order.push_back(i); }));
        for (std::size_t i = 0; i < 6; ++i) nodes[i + 6].after(nodes[i]);
        graph.run_shuffled(seed);
        return order;
    };
    std::set<std::vector<std::size_t>> orders;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto first = run(seed);
        EXPECT_EQ(first, run(seed));
        for (std::size_t i = 0; i < 6; ++i) {
            EXPECT_LT(std::find(first.begin(), first.end(), i), std::find(first.begin(), first.end(), i + 6));
        }
        orders.insert(first);
    }
    EXPECT_GT(orders.size(), 40U);
}

TEST(TaskGraph, RangesRunEveryElementOnceInBlocksThatDependOnTheCountOnly) {
    std::vector<std::set<std::pair<std::size_t, std::size_t>>> blocks_of_runs;
    for (int way = 0; way < 5; ++way) {
        std::vector<std::atomic<int>> hits(10'001);
        Pool pool(way == 0 ? 1 : way);
        TaskGraph graph;
        std::mutex mutex;
        std::set<std::pair<std::size_t, std::size_t>> blocks;
        graph.add_ranges(
            "ranges", [&] { return hits.size(); },
            [&](IndexRange range) {
                for (std::size_t i = range.first; i < range.last; ++i) ++hits[i];
                const std::lock_guard lock(mutex);
                blocks.insert({range.first, range.last});
            });
        if (way == 0) graph.run_here();
        if (way == 1) graph.run_shuffled(7);
        if (way >= 2) graph.run(pool);
        for (const auto& hit : hits) EXPECT_EQ(hit.load(), 1);
        blocks_of_runs.push_back(blocks);
    }
    for (const auto& blocks : blocks_of_runs) EXPECT_EQ(blocks, blocks_of_runs.front());
}

TEST(TaskGraph, GrainIsTheSizeOfEveryBlockButTheLast) {
    Pool pool(2);
    TaskGraph graph;
    std::mutex mutex;
    std::vector<std::size_t> sizes(4);
    graph.add_ranges(
        "ranges", [] { return 35; },
        [&](IndexRange range) {
            const std::lock_guard lock(mutex);
            sizes.at(range.first / 10) = range.size();
        },
        10);
    graph.run(pool);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{10, 10, 10, 5}));
}

TEST(TaskGraph, ConditionSkipsItsNodeAndNothingElse) {
    Pool pool(2);
    TaskGraph graph;
    bool wanted = false;
    int ran = 0;
    int after = 0;
    GraphNode node = graph.add("sometimes", [&] { ++ran; }).run_if([&] { return wanted; });
    graph.add("after", [&] { ++after; }).after(node);
    EXPECT_EQ(graph.run(pool).skipped, 1U);
    EXPECT_EQ(graph.times(0).outcome, NodeOutcome::skipped);
    wanted = true;
    EXPECT_EQ(graph.run(pool).done, 2U);
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(after, 2);
}

TEST(TaskGraph, EveryCycleIsNamedAtOnce) {
    TaskGraph graph;
    GraphNode a = graph.add("alpha", [] {});
    GraphNode b = graph.add("beta", [] {}).after(a);
    a.after(b);
    GraphNode c = graph.add("gamma", [] {});
    GraphNode d = graph.add("delta", [] {}).after(c);
    GraphNode e = graph.add("epsilon", [] {}).after(d);
    c.after(e);
    graph.add("innocent", [] {}).after(b);
    try {
        graph.build();
        FAIL() << "a cycle was accepted";
    } catch (const GraphError& error) {
        const std::string what = error.what();
        for (const char* name : {"alpha", "beta", "gamma", "delta", "epsilon"}) {
            EXPECT_NE(what.find(name), std::string::npos) << what;
        }
        EXPECT_EQ(what.find("innocent"), std::string::npos) << what;
    }
}

TEST(TaskGraph, RefusesEdgesToItselfAndToOtherGraphs) {
    TaskGraph graph;
    TaskGraph other;
    GraphNode a = graph.add("a", [] {});
    GraphNode b = other.add("b", [] {});
    EXPECT_THROW(a.after(a), GraphError);
    EXPECT_THROW(a.after(b), Error);
    EXPECT_THROW(a.cost(std::chrono::nanoseconds(-1)), std::invalid_argument);
    EXPECT_THROW(a.lane(static_cast<Lane>(9)), std::invalid_argument);
}

TEST(TaskGraph, CanNotBeRunOrChangedFromWithinItsOwnNodes) {
    Pool pool(2);
    TaskGraph graph;
    int refused = 0;
    graph.add("node", [&] {
        EXPECT_THROW(graph.run(pool), Error);
        EXPECT_THROW(graph.run_here(), Error);
        EXPECT_THROW(graph.add("late", [] {}), Error);
        EXPECT_THROW(graph.build(), Error);
        ++refused;
    });
    graph.run(pool);
    graph.run_here();
    EXPECT_EQ(refused, 2);
    EXPECT_EQ(graph.size(), 1U);
}

TEST(TaskGraph, GrowsBetweenRuns) {
    Pool pool(2);
    TaskGraph graph;
    int first = 0;
    int second = 0;
    GraphNode a = graph.add("a", [&] { ++first; });
    graph.run(pool);
    graph.add("b", [&] { second = first; }).after(a);
    graph.run(pool);
    EXPECT_EQ(first, 2);
    EXPECT_EQ(second, 2);
}

TEST(TaskGraph, OfTwoReadyNodesTheOneWithTheLongerWayToTheEndGoesFirst) {
    Pool pool(1);
    TaskGraph graph;
    std::vector<std::string> order;
    const auto node = [&](const char* name) {
        return graph.add(name, [&order, name] { order.emplace_back(name); }).cost(std::chrono::microseconds(50));
    };
    node("alone");
    GraphNode first = node("first of three");
    GraphNode second = node("second of three").after(first);
    node("third of three").after(second);
    graph.run(pool);
    EXPECT_EQ(order.front(), "first of three");
    order.clear();
    node("urgent").priority(Priority::urgent);
    graph.run(pool);
    EXPECT_EQ(order.front(), "urgent");
}

TEST(TaskGraph, R63MeasuredCostsChangeTheOrder) {
    Pool pool(1);
    TaskGraph graph;
    std::vector<int> order;
    const auto node = [&](int number, std::chrono::microseconds time) {
        graph.add("n", [&order, number, time] {
            order.push_back(number);
            test_support::spin_for(time);
        });
    };
    node(0, std::chrono::microseconds(20));
    node(1, std::chrono::microseconds(2000));
    graph.run(pool);
    order.clear();
    graph.run(pool);
    EXPECT_EQ(order.front(), 1);
    EXPECT_GE(graph.cost(1), std::chrono::microseconds(1000));
}

TEST(TaskGraph, TellsWhereTheTimeOfEachNodeWent) {
    Pool pool(2);
    TaskGraph graph;
    GraphNode a = graph.add("a", [] { test_support::spin_for(std::chrono::milliseconds(1)); });
    graph.add("b", [] {}).after(a);
    graph.run(pool);
    const NodeTimes first = graph.times(0);
    const NodeTimes second = graph.times(1);
    EXPECT_GE(first.ended - first.started, std::chrono::microseconds(900));
    EXPECT_GE(second.ready, first.ended);
    EXPECT_GE(second.started, second.ready);
    EXPECT_GE(first.worker, 0);
    EXPECT_GE(graph.report().wall, second.ended);
}

TEST(TaskGraph, ObserverIsToldOfEveryNode) {
    struct Counting : GraphObserver {
        void starts(std::size_t) noexcept override { ++started; }
        void ends(std::size_t, NodeOutcome outcome) noexcept override {
            if (outcome == NodeOutcome::done) ++ended;
        }
        std::atomic<int> started{0};
        std::atomic<int> ended{0};
    } observer;
    Pool pool(2);
    CheckedGraph checked(100, 1.5, 3);
    GraphRunOptions options;
    options.observer = &observer;
    checked.graph.run(pool, options);
    EXPECT_EQ(observer.started.load(), 100);
    EXPECT_EQ(observer.ended.load(), 100);
}

TEST(TaskGraph, NodesOfOtherLanesRunThereAndTheOthersWaitForThem) {
    std::atomic<int> io_lane{0};
    std::atomic<int> background{0};
    Pool pool(PoolOptions{.workers = 2, .io_threads = 1});
    TaskGraph graph;
    int last = 0;
    GraphNode start = graph.add("start", [] {});
    GraphNode end = graph.add("end", [&] { last = io_lane.load() + background.load(); });
    for (int i = 0; i < 5; ++i) {
        GraphNode read = graph.add("read", [&] { ++io_lane; }).lane(Lane::io).after(start);
        graph.add("use", [&] { ++background; }).lane(Lane::background).after(read).before(end);
    }
    for (int run = 1; run <= 20; ++run) {
        const GraphReport& report = graph.run(pool);
        EXPECT_EQ(report.done, 12U);
        EXPECT_EQ(last, 10 * run);
    }
}

TEST(TaskGraph, HostNodesRunOnTheHostsThread) {
    Pool pool(2);
    TaskGraph graph;
    std::thread::id where;
    GraphNode before = graph.add("before", [] {});
    graph.add("host", [&] { where = std::this_thread::get_id(); }).lane(Lane::host).after(before);
    graph.run(pool);
    EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(TaskGraph, NodeOfALaneThatThePoolHasNotFailsByName) {
    Pool pool(PoolOptions{.workers = 1, .io_threads = 0});
    TaskGraph graph;
    bool ran = false;
    GraphNode read = graph.add("read", [] {}).lane(Lane::io);
    graph.add("after", [&] { ran = true; }).after(read);
    std::vector<NodeError> errors;
    GraphRunOptions options;
    options.errors = &errors;
    graph.run(pool, options);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].name, "read");
    EXPECT_FALSE(ran);
}

TEST(TaskGraph, IsDrawnAsTextDotAndMermaid) {
    TaskGraph graph;
    GraphNode a = graph.add("load \"map\"", [] {}).lane(Lane::io);
    graph
        .add_ranges(
            "mesh", [] { return 3; }, [](IndexRange) {})
        .after(a)
        .deferrable();
    std::ostringstream text;
    graph.write_text(text);
    EXPECT_EQ(text.str(), "load \"map\" [io]\nmesh [ranges] [deferrable] after load \"map\"\n");
    std::ostringstream dot;
    graph.write_dot(dot);
    EXPECT_EQ(dot.str(),
              "digraph tasks {\n  rankdir=LR;\n  node [shape=box];\n  n0 [label=\"load \\\"map\\\"\"];\n"
              "  n1 [label=\"mesh\", style=dashed];\n  n0 -> n1;\n}\n");
    std::ostringstream mermaid;
    graph.write_mermaid(mermaid);
    EXPECT_EQ(mermaid.str(), "flowchart LR\n  n0[\"load #quot;map#quot;\"]\n  n1[\"mesh\"]\n  n0 --> n1\n");
}

TEST(TaskGraph, NodesAreSpansOfTheTrace) {
    Pool pool(2);
    Trace trace(pool);
    TaskGraph graph;
    graph.add("a node by name", [] {});
    graph.run(pool);
    trace.stop();
    std::ostringstream json;
    trace.write(json);
    EXPECT_NE(json.str().find("a node by name"), std::string::npos);
}

}  // namespace
}  // namespace quarry
