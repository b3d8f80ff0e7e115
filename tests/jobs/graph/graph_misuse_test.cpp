// Uses that are wrong, or rare: each has a clear answer, and the graph is as good as before.
#include <csignal>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "tests/jobs/graph/graph_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using test_support::CheckedGraph;
using Clock = std::chrono::steady_clock;

TEST(TaskGraphMisuse, ChoiceThatIsTooLargeIsRefusedAndTheGraphRunsAgain) {
    CheckedGraph checked(20, 1.5, 1);
    int choices = 0;
    const GraphChoice too_large = [&](std::size_t below) { return ++choices == 5 ? below : 0; };
    EXPECT_THROW(checked.graph.run_chosen(too_large), Error);
    for (auto& runs : checked.runs) runs = 0;
    checked.early = 0;
    Pool pool(2);
    checked.graph.run(pool);
    EXPECT_TRUE(checked.all_ran(1));
}

TEST(TaskGraphMisuse, ChoiceThatThrowsLeavesTheGraphAsItWas) {
    for (int at = 1; at <= 10; ++at) {
        CheckedGraph checked(20, 1.5, 2);
        int choices = 0;
        const GraphChoice fails = [&](std::size_t) -> std::size_t {
            if (++choices == at) throw std::runtime_error("no idea");
            return 0;
        };
        EXPECT_THROW(checked.graph.run_chosen(fails), std::runtime_error);
        for (auto& runs : checked.runs) runs = 0;
        checked.early = 0;
        Pool pool(2);
        checked.graph.run(pool);
        EXPECT_TRUE(checked.all_ran(1)) << "choice " << at;
    }
}

TEST(TaskGraphMisuse, DeadlineInTheFarthestPastIsOneThatHasPassed) {
    Pool pool(1);
    TaskGraph graph;
    int ran = 0;
    graph.add("may", [&] { ++ran; }).deferrable();
    EXPECT_EQ(graph.run_until(pool, Clock::time_point::min()).deferred.size(), 1U);
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(graph.run_until(pool, Clock::time_point::min()).carried.size(), 1U);
    EXPECT_EQ(ran, 1);
}

TEST(TaskGraphMisuse, WhatARunLeftIsDoneEvenIfTheGraphIsChangedMeanwhile) {
    for (const int workers : {0, 1, 2}) {
        Pool pool(std::max(workers, 1));
        TaskGraph graph;
        std::string order;
        GraphNode first = graph.add("first", [&] { order += 'a'; }).deferrable();
        GraphNode second = graph.add("second", [&] { order += 'b'; }).after(first).deferrable();
        graph.run_until(pool, Clock::now());
        EXPECT_EQ(order, "");
        // Follows a node that was left, but was not left itself.
        graph.add("new", [&] { order += 'c'; }).after(second).deferrable();
        const GraphReport& report = workers == 0 ? graph.run_here() : graph.run(pool);
        EXPECT_EQ(report.carried, (std::vector<std::size_t>{0, 1}));
        EXPECT_EQ(report.done, 3U);
        EXPECT_EQ(order, "ababc") << workers << " workers";
    }
}

TEST(TaskGraphMisuse, EveryNodeOfCyclesThatShareNodesIsNamed) {
    TaskGraph graph;
    GraphNode hub = graph.add("hub", [] {});
    for (const char* name : {"left", "right", "far"}) {
        GraphNode other = graph.add(name, [] {});
        other.after(hub);
        hub.after(other);
    }
    GraphNode innocent = graph.add("innocent", [] {});
    innocent.after(hub);
    try {
        graph.build();
        FAIL() << "accepted";
    } catch (const GraphError& error) {
        const std::string what = error.what();
        for (const char* name : {"hub", "left", "right", "far"}) {
            EXPECT_NE(what.find(name), std::string::npos) << name << '\n' << what;
        }
        EXPECT_EQ(what.find("innocent"), std::string::npos) << what;
    }
}

TEST(TaskGraphMisuse, VeryManyNodesInOneKnotAreAllNamed) {
    TaskGraph graph;
    GraphNode hub = graph.add("hub", [] {});
    for (int i = 0; i < 100; ++i) {
        GraphNode other = graph.add("spoke " + std::to_string(i), [] {});
        other.after(hub);
        hub.after(other);
    }
    try {
        graph.build();
        FAIL() << "accepted";
    } catch (const GraphError& error) {
        const std::string what = error.what();
        for (int i = 0; i < 100; ++i) {
            EXPECT_NE(what.find("\"spoke " + std::to_string(i) + '"'), std::string::npos) << i;
        }
    }
}

void destroy_inside() {
    Pool pool(2);
    auto graph = std::make_unique<TaskGraph>();
    graph->add("end", [&] { graph.reset(); });
    graph->run(pool);
}

void replace_inside() {
    TaskGraph graph;
    graph.add("end", [&] { graph = TaskGraph(); });
    graph.run_here();
}

TEST(TaskGraphMisuseDeathTest, DestroyedWhileItRunsEndsTheProgramWithAMessage) {
    EXPECT_EXIT(destroy_inside(), testing::KilledBySignal(SIGABRT), "a graph was destroyed while it ran");
    EXPECT_EXIT(replace_inside(), testing::KilledBySignal(SIGABRT), "a graph was destroyed while it ran");
}

TEST(TaskGraphMisuse, MovedFromIsRefusedUntilItIsAssignedTo) {
    Pool pool(1);
    TaskGraph graph;
    int ran = 0;
    graph.add("node", [&] { ++ran; });
    TaskGraph other = std::move(graph);
    EXPECT_THROW(graph.run(pool), Error);           // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(graph.add("more", [] {}), Error);  // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(static_cast<void>(graph.size()), Error);
    graph = std::move(other);
    graph.run(pool);
    EXPECT_EQ(ran, 1);
}

