#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>
#include <quarry/jobs/trace.hpp>

#include "tests/jobs/support.hpp"
#include "tests/jobs/trace/trace_support.hpp"

// R28: what belongs together in a trace, and what things are called.
namespace quarry {
namespace {

using namespace test_support;

// The innermost span of a thread at a time, as a viewer finds the one that an arrow is tied to; by its name.
std::vector<std::string> spans_around(const ReadTrace& trace, int thread, long long time) {
    std::vector<std::string> names;
    for (const ReadSpan& span : trace.tracks.at(thread).spans) {
        if (span.begin <= time && time < span.end) names.push_back(span.name);
    }
    return names;
}

std::string job_name(int i) {
    return "job " + std::to_string(i);
}

// Submits jobs with names of their own, each within a span of the same name.
void submit_named_jobs(Pool& pool, int jobs, milliseconds pause = milliseconds(0)) {
    std::vector<Task<void>> tasks;
    for (int i = 0; i < jobs; ++i) {
        const char* const name = trace_name(job_name(i));
        const TraceSpan span(name);
        tasks.push_back(pool.submit([] { spin_for(microseconds(50)); }, {.name = name}));
        if (pause.count() != 0) std::this_thread::sleep_for(pause);
    }
    EXPECT_TRUE(eventually([&] {
        for (const Task<void>& task : tasks) {
            if (!task.ready()) return false;
        }
        return true;
    }));
}

void expect_right_arrows(const ReadTrace& read) {
    std::set<int> ids;
    for (const ReadArrow& arrow : read.arrows) {
        EXPECT_TRUE(ids.insert(arrow.id).second) << "two arrows have one number";
        EXPECT_LE(arrow.from, arrow.to);
        const std::vector<std::string> around = spans_around(read, arrow.from_thread, arrow.from);
        EXPECT_TRUE(std::count(around.begin(), around.end(), "submit")) << "an arrow that begins in no span";
        const std::vector<std::string> there = spans_around(read, arrow.to_thread, arrow.to);
        ASSERT_FALSE(there.empty()) << "an arrow that ends in no span";
        EXPECT_TRUE(std::count(around.begin(), around.end(), there.back()))
            << "an arrow to " << there.back() << " from another job's submit";
    }
}

TEST(TraceArrows, LeadFromWhereAJobWasSubmittedToWhereItStarted) {
    Pool pool(2);
    Trace trace(pool);
    submit_named_jobs(pool, 40);
    trace.stop();
    const ReadTrace read = read_trace(trace);
    expect_nesting(read);
    expect_right_arrows(read);
    // A worker that finds a job at once draws it as if it had begun when the one before it ended: a little too early
    // perhaps for an arrow.
    EXPECT_GE(read.arrows.size(), 30u);
    for (const ReadArrow& arrow : read.arrows) EXPECT_NE(arrow.from_thread, arrow.to_thread);
}

TEST(TraceArrows, AreOfTheRightJobsWhereRingsAreTooShort) {
    Pool pool(2);
    Trace trace(pool, {.events_per_thread = 64});
    for (int round = 0; round < 10; ++round) submit_named_jobs(pool, 50);
    trace.stop();
    const ReadTrace read = read_trace(trace);
    ASSERT_GT(read.lost, 0u);
    expect_right_arrows(read);
}

TEST(TraceArrows, LeadToContinuationsFromTheEndOfWhatTheyContinue) {
    Pool pool(2);
    Trace trace(pool);
    for (int i = 0; i < 20; ++i) {
        pool.submit([] { spin_for(microseconds(20)); }, {.name = "first"})
            .then([] { spin_for(microseconds(20)); })
            .wait();
    }
    trace.stop();
    // Those that a waiting thread has run in place are drawn there.
    EXPECT_GE(read_trace(trace).arrows.size(), 20u);
}

TEST(TraceNames, ScopesAndLoopsAreCalledAsTheProgramSays) {
    Pool pool(2);
    Trace trace(pool);
    pool.scope(
        [](Scope& scope) {
            for (int i = 0; i < 30; ++i) scope.spawn([] { spin_for(microseconds(20)); });
        },
        {.name = "erode"});
    EXPECT_TRUE(eventually([&] {
        parallel_for(
            pool, 0, 2000, [](int) { spin_for(microseconds(2)); }, "smooth");
        return read_trace(trace).jobs("smooth") != 0;
    }));
    trace.stop();
    const ReadTrace read = read_trace(trace);
    EXPECT_EQ(read.jobs("erode"), 30u);
    EXPECT_EQ(read.jobs("scope job"), 0u);
    EXPECT_EQ(read.jobs("loop piece"), 0u);
}

TEST(TraceNames, NumberedSpansHaveTheirNumber) {
    Pool pool(1);
    Trace trace(pool);
    for (std::uint64_t frame = 998; frame < 1001; ++frame) const TraceSpan span("frame", frame);
    trace.stop();
    const ReadTrace read = read_trace(trace);
    for (const char* const name : {"frame 998", "frame 999", "frame 1000"}) EXPECT_EQ(read.jobs(name), 1u) << name;
}

TEST(TraceNames, StealsNameTheThreadTheyTookFrom) {
    Pool pool(PoolOptions{.workers = 2, .name = "digger"});
    Trace trace(pool);
    const auto spawn_many = [&] {
        pool.scope([](Scope& scope) {
            for (int i = 0; i < 50; ++i) scope.spawn([] { spin_for(microseconds(50)); });
        });
    };
    std::set<std::string> robbed;
    // From a thread outside, and from a worker.
    EXPECT_TRUE(eventually([&] {
        std::thread([&] {
            pthread_setname_np(pthread_self(), "visitor");
            spawn_many();
        }).join();
        pool.submit(spawn_many).wait();
        for (const auto& [number, track] : read_trace(trace).tracks) {
            for (const Json& from : track.robbed) robbed.insert(from);
        }
        return robbed.contains("visitor") && (robbed.contains("digger-0") || robbed.contains("digger-1"));
    }));
    for (const std::string& name : robbed) EXPECT_EQ(name.find("not in this trace"), std::string::npos);
}

}  // namespace
}  // namespace quarry
