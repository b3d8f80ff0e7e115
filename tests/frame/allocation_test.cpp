// Frames do not allocate once warm. A program of its own: it counts every allocation of the process.
#include <cstdint>
#include <new>

#include <gtest/gtest.h>

#include "quarry/frame/frame_clock.hpp"
#include "quarry/frame/frame_ledger.hpp"
#include "quarry/frame/host_guard.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/trace.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

template <class Frame>
std::uint64_t allocations_of_frames(Frame frame) {
    for (int i = 0; i < 10; ++i) frame();
    const std::uint64_t before = allocation_count();
    for (int i = 0; i < 1000; ++i) frame();
    return allocation_count() - before;
}

TEST(FrameAllocation, CountsThisTestsOwnAllocations) {
    EXPECT_EQ(allocations_of_frames([] { ::operator delete(::operator new(1)); }), 1000U)
        << "or the other tests could not fail";
}

TEST(FrameAllocation, ClockLedgerAndGuardDoNotAllocate) {
    const HostGuard host;
    FrameClock clock(1000);
    FrameLedger ledger({.hertz = 1000, .stale = StalePolicy::drop_older_than(0), .host = host});
    FrameTag last;
    std::uint64_t applied = 0;
    EXPECT_EQ(allocations_of_frames([&] {
                  host.assert_host("a frame");
                  ledger.note(clock.advance());
                  ledger.begin_frame();
                  if (ledger.returned(last)) ++applied;
                  last = ledger.submitted();
                  ledger.withdrawn(ledger.submitted());
                  ledger.end_frame();
                  if (ledger.stats().frames == 0) ++applied;
              }),
              0U);
    EXPECT_EQ(applied, 0U);
}

TEST(FrameAllocation, LedgerThatIsTracedDoesNotAllocate) {
    Pool pool(1);
    const Trace trace(pool, {.events_per_thread = 100});
    FrameLedger ledger;
    ASSERT_TRUE(workers_park()) << "or the worker's own track may be made while the frames are counted";
    EXPECT_EQ(allocations_of_frames([&] {
                  ledger.begin_frame();
                  ledger.submitted();
                  ledger.end_frame();
              }),
              0U);
    EXPECT_GT(trace.lost(), 0U);
}

}  // namespace
}  // namespace quarry
