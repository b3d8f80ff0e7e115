#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <quarry/jobs/error.hpp>
#include <quarry/jobs/join.hpp>
#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>
#include <quarry/jobs/trace.hpp>

#include "jobs/trace/json.hpp"
#include "tests/jobs/support.hpp"
#include "tests/jobs/trace/trace_support.hpp"

// R28: a trace that opens in Perfetto, one track a worker.
namespace quarry {
namespace {

using namespace test_support;
using std::chrono::microseconds;

// Jobs long enough to be drawn one by one.
void run_scope_of(Pool& pool, int jobs, microseconds each = microseconds(20)) {
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < jobs; ++i) scope.spawn([each] { spin_for(each); });
    });
}

TEST(Trace, HasOneTrackAWorkerAndOneForEachThreadThatTookPart) {
    Pool pool(PoolOptions{.workers = 3, .name = "digger"});
    Trace trace(pool);
    std::thread([&] {
        pthread_setname_np(pthread_self(), "visitor");
        run_scope_of(pool, 50);
    }).join();
    trace.stop();
    const ReadTrace read = read_trace(trace);
    std::vector<std::string> names;
    for (const auto& [number, track] : read.tracks) {
        if (!track.name.empty()) names.push_back(track.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"digger-0", "digger-1", "digger-2", "visitor"}));
    EXPECT_FALSE(read.process.empty());
    EXPECT_EQ(read.lost, 0u);
}

TEST(Trace, EveryJobIsInASpanWithItsName) {
    std::atomic<long> sum{0};
    Pool pool(2);
    Trace trace(pool);
    run_scope_of(pool, 300);
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 40; ++i) tasks.push_back(pool.submit([i] { return spin_for(microseconds(10)), i; }));
    for (Task<int>& task : tasks) task.wait();
    // On a busy machine a loop may be over before a worker gets a CPU.
    EXPECT_TRUE(eventually([&] {
        parallel_for(pool, 0, 2000, [&](int i) { spin_for(microseconds(2)), sum += i; });
        return read_trace(trace).jobs("loop piece") != 0;
    }));
    trace.stop();
    const ReadTrace read = read_trace(trace);
    EXPECT_EQ(read.jobs("scope job"), 300u);
    EXPECT_EQ(read.jobs("task"), 40u);
    EXPECT_GE(read.jobs("loop piece"), 1u);
    expect_nesting(read);
}

TEST(Trace, StolenJoinsAreSpansAndJoinsRunInPlaceAreNot) {
    Pool pool(2);
    Trace trace(pool);
    for (int i = 0; i < 20; ++i) {
        pool.join([] { spin_for(milliseconds(2)); }, [] { spin_for(milliseconds(2)); });
    }
    trace.stop();
    EXPECT_GE(read_trace(trace).jobs("join"), 1u);
    const std::uint64_t promoted = pool.stats().total.promoted;
    EXPECT_LE(read_trace(trace).jobs("join"), promoted);
}

TEST(Trace, ShortJobsAreDrawnTogetherAndNoneIsMissing) {
    constexpr std::size_t kJobs = 5'000;  // fit into the queue: none is run at once by its spawner
    Pool pool(2);
    Trace trace(pool);
    for (int round = 0; round < 4; ++round) {
        pool.scope([](Scope& scope) {
            for (std::size_t i = 0; i < kJobs; ++i) scope.spawn([] {});
        });
    }
    trace.stop();
    const ReadTrace read = read_trace(trace);
    ASSERT_EQ(read.lost, 0u);
    EXPECT_EQ(read.jobs("scope job"), 4 * kJobs);
    std::size_t spans = 0;
    for (const auto& [number, track] : read.tracks) spans += track.count("scope job");
    // Under a sanitizer a job takes some microseconds: none need be short.
    if (!kSanitized) {
        EXPECT_LT(spans, 2 * kJobs);
    }
    expect_nesting(read);
}

