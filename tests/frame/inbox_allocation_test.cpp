#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/steady_allocations.hpp"
#include "tests/jobs/support.hpp"

// Frames of an inbox do not allocate once warm.
namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

TEST(InboxAllocationTest, PuttingAndDeliveringDoesNotAllocate) {
    Inbox<std::uint64_t> inbox({.slots = 256});
    EXPECT_EQ(allocations_once_warm(
                  [&](int) {
                      for (std::uint64_t i = 0; i < 300; ++i) (void)inbox.try_put(std::uint64_t{i}, double(i % 7));
                      inbox.deliver({1ms, 100}, [](std::uint64_t) {});
                      inbox.deliver(
                          1ms, [](std::uint64_t) {}, [](std::uint64_t value) { return value; });
                  },
                  {.each_time = 100}),
              0U);
    EXPECT_EQ(inbox.stats().failed, 0U);
    EXPECT_GT(inbox.stats().delivered, 10'000U);
}

TEST(InboxAllocationTest, FramesOfJobsDoNotAllocate) {
    Pool pool(2);
    Inbox<std::uint64_t> inbox({.slots = 8});
    std::uint64_t submitted = 0;
    std::uint64_t delivered = 0;
    EXPECT_EQ(allocations_once_warm(
                  [&](int times) {
                      // 24 bytes: what fits into a job's node.
                      for (std::uint64_t i = 0; i < 50 * static_cast<std::uint64_t>(times); ++i, ++submitted) {
                          inbox.submit(pool, [a = submitted, b = i, c = std::uint64_t{7}] { return a + b + c; });
                      }
                      while (delivered < submitted) {
                          delivered += inbox.deliver(1ms, [](std::uint64_t) {}).delivered;
                      }
                  },
                  {.each_time = 100}),
              0U);
}

}  // namespace
}  // namespace quarry
