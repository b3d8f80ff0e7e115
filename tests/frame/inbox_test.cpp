#include "quarry/frame/inbox.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/frame/virtual_clock.hpp"
#include "quarry/jobs/error.hpp"

// What the host sees of an inbox: order, caps, errors, wrong use (R8, R22, R23).
namespace quarry {
namespace {

using namespace std::chrono_literals;

constexpr DeliveryReport::End kAll = DeliveryReport::End::all_delivered;

void put_all(Inbox<int>& inbox, const std::vector<std::pair<int, double>>& items) {
    for (auto [value, importance] : items) ASSERT_TRUE(inbox.try_put(std::move(value), importance));
}

template <class... Importance>
std::vector<int> delivered(Inbox<int>& inbox, const DeliveryBudget& budget, Importance... importance) {
    std::vector<int> values;
    inbox.deliver(
        budget, [&](int value) { values.push_back(value); }, importance...);
    return values;
}

TEST(InboxTest, NothingIsDeliveredFromAnEmptyInbox) {
    Inbox<int> inbox;
    const DeliveryReport report = inbox.deliver(2ms, [](int) { FAIL(); });
    EXPECT_EQ(report.delivered, 0U);
    EXPECT_EQ(report.carried_over, 0U);
    EXPECT_EQ(report.spent, 0ns);
    EXPECT_EQ(report.budget, 2ms);
    EXPECT_EQ(report.end, kAll);
    EXPECT_EQ(inbox.stats().deliveries, 0U);
}

TEST(InboxTest, MostImportantComesFirstAndOldestAmongEqual) {
    Inbox<int> inbox;
    put_all(inbox, {{1, 0}, {2, 5}, {3, 0}, {4, 9}, {5, 5}});
    EXPECT_EQ(delivered(inbox, DeliveryBudget::everything()), (std::vector<int>{4, 2, 5, 1, 3}));
}

TEST(InboxTest, ImportanceMayChangeWhileItemsWait) {
    Inbox<int> inbox({.age_bonus = 0});
    put_all(inbox, {{1, 0}, {2, 0}, {3, 0}, {4, 0}});
    int viewer = 1;
    const auto near_viewer = [&](int place) { return -std::abs(place - viewer); };
    EXPECT_EQ(delivered(inbox, DeliveryBudget::only_items(1), near_viewer), std::vector<int>{1});
    viewer = 4;
    EXPECT_EQ(delivered(inbox, DeliveryBudget::only_items(2), near_viewer), (std::vector<int>{4, 3}));
    EXPECT_EQ(delivered(inbox, DeliveryBudget::only_items(2), near_viewer), std::vector<int>{2});
}

TEST(InboxTest, ItemsThatAreNoNumberComeLastAndInfinityFirst) {
    Inbox<int> inbox;
    put_all(inbox, {{1, std::nan("")}, {2, -1e300}, {3, std::numeric_limits<double>::infinity()}, {4, 1}});
    EXPECT_EQ(delivered(inbox, 1s), (std::vector<int>{3, 4, 2, 1}));
}

TEST(InboxTest, CountOfADeliveryIsCappedAndTheRestIsCarriedOver) {
    Inbox<int> inbox;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(inbox.try_put(int{i}));
    for (const std::size_t expected : {8U, 8U, 4U}) {
        const DeliveryReport report = inbox.deliver({1s, 8}, [](int) {});
        EXPECT_EQ(report.delivered, expected);
        EXPECT_EQ(report.end, expected == 8 ? DeliveryReport::End::items : kAll);
    }
    EXPECT_EQ(inbox.stats().delivered, 20U);
    EXPECT_EQ(inbox.stats().carried_over, 12U + 4U);
    EXPECT_EQ(inbox.stats().most_waiting, 20U);
}

TEST(InboxTest, WhatIsPutByTheCallbackIsDeliveredWithinTheSameBudget) {
    Inbox<int> inbox({.slots = 2});
    ASSERT_TRUE(inbox.try_put(0));
    std::vector<int> values;
    inbox.deliver({1s, 5}, [&](int value) {
        values.push_back(value);
        ASSERT_TRUE(inbox.try_put(value + 1));
    });
    EXPECT_EQ(values, (std::vector<int>{0, 1, 2, 3, 4}));
}

// The bonus is the difference of importance divided by the number of deliveries after which it is made up for.
TEST(InboxTest, AgeMakesUpForImportance) {
    Inbox<int> inbox({.age_bonus = 0.5, .overdue_after = 1000});
    put_all(inbox, {{-1, 0}});
    int deliveries = 0;
    for (bool seen = false; !seen; ++deliveries) {
        ASSERT_LT(deliveries, 100);
        put_all(inbox, {{deliveries, 10}});
        seen = delivered(inbox, DeliveryBudget::only_items(1)) == std::vector<int>{-1};
    }
    EXPECT_EQ(deliveries, 21) << "10 / 0.5 to be as important, and then it is the older one";
    EXPECT_EQ(inbox.last_report().longest_wait, 20U);
}

// Whatever the scale of the importance: overdue_after deliveries, and those that were overdue before.
TEST(InboxTest, NothingWaitsForEver) {
    constexpr std::uint64_t kOverdue = 5;
    Inbox<int> inbox({.slots = 8, .age_bonus = 0, .overdue_after = kOverdue});
    put_all(inbox, {{-3, 0}, {-2, 0}, {-1, 0}});
    std::vector<int> seen;
    for (int i = 0; i < 9; ++i) {
        (void)inbox.try_put(int{i}, 1e300);
        inbox.deliver(0ns, [&](int value) { seen.push_back(value); });
    }
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3, 4, -3, -2, -1, 5}));
    EXPECT_LE(inbox.stats().longest_wait, kOverdue + 3);
}