TEST(TaskGraphMisuse, RangesOfNothingAreDoneAtOnce) {
    for (const int workers : {1, 2}) {
        Pool pool(workers);
        TaskGraph graph;
        int after = 0;
        GraphNode empty = graph.add_ranges(
            "empty", [] { return 0; }, [](IndexRange) { FAIL() << "called for nothing"; });
        graph.add("after", [&] { ++after; }).after(empty);
        EXPECT_EQ(graph.run(pool).done, 2U);
        EXPECT_EQ(graph.run_shuffled(3).done, 2U);
        EXPECT_EQ(graph.run_here().done, 2U);
        EXPECT_EQ(after, 3);
    }
}

TEST(TaskGraphMisuse, ChainOfAMillionNodesRunsToItsEnd) {
    const std::size_t nodes = test_support::scaled(1'000'000);
    Pool pool(2);
    TaskGraph graph;
    std::size_t ran = 0;
    GraphNode last = graph.add("first", [&] { ++ran; });
    for (std::size_t i = 1; i < nodes; ++i) last = graph.add("next", [&] { ++ran; }).after(last);
    EXPECT_EQ(graph.run(pool).done, nodes);
    EXPECT_EQ(graph.run(pool).done, nodes);
    EXPECT_EQ(graph.run_shuffled(1).done, nodes);
    EXPECT_EQ(ran, 3 * nodes);
}

TEST(TaskGraphMisuse, RunsOnAWorkerOfItsPoolAndBesideOthers) {
    Pool pool(2);
    CheckedGraph inner(200, 1.5, 5);
    TaskGraph outer;
    outer.add("inner", [&] { inner.graph.run(pool); });
    CheckedGraph other(200, 1.5, 6);
    outer.add("other", [&] { other.graph.run(pool); });
    for (std::uint64_t run = 1; run <= 20; ++run) {
        outer.run(pool);
        EXPECT_TRUE(inner.all_ran(run));
        EXPECT_TRUE(other.all_ran(run));
    }
}

TEST(TaskGraphStop, FromAnotherThreadInTheMiddleOfRunsLosesNoCount) {
    Pool pool(3);
    for (std::uint64_t seed = 0; seed < test_support::scaled(40); ++seed) {
        CheckedGraph checked(300, 1.5, seed);
        checked.work = [](std::size_t) { test_support::spin_for(std::chrono::microseconds(1)); };
        std::stop_source source;
        std::thread stopper([&] {
            test_support::spin_for(std::chrono::microseconds(seed * 7));
            source.request_stop();
        });
        GraphRunOptions options;
        options.stop = source.get_token();
        const GraphReport report = checked.graph.run(pool, options);
        stopper.join();
        EXPECT_EQ(report.done + report.cancelled, 300U);
        std::uint64_t done = 0;
        for (auto& runs : checked.runs) done += runs.exchange(0);
        EXPECT_EQ(done, report.done);
        checked.graph.run(pool);
        EXPECT_TRUE(checked.all_ran(1)) << "seed " << seed;
    }
}

// Light nodes share readings of the clock from the ninth run on; what a node does wrong must be told all the same.
TEST(TaskGraphError, OfALightNodeInALaterRunIsToldByName) {
    for (const int workers : {1, 2}) {
        Pool pool(workers);
        CheckedGraph checked(500, 1.2, 9);
        bool fails = false;
        GraphNode bad = checked.graph.add("bad", [&] {
            if (fails) throw std::runtime_error("no");
        });
        int after = 0;
        checked.graph.add("after", [&] { ++after; }).after(bad);
        for (int run = 0; run < 12; ++run) checked.graph.run(pool);
        fails = true;
        std::vector<NodeError> errors;
        GraphRunOptions options;
        options.errors = &errors;
        options.after_error = AfterError::skip_successors;
        const GraphReport& report = checked.graph.run(pool, options);
        ASSERT_EQ(errors.size(), 1U);
        EXPECT_EQ(errors[0].name, "bad");
        EXPECT_EQ(report.failed, 1U);
        EXPECT_EQ(report.not_run, 1U);
        EXPECT_EQ(report.done, 500U);
        EXPECT_EQ(after, 12);
        fails = false;
        checked.graph.run(pool);
        EXPECT_TRUE(checked.all_ran(14));
        EXPECT_EQ(after, 13);
    }
}

TEST(TaskGraph, EveryNodeIsTimedWhereThatIsAskedFor) {
    Pool pool(1);
    TaskGraph graph;
    for (int i = 0; i < 50; ++i) graph.add("light", [] { test_support::spin_for(std::chrono::nanoseconds(300)); });
    GraphRunOptions options;
    options.times = true;
    for (int run = 0; run < 40; ++run) {
        graph.run(pool, options);
        std::set<std::chrono::nanoseconds> starts;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            EXPECT_GE(graph.times(i).ended - graph.times(i).started, std::chrono::nanoseconds(250));
            starts.insert(graph.times(i).started);
        }
        EXPECT_EQ(starts.size(), 50U);
    }
}

// A node that was light for a long time and becomes heavy is noticed, though not every run measures it.
TEST(TaskGraph, LightNodeThatBecomesHeavyIsNoticed) {
    Pool pool(1);
    TaskGraph graph;
    bool heavy = false;
    for (int i = 0; i < 8; ++i) {
        graph.add("node", [&] {
            if (heavy) test_support::spin_for(std::chrono::microseconds(50));
        });
    }
    for (int run = 0; run < 20; ++run) graph.run(pool);
    heavy = true;
    for (int run = 0; run < 17; ++run) graph.run(pool);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_GE(graph.cost(i), std::chrono::microseconds(20)) << i;
}

}  // namespace
}  // namespace quarry