TEST(Trace, LongJobsAreDrawnOneByOneAlsoAfterShortOnes) {
    Pool pool(1);
    Trace trace(pool);
    pool.scope([](Scope& scope) {
        for (int i = 0; i < 2'000; ++i) scope.spawn([] {});
    });
    run_scope_of(pool, 200, microseconds(10));
    trace.stop();
    std::size_t alone = 0;
    for (const auto& [number, track] : read_trace(trace).tracks) {
        for (const ReadSpan& span : track.spans)
            alone += span.end - span.begin > 10'000 && !span.arguments.contains("jobs");
    }
    // On each thread the first ones may still be taken together, at the pace of the short ones.
    EXPECT_GE(alone, 200u - 2 * 64);
}

TEST(Trace, SpansOfNestedScopesAndOfTheProgramNest) {
    Pool pool(3);
    Trace trace(pool);
    for (int frame = 0; frame < 20; ++frame) {
        const TraceSpan of_frame("frame");
        pool.scope([&](Scope& outer) {
            for (int i = 0; i < 12; ++i) {
                outer.spawn([&] {
                    const TraceSpan of_system("system");
                    pool.scope([](Scope& inner) {
                        for (int k = 0; k < 20; ++k) {
                            inner.spawn([] {
                                const TraceSpan of_part("part");
                                spin_for(microseconds(3));
                            });
                        }
                    });
                });
            }
        });
        pool.submit([] { const TraceSpan of_save("save"); }).wait();
    }
    trace.stop();
    const ReadTrace read = read_trace(trace);
    EXPECT_EQ(read.jobs("frame"), 20u);
    EXPECT_EQ(read.jobs("system"), 20u * 12);
    EXPECT_EQ(read.jobs("part"), 20u * 12 * 20);
    EXPECT_EQ(read.jobs("save"), 20u);
    expect_nesting(read);
}

TEST(Trace, StealsParksAndWakesAreInstantsAndQueuesAreCounters) {
    Pool pool(PoolOptions{.workers = 2, .name = "deep"});
    Trace trace(pool);
    for (int round = 0; round < 20; ++round) {
        ASSERT_TRUE(workers_park());
        run_scope_of(pool, 64);
    }
    ASSERT_TRUE(workers_park());
    trace.stop();
    const ReadTrace read = read_trace(trace);
    EXPECT_GE(read.instants("steal"), 1u);
    EXPECT_GE(read.instants("park"), 20u);
    EXPECT_GE(read.instants("awake"), 20u);
    EXPECT_GE(read.instants("wake"), 1u);
    ASSERT_TRUE(read.counters.contains("queued jobs of deep-0"));
    ASSERT_TRUE(read.counters.contains("injected jobs"));
    for (const auto& [number, track] : read.tracks) {
        EXPECT_TRUE(std::is_sorted(track.instant_times.begin(), track.instant_times.end()));
    }
}

TEST(Trace, WhatTheProgramAddsIsOnTheTrackOfItsThread) {
    Pool pool(1);
    Trace trace(pool);
    std::thread([] {
        pthread_setname_np(pthread_self(), "loader");
        const TraceSpan span(trace_name(std::string("level ") + std::to_string(7)));
        trace_instant("file opened");
        trace_counter("bytes", 1.5);
        trace_counter("bytes", -2);
        trace_counter("bytes", std::numeric_limits<double>::infinity());
    }).join();
    trace.stop();
    std::ostringstream text;
    trace.write(text);
    EXPECT_NE(text.str().find("\"value\":null"), std::string::npos) << "infinity is no JSON";
    const ReadTrace read = read_trace(text.str().replace(text.str().find("\"value\":null"), 12, "\"value\":9"));
    const ReadTrack* const loader = read.track("loader");
    ASSERT_NE(loader, nullptr);
    EXPECT_EQ(loader->count("level 7"), 1u);
    EXPECT_EQ(loader->instants, std::vector<std::string>{"file opened"});
    EXPECT_EQ(read.counters.at("bytes"), (std::vector<double>{1.5, -2, 9}));
}

TEST(Trace, EqualTextsAreOneName) {
    EXPECT_EQ(trace_name("dig"), trace_name(std::string("dig")));
    EXPECT_NE(trace_name("dig"), trace_name("dug"));
}

TEST(Trace, FullRingKeepsTheNewestEventsAndCountsTheLostOnes) {
    Pool pool(1);
    Trace trace(pool, {.events_per_thread = 100});
    std::thread([] {
        pthread_setname_np(pthread_self(), "chatty");
        for (int i = 0; i < 1'000; ++i) trace_counter("number", i);
    }).join();
    trace.stop();
    const ReadTrace read = read_trace(trace);
    std::vector<double> newest;
    for (int i = 900; i < 1'000; ++i) newest.push_back(i);
    EXPECT_EQ(read.counters.at("number"), newest);
    EXPECT_EQ(read.lost, 900u);
    EXPECT_EQ(trace.lost(), 900u);
    EXPECT_GE(trace.kept(), 100u);
    EXPECT_EQ(read.instants("900 older events lost"), 1u);
}

TEST(Trace, RingThatIsJustFullHasLostNothing) {
    Pool pool(1);
    Trace trace(pool, {.events_per_thread = 16});
    std::thread([] {
        for (int i = 0; i < 16; ++i) trace_counter("number", i);
    }).join();
    EXPECT_EQ(trace.lost(), 0u);
    EXPECT_EQ(read_trace(trace).counters.at("number").size(), 16u);
}

TEST(Trace, NamesAreEscaped) {
    using impl::escaped;
    EXPECT_EQ(escaped("plain"), "plain");
    EXPECT_EQ(escaped(R"(a "b" \c)"), R"(a \"b\" \\c)");
    EXPECT_EQ(escaped(std::string("\n\t\x01\x00", 4)), "\\u000a\\u0009\\u0001\\u0000");
    EXPECT_EQ(escaped("\xc3\xa4\xe2\x82\xac\xf0\x9f\x97\xbb"), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x97\xbb");
    const std::string bad = "\xef\xbf\xbd";
    EXPECT_EQ(escaped("a\xff"), "a" + bad);
    EXPECT_EQ(escaped("\xc3"), bad) << "cut off";
    EXPECT_EQ(escaped("\xc0\xaf"), bad + bad) << "longer than needed";
    EXPECT_EQ(escaped("\xed\xa0\x80"), bad + bad + bad) << "a surrogate";
    EXPECT_EQ(escaped("\xf4\x90\x80\x80"), bad + bad + bad + bad) << "beyond the last character";
}

TEST(Trace, NamesOfAnyKindComeThroughTheFile) {
    Pool pool(PoolOptions{.workers = 1, .name = "say \"hi\"\\"});
    Trace trace(pool);
    trace_instant("line\nbreak \xff");
    trace.stop();
    const ReadTrace read = read_trace(trace);
    EXPECT_NE(read.track("say \"hi\"\\-0"), nullptr);
    EXPECT_EQ(read.instants("line\nbreak \xef\xbf\xbd"), 1u);
}

}  // namespace
}  // namespace quarry
