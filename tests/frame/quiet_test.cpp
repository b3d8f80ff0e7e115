// R11: the libraries print nothing unless they are asked to.
#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "quarry/frame/frame_clock.hpp"
#include "quarry/frame/frame_ledger.hpp"
#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/task.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;

void use_jobs_and_frames() {
    std::atomic<int> errors = 0;
    Inbox<int> inbox({.slots = 4});
    Pool pool(PoolOptions{.workers = 3, .on_error = [&](const std::exception_ptr&) { ++errors; }});
    FrameClock clock(1000);
    FrameLedger ledger({.hertz = 1000});
    int delivered = 0;
    for (int frame = 0; frame < 5; ++frame) {
        ledger.note(clock.advance());
        ledger.begin_frame();
        inbox.submit(pool, [] { return 1; });
        parallel_for(pool, 0, 100, [](int) {});
        pool.scope([](Scope& scope) { scope.spawn([] {}); });
        inbox.deliver(1ms, [&](int one) { delivered += one; });
        ledger.end_frame();
    }
    static_cast<void>(pool.submit([] { throw std::runtime_error("goes to on_error"); }));
    EXPECT_TRUE(test_support::eventually([&] {
        inbox.deliver(1ms, [&](int one) { delivered += one; });
        return delivered == 5 && errors == 1;
    }));
}

TEST(Quiet, JobsAndFramesPrintNothing) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    use_jobs_and_frames();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace quarry
