// A host that starts and stops its engine again and again (R47). In the program that counts allocations.
#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

#include "quarry/frame/frame_clock.hpp"
#include "quarry/frame/frame_ledger.hpp"
#include "quarry/frame/inbox.hpp"
#include "quarry/frame/virtual_clock.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

constexpr int kFrames = 5;
constexpr int kJobsPerFrame = 20;

struct Result {
    FrameTag tag;
    int value = 0;
};

// A whole session of a host: all that it has, and some frames with jobs. In every other one it leaves while results
// are still on their way.
std::uint64_t session(bool leaves_early) {
    const HostGuard host;
    Inbox<Result> inbox({.slots = 8, .host = host});
    Pool pool(PoolOptions{.workers = 2, .name = "cycle"});
    FrameClock clock(1000);
    FrameLedger ledger({.hertz = 1000, .stale = StalePolicy::drop_older_than(2), .host = host});
    VirtualClock time;
    std::uint64_t returned = 0;
    const auto deliver = [&] {
        inbox.deliver(1ms, [&](const Result& result) {
            EXPECT_EQ(result.value, 7);
            static_cast<void>(ledger.returned(result.tag));
            ++returned;
        });
    };
    for (int frame = 0; frame < kFrames; ++frame) {
        ledger.note(clock.advance(time.now()));
        ledger.begin_frame(time.now());
        for (int job = 0; job < kJobsPerFrame; ++job) {
            inbox.submit(pool, [tag = ledger.submitted()] { return Result{tag, 7}; });
        }
        deliver();
        time += 1ms;
        ledger.end_frame(time.now());
    }
    const bool all_back = leaves_early || eventually([&] {
                              deliver();
                              return returned == kFrames * kJobsPerFrame;
                          });
    EXPECT_TRUE(all_back) << returned;
    return returned;
}

TEST(StartAndStop, TwoHundredCyclesLeaveNoThreadDescriptorOrByte) {
    // What is kept for good (nodes of jobs) is as much as a session ever needed at once.
    for (int warm_up = 0; warm_up < 20; ++warm_up) session(warm_up % 2 == 1);
    const std::size_t threads = threads_of_process();
    const std::size_t files = open_files_of_process();
    const std::int64_t bytes = live_bytes();
    ASSERT_GT(bytes, 0);
    for (int cycle = 0; cycle < 200; ++cycle) session(cycle % 2 == 1);
    EXPECT_TRUE(threads_return_to(threads));
    EXPECT_EQ(open_files_of_process(), files);
    EXPECT_EQ(live_bytes(), bytes);
}

}  // namespace
}  // namespace quarry
