#include "quarry/frame/inbox.hpp"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"

namespace {

using quarry::Inbox;
using quarry::Pool;
using namespace std::chrono_literals;

TEST(InboxTest, ResultsOfJobsReachTheHost) {
    Pool pool(2);
    Inbox<int> inbox({.slots = 4});
    for (int i = 0; i < 100; ++i) inbox.submit(pool, [i] { return i; });
    std::vector<int> seen(100);
    int count = 0;
    while (count < 100) {
        inbox.deliver(1ms, [&](int value) {
            ++seen[static_cast<std::size_t>(value)];
            ++count;
        });
    }
    for (const int times : seen) EXPECT_EQ(times, 1);
}

}  // namespace
