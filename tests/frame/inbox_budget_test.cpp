#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/frame/inbox.hpp"
#include "quarry/frame/virtual_clock.hpp"
#include "tests/jobs/support.hpp"

// The budget holds: never beyond it by more than the one item in hand, and used if there is enough to do (R22, R23).
namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;
using std::chrono::nanoseconds;

// An item is what it costs.
struct Simulation {
    VirtualClock clock;
    Inbox<nanoseconds> inbox;
    nanoseconds last{};

    explicit Simulation(std::size_t slots) : inbox({.slots = slots, .clock = &clock}) {}
    DeliveryReport deliver(const DeliveryBudget& budget) {
        return inbox.deliver(budget, [&](nanoseconds cost) {
            clock += cost;
            last = cost;
        });
    }
};

TEST(InboxBudgetTest, HoldsForTenThousandFramesWithCostsFromOneMicrosecondToFiveMilliseconds) {
    constexpr int kFrames = 10'000;
    std::mt19937 random(20'240'601);
    std::uniform_real_distribution<double> exponent(std::log(1e3), std::log(5e6));
    Simulation host(256);
    std::uint64_t put = 0;
    std::uint64_t delivered = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
        while (host.inbox.try_put(nanoseconds(static_cast<std::int64_t>(std::exp(exponent(random)))),
                                  static_cast<double>(random() % 4))) {
            ++put;
        }
        const nanoseconds budget(static_cast<std::int64_t>(random() % 8'000'000));
        const DeliveryReport report = host.deliver(budget);
        delivered += report.delivered;
        ASSERT_GE(report.delivered, 1U) << "frame " << frame;
        ASSERT_LE(report.spent, std::max(budget, nanoseconds(0)) + host.last) << "frame " << frame;
        ASSERT_EQ(report.overrun, std::max(report.spent - budget, nanoseconds(0)));
        if (report.delivered > 1) {
            ASSERT_LT(report.spent - host.last, budget) << "it was over before the last item";
        }
        ASSERT_EQ(report.delivered + report.carried_over, 256U);
    }
    while (const std::size_t more = host.deliver(DeliveryBudget::everything()).delivered) delivered += more;
    EXPECT_EQ(delivered, put);
}

TEST(InboxBudgetTest, LearnsWhatItemsCostAndStopsBeforeTheOverrun) {
    Simulation host(1000);
    const auto fill = [&](nanoseconds cost) {
        while (host.inbox.try_put(nanoseconds(cost))) {
        }
    };
    fill(300us);
    EXPECT_EQ(host.deliver(1ms).delivered, 3U) << "the fourth would end at 1.2 ms";
    for (int frame = 0; frame < 20; ++frame) {
        const DeliveryReport report = host.deliver(1ms);
        EXPECT_EQ(report.overrun, 0ns);
        EXPECT_EQ(report.delivered, 3U);
        EXPECT_EQ(report.expected_cost, 300us);
    }
}

TEST(InboxBudgetTest, OneLongItemDoesNotKeepTheNextFramesFromTheirBudget) {
    Simulation host(1000);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(host.inbox.try_put(i == 50 ? nanoseconds(5ms) : nanoseconds(10us), -i));
    int frames = 0;
    for (; host.inbox.stats().delivered < 1000; ++frames) host.deliver(1ms);
    EXPECT_LE(frames, 12) << "990 items of 10 us are ten frames, and one is that of the long item";
}

TEST(InboxBudgetTest, FirstItemOfAllMayPayForWhatIsMadeOnce) {
    Simulation host(1000);
    host.inbox.try_put(20ms);
    EXPECT_EQ(host.deliver(2ms).delivered, 1U);
    while (host.inbox.try_put(nanoseconds(10us))) {
    }
    EXPECT_GT(host.deliver(2ms).delivered, 150U);
}

TEST(InboxBudgetTest, TimeOfZeroIsOneItem) {
    Simulation host(10);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(host.inbox.try_put(nanoseconds(1us)));
    for (int i = 0; i < 10; ++i) EXPECT_EQ(host.deliver(0ns).delivered, 1U);
}

// 1,000 results of at most 1 % of the budget each: the budget is spent within 2 %.
TEST(InboxBudgetTest, IsSpentWithinTwoPercentWhenThereIsEnoughToDo) {
    std::mt19937 random(7);
    for (const int least : {1, 50, 99}) {  // thousandths of a percent of the budget up to 1 %
        Simulation host(1000);
        const auto refill = [&] {
            while (
                host.inbox.try_put(nanoseconds(std::uniform_int_distribution<int>(least * 1'000, 100'000)(random)))) {
            }
        };
        for (int frame = 0; frame < 500; ++frame) {
            refill();
            const DeliveryReport report = host.deliver(10ms);
            ASSERT_GE(report.spent, 9'800us) << "frame " << frame;
            ASSERT_LE(report.spent, 10'200us) << "frame " << frame;
        }
    }
}

// Costs of two kinds are the hard case for a mean: the cheap ones hide the dear ones.
TEST(InboxBudgetTest, IsSpentWithinTwoPercentWhenCostsAreOfTwoKinds) {
    std::mt19937 random(8);
    Simulation host(1000);
    for (int frame = 0; frame < 500; ++frame) {
        while (host.inbox.try_put(nanoseconds(random() % 10 == 0 ? 100'000 : 1'000))) {
        }
        const DeliveryReport report = host.deliver(4ms);
        if (report.carried_over == 0) continue;
        ASSERT_GE(report.spent, 3'800us) << "frame " << frame;
        ASSERT_LE(report.spent, 4'100us) << "frame " << frame;
    }
}

nanoseconds thread_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

void work_for(nanoseconds cost) {
    const nanoseconds end = thread_time() + cost;
    while (thread_time() < end) {
    }
}

// The same in real time. What the thread was kept from by others is not the inbox's: by the thread's own time.
TEST(InboxBudgetTest, HoldsInRealTimeByTheThreadsOwn) {
    constexpr int kFrames = static_cast<int>(scaled(400));
    std::mt19937 random(9);
    Inbox<nanoseconds> inbox({.slots = 64});
    int over = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
        while (inbox.try_put(nanoseconds(1'000 + random() % (random() % 16 == 0 ? 1'000'000 : 50'000)))) {
        }
        nanoseconds last{};
        const nanoseconds start = thread_time();
        const DeliveryReport report = inbox.deliver(1ms, [&](nanoseconds cost) {
            const nanoseconds begin = thread_time();
            work_for(cost);
            last = thread_time() - begin;
        });
        const nanoseconds spent = thread_time() - start;
        ASSERT_GE(report.delivered, 1U);
        over += spent > 1ms + last + 100us;  // the delivery itself costs far less than that
    }
    // An interrupt of the machine is charged to the thread that it falls on.
    EXPECT_LE(over, kFrames / 100 + 1) << "of " << kFrames << " frames";
}

}  // namespace
}  // namespace quarry