TEST(InboxTest, MoveOnlyItemsAreMovedOutAndLeftOnesDestroyed) {
    auto counted = std::make_shared<int>(7);
    {
        Inbox<std::unique_ptr<std::shared_ptr<int>>> inbox({.slots = 3});
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(inbox.try_put(std::make_unique<std::shared_ptr<int>>(counted)));
        }
        std::unique_ptr<std::shared_ptr<int>> taken;
        inbox.deliver(0ns, [&](std::unique_ptr<std::shared_ptr<int>> item) { taken = std::move(item); });
        ASSERT_TRUE(taken);
        EXPECT_EQ(counted.use_count(), 4);
    }
    EXPECT_EQ(counted.use_count(), 1);
}

TEST(InboxTest, FullInboxLeavesTheValueWithTheCaller) {
    Inbox<std::string> inbox({.slots = 1});
    std::string first = "first";
    std::string second = "second";
    EXPECT_TRUE(inbox.try_put(std::move(first)));
    EXPECT_FALSE(inbox.try_put(std::move(second)));
    EXPECT_EQ(second, "second");  // NOLINT(bugprone-use-after-move): that it is still there is the point
}

TEST(InboxTest, SlotIsGivenBackWhenDroppedAndKeptUntilDelivered) {
    Inbox<int> inbox({.slots = 1});
    { const InboxSlot<int> dropped = inbox.try_take_slot(); }
    InboxSlot<int> slot = inbox.try_take_slot();
    ASSERT_TRUE(slot);
    EXPECT_FALSE(inbox.try_take_slot());
    InboxSlot<int> moved = std::move(slot);
    moved.put(3);
    EXPECT_FALSE(inbox.try_take_slot()) << "the result is in it";
    EXPECT_THROW(moved.put(4), Error);
    EXPECT_EQ(delivered(inbox, 1ms), std::vector<int>{3});
    EXPECT_TRUE(inbox.try_take_slot());
}

TEST(InboxTest, ThrowingCallbackLosesNothingAndTheItemStaysFirst) {
    Inbox<int> inbox;
    put_all(inbox, {{1, 1}, {2, 2}, {3, 3}});
    std::vector<int> seen;
    const auto throws_at_two = [&](const int& value) {
        if (value == 2) throw std::runtime_error("two");
        seen.push_back(value);
    };
    EXPECT_THROW(inbox.deliver(1s, throws_at_two), std::runtime_error);
    EXPECT_EQ(inbox.last_report().end, DeliveryReport::End::thrown);
    EXPECT_EQ(inbox.last_report().delivered, 1U);
    EXPECT_EQ(inbox.last_report().carried_over, 2U);
    put_all(inbox, {{9, 1e9}});
    EXPECT_EQ(delivered(inbox, 1s), (std::vector<int>{2, 9, 1})) << "the next frame goes on with it";
    EXPECT_EQ(seen, std::vector<int>{3});
}

