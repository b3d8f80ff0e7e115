#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/jobs/support.hpp"

// Frames of an inbox do not allocate once warm.
namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

// The nodes of jobs move between threads: the measured part is tried a few times.
template <class Frame>
std::uint64_t allocations_once_warm(Frame frame) {
    for (int i = 0; i < 40; ++i) frame(2);
    std::uint64_t least = ~std::uint64_t{0};
    for (int tries = 0; tries < 5 && least != 0; ++tries) {
        const std::uint64_t before = allocation_count();
        for (int i = 0; i < 100; ++i) frame(1);
        least = std::min(least, allocation_count() - before);
    }
    return least;
}

TEST(InboxAllocationTest, PuttingAndDeliveringDoesNotAllocate) {
    Inbox<std::uint64_t> inbox({.slots = 256});
    EXPECT_EQ(allocations_once_warm([&](std::uint64_t) {
                  for (std::uint64_t i = 0; i < 300; ++i) (void)inbox.try_put(std::uint64_t{i}, double(i % 7));
                  inbox.deliver({1ms, 100}, [](std::uint64_t) {});
                  inbox.deliver(
                      1ms, [](std::uint64_t) {}, [](std::uint64_t value) { return value; });
              }),
              0U);
    EXPECT_EQ(inbox.stats().failed, 0U);
    EXPECT_GT(inbox.stats().delivered, 10'000U);
}

TEST(InboxAllocationTest, FramesOfJobsDoNotAllocate) {
    Pool pool(2);
    Inbox<std::uint64_t> inbox({.slots = 8});
    std::uint64_t submitted = 0;
    std::uint64_t delivered = 0;
    EXPECT_EQ(allocations_once_warm([&](std::uint64_t times) {
                  // 24 bytes: what fits into a job's node.
                  for (std::uint64_t i = 0; i < 50 * times; ++i, ++submitted) {
                      inbox.submit(pool, [a = submitted, b = i, c = times] { return a + b + c; });
                  }
                  while (delivered < submitted) {
                      delivered += inbox.deliver(1ms, [](std::uint64_t) {}).delivered;
                  }
              }),
              0U);
}

}  // namespace
}  // namespace quarry
