#include <atomic>
#include <sstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>
#include <quarry/jobs/trace.hpp>

#include "tests/jobs/support.hpp"
#include "tests/jobs/trace/trace_support.hpp"

// R28, under the thread sanitizer: recording while others write the file, start and stop.
namespace quarry {
namespace {

using namespace test_support;

void busy_frame(Pool& pool) {
    const TraceSpan frame("frame");
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < 30; ++i) {
            scope.spawn([&pool, i] {
                const TraceSpan system("system");
                trace_counter("jobs", i);
                if (i % 10 == 0) parallel_for(pool, 0, 64, [](int) { spin_for(microseconds(1)); });
            });
        }
    });
    pool.submit([] { trace_instant("saved"); });
}

TEST(TraceStress, FilesWrittenWhileThreadsRecordAreWholeAndNested) {
    std::atomic<bool> enough{false};
    // The reader shares two cores with all of them, so they are few and what they write is short.
    Pool pool(2);
    Trace trace(pool, {.events_per_thread = 64});
    std::vector<std::thread> hosts;
    for (int i = 0; i < 2; ++i) {
        hosts.emplace_back([&] {
            while (!enough) busy_frame(pool);
        });
    }
    std::size_t spans = 0;
    // A few files are written before a host's thread has even started: those alone would show nothing.
    for (std::size_t i = 0; i < scaled(60, 12) || spans == 0; ++i) {
        const ReadTrace read = read_trace(trace);
        expect_nesting(read);
        for (const auto& [number, track] : read.tracks) spans += track.spans.size();
    }
    enough = true;
    for (std::thread& host : hosts) host.join();
    EXPECT_GT(trace.kept(), 0u);
}

TEST(TraceStress, TracesComeAndGoWhileThreadsRecord) {
    std::atomic<bool> enough{false};
    std::vector<std::thread> hosts;
    Pool pool(2);
    for (int i = 0; i < 2; ++i) {
        hosts.emplace_back([&] {
            while (!enough) std::thread([&] { busy_frame(pool); }).join();
        });
    }
    for (std::size_t i = 0; i < scaled(100, 10); ++i) {
        Trace trace(pool, {.events_per_thread = 64});
        spin_for(microseconds(200));
        if (i % 2 == 0) trace.stop();
        expect_nesting(read_trace(trace));
    }
    enough = true;
    for (std::thread& host : hosts) host.join();
}

}  // namespace
}  // namespace quarry
