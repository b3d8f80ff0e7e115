#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/engine_bare.hpp"
#include "jobs/engine_host.hpp"
#include "jobs/engine_quarry.hpp"
#include "jobs/rows/list.hpp"

namespace quarry::bench {
namespace {

TEST(Rows, UnbalancedTreeHasItsPublishedNumberOfNodes) {
    EXPECT_EQ(count_uts<BareEngine>(UtsNode::root()), 4'130'071u);
}

TEST(Rows, TreesAreCompleteAndInDepthFirstOrder) {
    const std::vector<TreeNode> tree = make_tree(10);
    ASSERT_EQ(tree.size(), 1'023u);
    EXPECT_EQ(tree[0].left, 1u);
    EXPECT_EQ(tree[0].right, 512u);
    EXPECT_EQ(tree_sum<BareEngine>(tree.data(), 0), 1'023u);
}

TEST(Rows, LeafOfTheMatrixProductAddsTheProduct) {
    std::vector<float> a(kMatrixLeaf * kMatrix, 0.0f);
    std::vector<float> b = a;
    std::vector<float> c = a;
    a[3 * kMatrix + 5] = 2.0f;
    b[5 * kMatrix + 7] = 3.0f;
    c[3 * kMatrix + 7] = 1.0f;
    multiply_leaf(c.data(), a.data(), b.data());
    EXPECT_EQ(c[3 * kMatrix + 7], 7.0f);
    EXPECT_EQ(c[3 * kMatrix + 8], 0.0f);
}

TEST(Rows, EveryListedRowYieldsFiguresOnTheBaseline) {
    EngineHostOf<BareEngine> host;
    for (const RowInfo& row : all_rows()) {
        if (row.heavy) continue;
        RowData data;
        Answer answer;
        RowContext context{true, data, answer, 2};
        host.run(row.name, context);
        EXPECT_FALSE(answer.values.empty() && answer.samples.empty()) << row.name;
    }
}

TEST(Rows, TimesAreGivenInTheUnitOfTheRow) {
    RowData data;
    Answer answer;
    RowContext context{true, data, answer, 2};
    for (const char* const unit : {"s", "ms", "us", "ns"}) {
        context.unit = unit;
        context.add_time("time", 0.5);
    }
    ASSERT_EQ(answer.values.size(), 4u);
    EXPECT_EQ(answer.values[1].unit, "ms");
    EXPECT_DOUBLE_EQ(answer.values[0].value, 0.5);
    EXPECT_DOUBLE_EQ(answer.values[1].value, 500);
    EXPECT_DOUBLE_EQ(answer.values[2].value, 5e5);
    EXPECT_DOUBLE_EQ(answer.values[3].value, 5e8);
    context.unit = "x";
    EXPECT_THROW(context.add_time("time", 0.5), std::logic_error);
}

TEST(Rows, EachIsInTheTableOnceAndHasAUnit) {
    for (const RowInfo& row : all_rows()) {
        int found = 0;
        visit_row(row.name, [&](const auto&) { ++found; });
        EXPECT_EQ(found, 1) << row.name;
        EXPECT_FALSE(row.unit.empty()) << row.name;
    }
    EngineHostOf<BareEngine> host;
    RowData data;
    Answer answer;
    RowContext context{true, data, answer, 2};
    EXPECT_THROW(host.run("no_such_row", context), std::runtime_error);
}

std::vector<std::string> names_of_rows() {
    std::vector<std::string> names;
    for (const RowInfo& row : all_rows()) names.emplace_back(row.name);
    return names;
}

class RowOnQuarry : public testing::TestWithParam<std::string> {};

// Each row checks what it computed, and throws where that is wrong.
TEST_P(RowOnQuarry, ResultIsRightAndYieldsFigures) {
    const std::string& row = GetParam();
    EngineHostOf<QuarryEngine> host;
    ASSERT_EQ(host.unsupported(row, 2), nullptr);
    RowData data;
    Answer answer;
    RowContext context{true, data, answer, 2};
    ASSERT_NO_THROW(host.run(row, context));
    EXPECT_FALSE(answer.values.empty() && answer.samples.empty());
    for (const Answer::Value& value : answer.values) {
        EXPECT_TRUE(std::isfinite(value.value) && value.value >= 0) << value.name << ' ' << value.value;
    }
    for (const Answer::Samples& samples : answer.samples) EXPECT_FALSE(samples.values.empty()) << samples.name;
    const auto& first_unit = answer.values.empty() ? answer.samples.at(0).unit : answer.values.at(0).unit;
    EXPECT_EQ(first_unit, find_row(row)->unit);
    if (row == "idle") {
        EXPECT_LT(answer.values.at(0).value, 0.1) << "R16: in % of one core";
    }
}

INSTANTIATE_TEST_SUITE_P(AllRows, RowOnQuarry, testing::ValuesIn(names_of_rows()),
                         [](const auto& row) { return row.param; });

// R67: all options but the number of workers are the defaults in every row.
TEST(QuarryEngine, IsMeasuredWithTheDefaults) {
    const PoolOptions defaults;
    const auto [workers, io_threads, reserved, capacity, batch, slot, name, on_error, on_start, on_stop] =
        QuarryEngine::pool_options(3);
    EXPECT_EQ(workers, 3);
    EXPECT_EQ(io_threads, defaults.io_threads);
    EXPECT_EQ(reserved, defaults.reserved_for_frame);
    EXPECT_EQ(capacity, defaults.queue_capacity);
    EXPECT_EQ(batch, defaults.steal_batch);
    EXPECT_EQ(slot, defaults.lifo_slot);
    EXPECT_EQ(name, defaults.name);
    EXPECT_FALSE(on_error || on_start || on_stop);
}

// R49
TEST(QuarryEngine, RowIsRightOnAnyNumberOfWorkersOneAfterTheOther) {
    EngineHostOf<QuarryEngine> host;
    RowData data;
    Answer answer;
    for (const int workers : {1, 2, 3, 4, 7}) {
        RowContext context{true, data, answer, workers};
        ASSERT_NO_THROW(host.run("fib", context)) << workers;
        ASSERT_NO_THROW(host.run("spawn", context)) << workers;
    }
    EXPECT_EQ(answer.values.size(), 15u);  // fib also yields the figure of Pool::join
}

TEST(Rows, FloodAndRoundTripsYieldFiguresOnQuarry) {
    EngineHostOf<QuarryEngine> host;
    for (const int workers : {1, 2}) {
        RowData data;
        Answer answer;
        RowContext context{true, data, answer, workers};
        host.run("flood", context);
        host.run("submit_wait", context);
        ASSERT_EQ(answer.values.size(), 1u);
        EXPECT_EQ(answer.values[0].name, "flood");
        EXPECT_GT(answer.values[0].value, 0.0);
        ASSERT_EQ(answer.samples.size(), 2u);
        EXPECT_EQ(answer.samples[0].name, "submit_wait");
        EXPECT_EQ(answer.samples[1].name, "submit_ready");
        for (const Answer::Samples& samples : answer.samples) EXPECT_EQ(samples.values.size(), 1'000u);
    }
}

TEST(Rows, FloodNoticesAJobThatRanTwice) {
    struct RunsOneTwice {
        void flood(int count, void (*job)()) {
            for (int index = 0; index <= count; ++index) job();
        }
    } engine;
    EXPECT_THROW(flood_once(engine), std::runtime_error);
}

TEST(Rows, ChainOfContinuationsYieldsAFigureOnQuarry) {
    EngineHostOf<QuarryEngine> host;
    for (const int workers : {1, 2}) {
        RowData data;
        Answer answer;
        RowContext context{true, data, answer, workers};
        host.run("then", context);
        ASSERT_EQ(answer.values.size(), 1u);
        EXPECT_EQ(answer.values[0].name, "then");
        EXPECT_GT(answer.values[0].value, 0.0);
    }
}

TEST(Rows, ValueOfAChainTellsLinksLeftOutOrOutOfOrder) {
    EXPECT_EQ(chain_value(3), chain_link(chain_link(chain_link(0, 0), 1), 2));
    EXPECT_NE(chain_value(3), chain_link(chain_link(chain_link(0, 0), 2), 1));
    EXPECT_NE(chain_value(3), chain_link(chain_link(0, 0), 2));
}

TEST(Rows, ChainNoticesALinkThatWasLeftOut) {
    struct LeavesTheLastOut {
        void outside(const std::function<void()>& f) { f(); }
        std::uint64_t then_chain(std::uint64_t links) { return chain_value(links - 1); }
    } engine;
    RowData data;
    Answer answer;
    RowContext context{true, data, answer, 1};
    EXPECT_THROW(run_then(engine, context), std::runtime_error);
    EXPECT_TRUE(answer.values.empty());
}

// R30
TEST(Rows, LanesYieldASeriesForEachFlood) {
    EngineHostOf<QuarryEngine> host;
    RowData data;
    Answer answer;
    RowContext context{true, data, answer, 2};
    host.run("lanes", context);
    ASSERT_EQ(answer.samples.size(), 4u);
    EXPECT_EQ(answer.samples[0].name, "lanes_quiet");
    EXPECT_EQ(answer.samples[1].name, "lanes_background");
    EXPECT_EQ(answer.samples[2].name, "lanes_io");
    EXPECT_EQ(answer.samples[3].name, "lanes_unreserved");
    for (const Answer::Samples& samples : answer.samples) {
        EXPECT_EQ(samples.values.size(), 150u);
        for (const double delay : samples.values) ASSERT_GT(delay, 0.0);
    }
}

TEST(Rows, RoundTripNoticesAWrongResult) {
    EXPECT_EQ(trips_ns(10, [](int input) { return input + 1; }).size(), 10u);
    EXPECT_THROW(trips_ns(10, [](int input) { return input; }), std::runtime_error);
}

TEST(RunCount, AddsUpTheJobsOfAllThreads) {
    static RunCount count;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([] {
            for (int job = 0; job < 1'000; ++job) count.add();
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(count.total(), 3'000u);
}

TEST(BareRing, RunsEveryJobOnceAndInOrder) {
    std::vector<int> ran;
    int next = 0;
    {
        struct Argument {
            std::vector<int>& ran;
            int& next;
        } argument{ran, next};
        BareRing ring;
        const auto job = [](void* given) {
            auto& here = *static_cast<Argument*>(given);
            here.ran.push_back(here.next++);
        };
        for (int index = 0; index < 30'000; ++index) ring.push(job, &argument);
    }
    ASSERT_EQ(ran.size(), 30'000u);
    for (int index = 0; index < 30'000; ++index) ASSERT_EQ(ran[static_cast<std::size_t>(index)], index);
}

TEST(BareTeam, EveryJobOfABatchRunsOnce) {
    BareTeam team(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::atomic<int>> runs(50);
        team.run(50, [&](int job) { runs[static_cast<std::size_t>(job)].fetch_add(1); });
        for (const std::atomic<int>& count : runs) ASSERT_EQ(count.load(), 1);
    }
}

}  // namespace
}  // namespace quarry::bench
