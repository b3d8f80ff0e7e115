#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/support.hpp"

// For hosts that sleep in an event loop of their own: they hear of what has come, once.
namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

TEST(InboxArrival, IsToldOnceUntilTheHostHasTakenIn) {
    int told = 0;
    Inbox<int> inbox({.on_arrival = [&] { ++told; }});
    EXPECT_EQ(told, 0);
    ASSERT_TRUE(inbox.try_put(1));
    EXPECT_EQ(told, 1);
    ASSERT_TRUE(inbox.try_put(2));
    ASSERT_TRUE(inbox.try_put(3));
    EXPECT_EQ(told, 1) << "the host knows already";
    inbox.deliver(DeliveryBudget::only_items(1), [](int) {});
    EXPECT_EQ(told, 1) << "what was carried over did not arrive";
    ASSERT_TRUE(inbox.try_put(4));
    EXPECT_EQ(told, 2);
}

TEST(InboxArrival, IsToldByTheWorkerForAJob) {
    std::atomic<bool> by_worker{false};
    Inbox<int> inbox(
        {.on_arrival = [&, host = std::this_thread::get_id()] { by_worker = std::this_thread::get_id() != host; }});
    Pool pool(1);
    inbox.submit(pool, [] { return 1; });
    EXPECT_TRUE(eventually([&] { return by_worker.load(); }));
}

// Not one result may wait for an event that never comes.
TEST(InboxArrival, HostThatOnlyHearsOfArrivalsGetsEveryItem) {
    std::atomic<int> events{0};
    Inbox<int> inbox({.slots = 8, .on_arrival = [&] { ++events; }});
    constexpr int kThreads = 4;
    const auto count = static_cast<int>(scaled(20'000));
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&] {
            for (int i = 0; i < count;) {
                if (inbox.try_put(1)) {
                    ++i;
                } else {
                    std::this_thread::yield();
                }
            }
        });
    }
    int received = 0;
    while (received < kThreads * count) {
        ASSERT_TRUE(eventually([&] { return events != 0; })) << received << " received";
        events = 0;
        inbox.deliver(DeliveryBudget::everything(), [&](int one) { received += one; });
    }
    EXPECT_EQ(received, kThreads * count);
}

TEST(InboxArrival, MayComeWhenTheInboxIsGone) {
    const auto told = std::make_shared<std::atomic<int>>(0);
    std::atomic<bool> running{false};
    std::atomic<bool> release{false};
    Pool pool(1);
    {
        Inbox<int> inbox({.on_arrival = [told] { ++*told; }});
        inbox.submit(pool, [&] {
            running = true;
            while (!release) std::this_thread::yield();
            return 1;
        });
        ASSERT_TRUE(eventually([&] { return running.load(); }));
    }
    release = true;
    EXPECT_TRUE(eventually([&] { return pool.stats().total.completed == 1; }));
    EXPECT_LE(told->load(), 1);
}

TEST(InboxArrival, CallbackMayTakeTheItemByReference) {
    Inbox<std::unique_ptr<int>> inbox;
    ASSERT_TRUE(inbox.try_put(std::make_unique<int>(7)));
    std::unique_ptr<int> kept;
    inbox.deliver(1ms, [&](std::unique_ptr<int>& item) { kept = std::move(item); });
    ASSERT_TRUE(kept);
    EXPECT_EQ(*kept, 7);
}

}  // namespace
}  // namespace quarry