TEST(InboxTest, CallbackThatTakesItsItemByValueLosesNothingIfItThrows) {
    Inbox<std::vector<int>> inbox;
    ASSERT_TRUE(inbox.try_put({1, 2, 3}));
    EXPECT_THROW(inbox.deliver(1s, [](std::vector<int>) { throw std::runtime_error("no"); }), std::runtime_error);
    std::vector<int> seen;
    inbox.deliver(1s, [&](std::vector<int>&& item) { seen = std::move(item); });
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

TEST(InboxTest, CallbackMayMoveFromItsItem) {
    Inbox<std::unique_ptr<int>> inbox;
    ASSERT_TRUE(inbox.try_put(std::make_unique<int>(1)));
    ASSERT_TRUE(inbox.try_put(std::make_unique<int>(2)));
    ASSERT_TRUE(inbox.try_put(std::make_unique<int>(3)));
    std::vector<std::unique_ptr<int>> kept;
    inbox.deliver({1s, 1}, [&](std::unique_ptr<int>& item) { kept.push_back(std::move(item)); });
    inbox.deliver({1s, 1}, [&](std::unique_ptr<int>&& item) { kept.push_back(std::move(item)); });
    inbox.deliver({1s, 1}, [&](std::unique_ptr<int> item) { kept.push_back(std::move(item)); });
    ASSERT_EQ(kept.size(), 3U);
    EXPECT_EQ(*kept[0] + *kept[1] + *kept[2], 6);
}

TEST(InboxTest, ItemThatFailedCanBeDropped) {
    Inbox<int> inbox({.slots = 2});
    EXPECT_FALSE(inbox.drop_failed());
    put_all(inbox, {{1, 1}, {2, 2}});
    EXPECT_THROW(inbox.deliver(1s, [](int) { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_TRUE(inbox.drop_failed());
    EXPECT_FALSE(inbox.drop_failed());
    EXPECT_TRUE(inbox.try_put(3)) << "its slot is free";
    EXPECT_EQ(delivered(inbox, 1s), (std::vector<int>{1, 3}));
}

TEST(InboxTest, ThrowingImportanceLosesNothing) {
    Inbox<int> inbox;
    put_all(inbox, {{1, 1}, {2, 2}});
    const auto fails = [](int) -> double { throw std::runtime_error("no idea"); };
    EXPECT_THROW(inbox.deliver(
                     1s, [](int) { FAIL(); }, fails),
                 std::runtime_error);
    EXPECT_EQ(inbox.last_report().end, DeliveryReport::End::thrown);
    EXPECT_EQ(delivered(inbox, 1s), (std::vector<int>{2, 1}));
}

TEST(InboxTest, DeliveringWithinADeliveryIsAnError) {
    Inbox<int> inbox;
    put_all(inbox, {{1, 0}, {2, 0}});
    int refused = 0;
    inbox.deliver(1s, [&](int) {
        try {
            inbox.deliver(1s, [](int) {});
        } catch (const Error&) {
            ++refused;
        }
        EXPECT_THROW(inbox.drop_failed(), Error);
    });
    EXPECT_EQ(refused, 2);
}

TEST(InboxTest, DeliveringOnAnotherThreadIsAnErrorUnlessItIsTheHost) {
    HostGuard host;
    Inbox<int> inbox({.host = host});
    put_all(inbox, {{1, 0}});
    std::thread([&] {
        EXPECT_THROW(inbox.deliver(1s, [](int) { FAIL(); }), Error);
        EXPECT_THROW(inbox.drop_failed(), Error);
    }).join();
    host.release();
    EXPECT_THROW(inbox.deliver(1s, [](int) { FAIL(); }), Error);
    std::thread([&] {
        host.adopt();
        EXPECT_EQ(inbox.deliver(1s, [](int) {}).delivered, 1U);
    }).join();
}

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
    return "not refused";
}

TEST(InboxTest, BudgetsOutOfRangeAreRefused) {
    Inbox<int> inbox;
    put_all(inbox, {{1, 0}});
    const auto ignore = [](int) { FAIL(); };
    using Seconds = std::chrono::duration<double>;
    EXPECT_NE(message_of([&] { inbox.deliver(Seconds(std::nan("")), ignore); }).find("not a number"),
              std::string::npos);
    EXPECT_NE(message_of([&] { inbox.deliver({1ms, 0}, ignore); }).find("allowed are 1"), std::string::npos);
    EXPECT_NE(message_of([&] {
                  inbox.deliver_until(
                      DeliveryBudget::everything(), [] { return true; }, ignore);
              }).find("needs one"),
              std::string::npos);
}

// `deliver(frame_end - now, ...)` in a frame that is over already.
TEST(InboxTest, NegativeBudgetIsOneItem) {
    using Seconds = std::chrono::duration<double>;
    Inbox<int> inbox;
    put_all(inbox, {{1, 0}, {2, 0}, {3, 0}, {4, 0}});
    EXPECT_EQ(delivered(inbox, -1ns), std::vector<int>{1});
    EXPECT_EQ(delivered(inbox, std::chrono::hours(-1)), std::vector<int>{2});
    EXPECT_EQ(delivered(inbox, Seconds(-std::numeric_limits<double>::infinity())), std::vector<int>{3});
    EXPECT_EQ(delivered(inbox, std::chrono::hours::min()), std::vector<int>{4});
}

TEST(InboxTest, DeliversByAMoment) {
    VirtualClock clock(VirtualClock::time_point(1h));
    Inbox<int> inbox({.clock = &clock});
    put_all(inbox, {{1, 3}, {2, 2}, {3, 1}, {4, 0}});
    std::vector<int> seen;
    const auto costly = [&](int number) {
        seen.push_back(number);
        clock += 2ms;
    };
    const DeliveryReport report = inbox.deliver_by(clock.now() + 3ms, costly);
    EXPECT_EQ(report.budget, 3ms);
    EXPECT_EQ(report.end, DeliveryReport::End::time);
    EXPECT_EQ(seen, std::vector<int>{1}) << "another one of 2 ms would go beyond it";
    inbox.deliver_by(clock.now() - 1h, costly);
    EXPECT_EQ(seen, (std::vector<int>{1, 2})) << "a moment that has passed: one item";
    EXPECT_EQ(inbox.deliver_by(VirtualClock::time_point::max(), costly).delivered, 2U);
    EXPECT_EQ(inbox.deliver_by(VirtualClock::time_point::min(), costly).delivered, 0U);
}

TEST(InboxTest, DeliversByAMomentInTheOrderThatIsAskedFor) {
    Inbox<int> inbox;
    put_all(inbox, {{1, 0}, {2, 0}, {3, 0}});
    std::vector<int> seen;
    inbox.deliver_by(
        std::chrono::steady_clock::now() + 1h, [&](int number) { seen.push_back(number); },
        [](int number) { return number; });
    EXPECT_EQ(seen, (std::vector<int>{3, 2, 1}));
}

TEST(InboxTest, LargestBudgetsAreNoLimit) {
    using Seconds = std::chrono::duration<double>;
    for (const DeliveryBudget& budget : {DeliveryBudget(Seconds(std::numeric_limits<double>::infinity())),
                                         DeliveryBudget(std::chrono::hours::max()), DeliveryBudget::everything()}) {
        EXPECT_FALSE(budget.has_time_limit());
    }
    EXPECT_EQ(DeliveryBudget(Seconds(0.002)).time(), 2ms);
}

TEST(InboxTest, OptionsOutOfRangeAreRefused) {
    const auto refused = [](const InboxOptions& options) { return message_of([&] { Inbox<int> inbox(options); }); };
    EXPECT_NE(refused({.slots = 0}).find("InboxOptions::slots is 0; allowed are 1 to 1048576"), std::string::npos);
    EXPECT_NE(refused({.slots = (std::size_t{1} << 20) + 1}).find("InboxOptions::slots"), std::string::npos);
    EXPECT_NE(refused({.slots = static_cast<std::size_t>(-1)}).find("InboxOptions::slots"), std::string::npos);
    EXPECT_NE(refused({.age_bonus = -1}).find("InboxOptions::age_bonus"), std::string::npos);
    EXPECT_NE(refused({.age_bonus = std::nan("")}).find("InboxOptions::age_bonus"), std::string::npos);
    EXPECT_NE(refused({.overdue_after = 0}).find("InboxOptions::overdue_after"), std::string::npos);
}

}  // namespace
}  // namespace quarry
