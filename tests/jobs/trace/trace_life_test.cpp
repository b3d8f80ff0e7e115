#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <quarry/jobs/error.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>
#include <quarry/jobs/trace.hpp>
#include <unistd.h>

#include "tests/jobs/support.hpp"
#include "tests/jobs/trace/trace_support.hpp"

// Traces, pools and threads begin and end in any order (R28).
namespace quarry {
namespace {

using namespace test_support;
namespace fs = std::filesystem;

void spawn_jobs(Pool& pool, int jobs) {
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < jobs; ++i) scope.spawn([] { spin_for(microseconds(10)); });
    });
}

std::string message_of(const std::function<void()>& refused) {
    try {
        refused();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(TraceLife, NothingIsRecordedBeforeStartAndAfterStop) {
    Pool pool(2);
    Trace trace;
    spawn_jobs(pool, 20);
    trace_instant("too early");
    EXPECT_FALSE(trace.active());
    EXPECT_EQ(trace.kept(), 0u);
    trace.start(pool);
    EXPECT_TRUE(trace.active());
    spawn_jobs(pool, 20);
    trace.stop();
    EXPECT_FALSE(trace.active());
    const std::uint64_t kept = trace.kept();
    EXPECT_GE(kept, 20u);
    trace_instant("too late");
    spawn_jobs(pool, 20);
    EXPECT_EQ(trace.kept(), kept);
    EXPECT_EQ(read_trace(trace).jobs("scope job"), 20u);
}

TEST(TraceLife, SpanThatBeganBeforeStartOrEndsAfterStopIsLeftOut) {
    Pool pool(1);
    Trace trace;
    {
        const TraceSpan early("early");
        trace.start(pool);
    }
    {
        const TraceSpan late("late");
        trace.stop();
    }
    EXPECT_EQ(read_trace(trace).jobs("early"), 0u);
    EXPECT_EQ(read_trace(trace).jobs("late"), 0u);
    {
        std::optional<TraceSpan> across;
        trace.start(pool);
        across.emplace("across");
        trace.stop();
        trace.start(pool);
    }
    EXPECT_EQ(read_trace(trace).jobs("across"), 0u) << "it began in another recording";
}

TEST(TraceLife, StartsAndStopsAgainAndAgainAndEachTimeBeginsAnew) {
    Pool pool(2);
    Trace trace({.events_per_thread = 1'000});
    for (int round = 1; round <= 50; ++round) {
        trace.start(pool);
        spawn_jobs(pool, round);
        trace.stop();
        const ReadTrace read = read_trace(trace);
        ASSERT_EQ(read.jobs("scope job"), static_cast<std::size_t>(round));
        expect_nesting(read);
    }
}

TEST(TraceLife, StoppingWithoutHavingStartedDoesNothing) {
    Trace trace;
    trace.stop();
    EXPECT_EQ(message_of([&] { trace.write(std::cout); }), "this trace has nothing to write: it was never started");
}

TEST(TraceLife, PoolIsRecordedByOneTraceAtATime) {
    Pool pool(1);
    Trace first(pool);
    Trace second;
    const std::string message = "this pool is being traced already; stop that trace first";
    EXPECT_EQ(message_of([&] { second.start(pool); }), message);
    EXPECT_FALSE(second.active());
    EXPECT_EQ(message_of([&] { first.start(pool); }), message);
    EXPECT_TRUE(first.active());
    EXPECT_THROW(second.start(pool), Error);
    first.stop();
    second.start(pool);
    EXPECT_TRUE(second.active());
}

TEST(TraceLife, OneTraceRecordsSeveralPools) {
    Pool one(PoolOptions{.workers = 1, .name = "one"});
    Pool two(PoolOptions{.workers = 1, .name = "two"});
    Trace trace(one);
    trace.start(two);
    one.submit([&] { spawn_jobs(two, 30); }).wait();
    trace.stop();
    const ReadTrace read = read_trace(trace);
    EXPECT_NE(read.track("one-0"), nullptr);
    EXPECT_NE(read.track("two-0"), nullptr);
    EXPECT_EQ(read.jobs("scope job"), 30u);
    EXPECT_EQ(read.jobs("task"), 1u);
    expect_nesting(read);
}

TEST(TraceLife, TracesOfTwoPoolsAtOnceKeepApart) {
    Pool one(1);
    Pool two(1);
    Trace of_one(one);
    Trace of_two(two);
    for (int round = 0; round < 20; ++round) {
        one.submit([&] {
               const TraceSpan span("in one");
               spawn_jobs(two, 3);
           })
            .wait();
    }
    of_one.stop();
    of_two.stop();
    const ReadTrace first = read_trace(of_one);
    const ReadTrace second = read_trace(of_two);
    EXPECT_EQ(first.jobs("in one"), 20u);
    EXPECT_EQ(first.jobs("scope job"), 0u);
    EXPECT_EQ(second.jobs("scope job"), 60u);
    EXPECT_EQ(second.jobs("in one"), 0u);
    expect_nesting(first);
    expect_nesting(second);
}

TEST(TraceLife, PoolMayEndBeforeItsTrace) {
    Trace trace;
    {
        Pool pool(2);
        trace.start(pool);
        spawn_jobs(pool, 10);
    }
    EXPECT_TRUE(trace.active());
    {
        Pool another(2);
        trace.start(another);
        spawn_jobs(another, 10);
    }
    trace.stop();
    EXPECT_EQ(read_trace(trace).jobs("scope job"), 20u);
}

// At the same moment too. The flag orders nothing, so that the thread sanitizer sees what the library itself does not.
TEST(TraceLife, PoolMayEndWhileItsTraceStops) {
    for (int round = 0; round < static_cast<int>(scaled(200, 4)); ++round) {
        auto pool = std::make_unique<Pool>(2);
        Trace trace(*pool, {.events_per_thread = 16});
        std::atomic<bool> stopping{false};
        std::thread host([&] {
            while (round % 2 == 0 && !stopping.load(std::memory_order_relaxed)) std::this_thread::yield();
            pool.reset();
        });
        trace.stop();
        stopping.store(true, std::memory_order_relaxed);
        host.join();
        EXPECT_FALSE(trace.active());
    }
}

TEST(TraceLife, TraceMayEndWhileThePoolWorks) {
    std::atomic<bool> enough{false};
    Pool pool(2);
    std::thread host([&] {
        while (!enough) spawn_jobs(pool, 20);
    });
    for (int i = 0; i < 30; ++i) {
        const Trace trace(pool, {.events_per_thread = 64});
        spin_for(microseconds(300));
    }
    enough = true;
    host.join();
    spawn_jobs(pool, 10);
    EXPECT_EQ(pool.stats().total.failed, 0u);
}

TEST(TraceLife, TrackOfAThreadThatHasEndedStays) {
    Pool pool(1);
    Trace trace(pool);
    for (int i = 0; i < 5; ++i) {
        std::thread([] { trace_instant("hello"); }).join();
    }
    trace.stop();
    const ReadTrace read = read_trace(trace);
    EXPECT_EQ(read.instants("hello"), 5u);
    EXPECT_EQ(read.tracks.size(), 1u + 5u) << "the worker and five threads";
}

TEST(TraceLife, EventsPerThreadOutOfRangeAreRefusedWithTheRange) {
    for (const std::size_t events : {std::size_t{0}, std::size_t{15}, (std::size_t{1} << 24) + 1}) {
        EXPECT_THROW(Trace(TraceOptions{.events_per_thread = events}), std::invalid_argument);
        EXPECT_EQ(message_of([&] { const Trace trace(TraceOptions{.events_per_thread = events}); }),
                  "TraceOptions::events_per_thread is " + std::to_string(events) +
                      "; allowed are 16 to 16777216, and 0 with hooks");
    }
}

class TraceFile : public testing::Test {
  protected:
    TraceFile() {
        fs::remove_all(folder_);
        fs::create_directory(folder_);
    }
    ~TraceFile() override { fs::remove_all(folder_); }

    const fs::path folder_ = fs::path(testing::TempDir()) / ("quarry_trace_file_" + std::to_string(::getpid()));
};

TEST_F(TraceFile, IsWrittenWholeWithNothingBesideIt) {
    Pool pool(1);
    Trace trace(pool);
    spawn_jobs(pool, 5);
    trace.write(folder_ / "trace.json");
    trace.write(folder_ / "trace.json");
    std::ifstream file(folder_ / "trace.json");
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_EQ(read_trace(text.str()).jobs("scope job"), 5u);
    EXPECT_EQ(count_entries(folder_.c_str()), 1u);
}

TEST_F(TraceFile, PathThatCanNotBeWrittenIsNamedWithTheReasonAndLeavesNothing) {
    Pool pool(1);
    const Trace trace(pool);
    EXPECT_EQ(
        message_of([&] { trace.write(folder_ / "missing" / "trace.json"); }),
        "cannot write the trace to " + (folder_ / "missing" / "trace.json").string() + ": No such file or directory");
    EXPECT_EQ(message_of([&] { trace.write(folder_); }),
              "cannot write the trace to " + folder_.string() + ": Is a directory");
    EXPECT_THROW(trace.write(folder_), Error);
    EXPECT_EQ(count_entries(folder_.c_str()), 0u);
    EXPECT_EQ(message_of([&] { trace.write(fs::path("/dev/full/trace")); }).find("cannot write the trace to /dev/full"),
              0u);
}

}  // namespace
}  // namespace quarry
