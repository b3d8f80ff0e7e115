#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>
#include <quarry/jobs/trace.hpp>

#include "tests/jobs/support.hpp"
#include "tests/jobs/trace/trace_support.hpp"

// R28: a profiler with a protocol of its own, such as Tracy, is told at the moment itself.
namespace quarry {
namespace {

using namespace test_support;

struct Seen {
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    std::atomic<int> instants{0};
    std::atomic<int> counters{0};
    std::atomic<int> threads{0};
    std::atomic<int> misplaced{0};
};
Seen* seen = nullptr;
thread_local std::vector<std::uint64_t> open_spans;

const TraceHooks kHooks{.begin =
                            [](const char* name, const char*) {
                                const auto number = static_cast<std::uint64_t>(++seen->begun);
                                if (std::string(name).empty()) ++seen->misplaced;
                                open_spans.push_back(number);
                                return number;
                            },
                        .end =
                            [](std::uint64_t begun) {
                                ++seen->ended;
                                if (open_spans.empty() || open_spans.back() != begun) {
                                    ++seen->misplaced;
                                } else {
                                    open_spans.pop_back();
                                }
                            },
                        .instant = [](const char*) { ++seen->instants; },
                        .counter = [](const char*, double) { ++seen->counters; },
                        .thread = [](const char*) { ++seen->threads; }};

class Hooks : public testing::Test {
  protected:
    Hooks() { seen = &seen_; }
    ~Hooks() override { seen = nullptr; }
    Seen seen_;
};

void spawn_empty(Pool& pool, int jobs) {
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < jobs; ++i) scope.spawn([] {});
    });
}

TEST_F(Hooks, AreToldOfEveryJobWhereItRunsInProperOrder) {
    {
        Pool pool(2);
        Trace trace(pool, {.hooks = &kHooks});
        spawn_empty(pool, 5'000);
        {
            const TraceSpan span("mine");
            trace_instant("now");
            trace_counter("five", 5);
        }
        ASSERT_TRUE(workers_park());
        trace.stop();
        EXPECT_GE(read_trace(trace).jobs("scope job"), 5'000u) << "recorded as well";
    }
    EXPECT_EQ(seen_.begun, 5'001);
    EXPECT_EQ(seen_.ended, 5'001);
    EXPECT_GE(seen_.instants, 2) << "one of ours, and the parks";
    EXPECT_GE(seen_.counters, 1);
    EXPECT_GE(seen_.threads, 2);
    EXPECT_LE(seen_.threads, 3);
    EXPECT_EQ(seen_.misplaced, 0);
}

TEST_F(Hooks, AloneRecordNothing) {
    Pool pool(1);
    Trace trace(pool, {.events_per_thread = 0, .hooks = &kHooks});
    spawn_empty(pool, 100);
    ASSERT_TRUE(workers_park());
    trace.stop();
    EXPECT_EQ(seen_.begun, 100);
    EXPECT_EQ(trace.kept(), 0u);
    EXPECT_EQ(trace.lost(), 0u);
}

TEST_F(Hooks, SpanThatIsOpenWhenTheTraceStopsStillEnds) {
    Pool pool(1);
    Trace trace(pool, {.hooks = &kHooks});
    {
        const TraceSpan span("mine");
        pool.submit([&] { trace.stop(); }).wait();
    }
    ASSERT_TRUE(workers_park());
    EXPECT_EQ(seen_.begun, 2);
    EXPECT_EQ(seen_.ended, 2);
    EXPECT_EQ(seen_.misplaced, 0);
}

TEST_F(Hooks, MayBeMissingOneByOne) {
    static constexpr TraceHooks kNone{};
    Pool pool(1);
    Trace trace(pool, {.hooks = &kNone});
    spawn_empty(pool, 100);
    const TraceSpan span("mine");
    trace_instant("now");
    trace_counter("five", 5);
    trace.stop();
    EXPECT_EQ(read_trace(trace).jobs("scope job"), 100u);
}

}  // namespace
}  // namespace quarry
