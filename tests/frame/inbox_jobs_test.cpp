#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/bookkeeping.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

// Jobs that deliver to an inbox: a slot before the start, else other work first; nothing lost (R4, R5, R6, R22).
namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

// Delivers until so many items came.
std::vector<int> collect(Inbox<int>& inbox, std::size_t count) {
    std::vector<int> values;
    EXPECT_TRUE(eventually([&] {
        inbox.deliver(1ms, [&](int value) { values.push_back(value); });
        return values.size() >= count;
    }));
    return values;
}

class InboxOf : public testing::TestWithParam<std::pair<int, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(WorkersAndSlots, InboxOf,
                         testing::Values(std::pair{1, 1}, std::pair{1, 3}, std::pair{2, 1}, std::pair{4, 2},
                                         std::pair{2, 64}));

TEST_P(InboxOf, EveryJobDeliversOnceWhateverTheSlots) {
    const auto [workers, slots] = GetParam();
    constexpr int kJobs = 500;
    Pool pool(workers);
    Inbox<int> inbox({.slots = slots});
    for (int i = 0; i < kJobs; ++i) inbox.submit(pool, [i] { return i; });
    std::vector<int> times(kJobs);
    for (const int value : collect(inbox, kJobs)) ++times[static_cast<std::size_t>(value)];
    for (const int each : times) EXPECT_EQ(each, 1);
    EXPECT_TRUE(adds_up(pool));
    EXPECT_EQ(pool.stats().total.completed, static_cast<std::uint64_t>(kJobs));
    EXPECT_EQ(inbox.jobs_waiting(), 0U);
}

TEST(InboxJobsTest, JobWithoutASlotDoesNotStartAndTheWorkerTakesOtherWork) {
    std::atomic<int> started{0};
    Pool pool(1);
    Inbox<int> inbox({.slots = 1});
    for (int i = 0; i < 3; ++i) {
        inbox.submit(pool, [&started, i] {
            ++started;
            return i;
        });
    }
    pool.submit([] {}).get();
    EXPECT_TRUE(eventually([&] { return inbox.jobs_waiting() == 2; }));
    // The worker is free for everything else, as long as the host likes.
    for (int i = 0; i < 100; ++i) pool.submit([] {}).get();
    EXPECT_EQ(started, 1);
    EXPECT_EQ(collect(inbox, 3), (std::vector<int>{0, 1, 2}));
}

// The worker gives the job up in the middle of its search for work, past its own queues, and gets a new one into these.
TEST(InboxJobsTest, WorkerRunsWhatAJobThatItGivesUpSpawns) {
    struct SpawnsAtItsEnd {
        SpawnsAtItsEnd(Scope& in, std::atomic<bool>& flag) : scope(&in), ran(&flag) {}
        SpawnsAtItsEnd(SpawnsAtItsEnd&& other) noexcept : scope(std::exchange(other.scope, nullptr)), ran(other.ran) {}
        SpawnsAtItsEnd& operator=(SpawnsAtItsEnd&&) = delete;
        ~SpawnsAtItsEnd() {
            if (scope != nullptr) scope->spawn([flag = ran] { *flag = true; });
        }
        int operator()() const { return 0; }
        Scope* scope;
        std::atomic<bool>* ran;
    };
    std::atomic<bool> spawned_ran{false};
    BusyPool busy({.workers = 1});
    busy.pool.scope([&](Scope& scope) {
        {
            Inbox<int> inbox({.slots = 1});
            inbox.submit(busy.pool, SpawnsAtItsEnd(scope, spawned_ran));
        }
        busy.release();
        EXPECT_TRUE(eventually([&] { return spawned_ran.load(); }, std::chrono::seconds(10)));
    });
}

TEST(InboxJobsTest, MostImportantWaitingJobGetsTheNextSlot) {
    Pool pool(1);
    Inbox<int> inbox({.slots = 1});
    InboxSlot<int> taken = inbox.try_take_slot();
    for (const auto priority : {Priority::low, Priority::normal, Priority::urgent, Priority::high}) {
        inbox.submit(pool, [priority] { return static_cast<int>(priority); }, {.priority = priority});
    }
    ASSERT_TRUE(eventually([&] { return inbox.jobs_waiting() == 4; }));
    taken = {};
    EXPECT_EQ(collect(inbox, 4), (std::vector<int>{3, 2, 1, 0}));
}

TEST(InboxJobsTest, RaisedJobGoesFirstInTheQueueAndAtTheGate) {
    for (const bool at_the_gate : {false, true}) {
        BusyPool busy({.workers = 1});
        Inbox<int> inbox({.slots = 1});
        InboxSlot<int> taken = at_the_gate ? inbox.try_take_slot() : InboxSlot<int>();
        std::vector<InboxTask> tasks;
        for (int i = 0; i < 4; ++i) tasks.push_back(inbox.submit(busy.pool, [i] { return i; }));
        if (at_the_gate) {
            busy.release();
            ASSERT_TRUE(eventually([&] { return inbox.jobs_waiting() == 4; }));
        }
        EXPECT_TRUE(tasks[2].raise(Priority::urgent));
        EXPECT_FALSE(tasks[2].raise(Priority::high));
        EXPECT_THROW(tasks[2].raise(static_cast<Priority>(9)), std::invalid_argument);
        taken = {};
        busy.release();
        const std::vector<int> values = collect(inbox, 4);
        EXPECT_EQ(values.front(), 2) << (at_the_gate ? "at the gate" : "in the queue");
        EXPECT_TRUE(adds_up(busy.pool));
    }
}

TEST(InboxJobsTest, ImportanceIsThePriorityOrWhatWasGiven) {
    Pool pool(1);
    Inbox<int> inbox;
    inbox.submit(pool, [] { return 1; }, {.priority = Priority::low});
    inbox.submit(pool, [] { return 2; }, {.priority = Priority::urgent});
    inbox.submit(
        pool, [] { return 3; }, {}, 2.5);
    ASSERT_TRUE(adds_up(pool));
    EXPECT_EQ(collect(inbox, 3), (std::vector<int>{2, 3, 1}));
}

TEST(InboxJobsTest, CancelledJobsLeaveTheirSlotsToOthersAndCountersAreExact) {
    Pool pool(2);
    Inbox<int> inbox({.slots = 2});
    std::vector<InboxTask> tasks;
    for (int i = 0; i < 200; ++i) tasks.push_back(inbox.submit(pool, [i] { return i; }));
    std::size_t cancelled = 0;
    for (std::size_t i = 0; i < tasks.size(); i += 2) cancelled += tasks[i].cancel() ? 1 : 0;
    EXPECT_GE(cancelled, 90U) << "only two have a slot";
    EXPECT_EQ(collect(inbox, 200 - cancelled).size(), 200 - cancelled);
    ASSERT_TRUE(adds_up(pool));
    EXPECT_EQ(pool.stats().total.cancelled, cancelled);
    EXPECT_EQ(pool.stats().total.completed, 200 - cancelled);
    for (const InboxTask& task : tasks) EXPECT_TRUE(task.ready());
    EXPECT_FALSE(tasks[1].cancel());
    EXPECT_TRUE(inbox.try_put(0));
    EXPECT_TRUE(inbox.try_put(0));
    EXPECT_FALSE(inbox.try_put(0));
}

TEST(InboxJobsTest, StoppedJobsAreCancelledAndGiveTheirSlotsBack) {
    Pool pool(2);
    Inbox<int> inbox({.slots = 1});
    std::stop_source stop;
    InboxSlot<int> taken = inbox.try_take_slot();
    for (int i = 0; i < 20; ++i) inbox.submit(pool, [i] { return i; }, {.stop_token = stop.get_token()});
    inbox.submit(pool, [] { return 100; });
    stop.request_stop();
    taken = {};
    EXPECT_EQ(collect(inbox, 1), std::vector<int>{100});
    EXPECT_TRUE(adds_up(pool));
    EXPECT_EQ(pool.stats().total.cancelled, 20U);
}

TEST(InboxJobsTest, JobThatReturnsNothingGivesItsSlotBack) {
    Pool pool(1);
    Inbox<int> inbox({.slots = 1});
    for (int i = 0; i < 10; ++i) {
        inbox.submit(pool, [i] { return i % 2 == 0 ? std::optional<int>(i) : std::nullopt; });
    }
    EXPECT_EQ(collect(inbox, 5), (std::vector<int>{0, 2, 4, 6, 8}));
}

TEST(InboxJobsTest, ErrorOfAJobReachesTheHostAtDeliveryAndTheNextFrameGoesOn) {
    std::atomic<int> detached{0};
    Pool pool({.workers = 1, .on_error = [&](const std::exception_ptr&) { ++detached; }});
    Inbox<int> inbox({.slots = 1});
    inbox.submit(pool, []() -> int { throw Thrown(); }, {.priority = Priority::high});
    inbox.submit(pool, [] { return 2; });
    ASSERT_TRUE(eventually([&] { return inbox.jobs_waiting() == 1; }));
    EXPECT_THROW(inbox.deliver(1s, [](int) { FAIL(); }), Thrown);
    EXPECT_EQ(inbox.last_report().failed, 1U);
    EXPECT_EQ(collect(inbox, 1), std::vector<int>{2});
    ASSERT_TRUE(adds_up(pool));
    EXPECT_EQ(pool.stats().total.failed, 1U);
    EXPECT_EQ(detached, 0) << "it was told once";
}

TEST(InboxJobsTest, OnErrorTakesErrorsInPlaceOfTheCaller) {
    Pool pool(2);
    std::vector<std::string> errors;
    Inbox<int> inbox({.slots = 2, .on_error = [&](const std::exception_ptr& error) {
                          try {
                              std::rethrow_exception(error);
                          } catch (const std::exception& thrown) {
                              errors.emplace_back(thrown.what());
                          }
                      }});
    for (int i = 0; i < 20; ++i) {
        inbox.submit(pool, [i] {
            if (i % 4 == 0) throw std::runtime_error("bad " + std::to_string(i));
            return i;
        });
    }
    InboxSlot<int> by_hand;
    EXPECT_EQ(collect(inbox, 15).size(), 15U);
    EXPECT_TRUE(eventually([&] {
        inbox.deliver(1ms, [](int) {});
        return errors.size() == 5;
    }));
    ASSERT_TRUE(eventually([&] { return static_cast<bool>(by_hand = inbox.try_take_slot()); }));
    by_hand.put_error(std::make_exception_ptr(std::runtime_error("by hand")));
    inbox.deliver(1ms, [](int) {});
    EXPECT_EQ(errors.back(), "by hand");
    EXPECT_EQ(inbox.stats().failed, 6U);
}

TEST(InboxJobsTest, JobsThatWaitForASlotCountForTheCapacityOfTheLane) {
    Pool pool({.workers = 1, .queue_capacity = 4});
    Inbox<int> inbox({.slots = 1});
    const InboxSlot<int> taken = inbox.try_take_slot();
    std::size_t accepted = 0;
    // The worker may have taken one out of the queue and not yet brought it to the gate: room for one more.
    EXPECT_TRUE(eventually([&] {
        if (inbox.try_submit(pool, [] { return 1; })) ++accepted;
        return inbox.jobs_waiting() >= 4;
    }));
    EXPECT_TRUE(eventually([&] { return inbox.jobs_waiting() == accepted; }));
    EXPECT_FALSE(inbox.try_submit(pool, [] { return 1; }));
    EXPECT_LE(accepted, 5U);
    // The host's own thread must not wait for a delivery that only it could make.
    for (int i = 0; i < 10; ++i) inbox.submit(pool, [] { return 1; });
    EXPECT_TRUE(eventually([&] { return inbox.jobs_waiting() == accepted + 10; }));
}

TEST(InboxJobsTest, JobsMaySubmitToTheInboxThemselves) {
    Pool pool(2);
    Inbox<int> inbox({.slots = 2});
    for (int i = 0; i < 50; ++i) {
        pool.submit([&inbox, &pool, i] {
            for (int j = 0; j < 4; ++j) inbox.submit(pool, [i, j] { return 4 * i + j; });
        });
    }
    std::vector<int> times(200);
    for (const int value : collect(inbox, 200)) ++times[static_cast<std::size_t>(value)];
    for (const int each : times) EXPECT_EQ(each, 1);
}

TEST(InboxJobsTest, EveryLaneButTheHostsDelivers) {
    Pool pool(2);
    Inbox<int> inbox({.slots = 1});
    for (int i = 0; i < 30; ++i) {
        const Lane lane = std::array{Lane::frame, Lane::background, Lane::io}[static_cast<std::size_t>(i % 3)];
        inbox.submit(pool, [i] { return i; }, {.lane = lane});
    }
    EXPECT_EQ(collect(inbox, 30).size(), 30U);
    EXPECT_THROW(inbox.submit(pool, [] { return 1; }, {.lane = Lane::host}), std::invalid_argument);
    EXPECT_THROW(inbox.submit(pool, [] { return 1; }, {.priority = static_cast<Priority>(7)}), std::invalid_argument);
}

// R24
TEST(InboxJobsTest, HostWaitsForNearWorkWithinItsBudget) {
    Pool pool(2);
    Inbox<int> inbox;
    int near = 0;
    for (int i = 0; i < 4; ++i) inbox.submit(pool, [i] { return i; }, {.priority = Priority::urgent});
    const DeliveryReport report = inbox.deliver_until(
        10s, [&] { return near == 4; }, [&](int) { ++near; });
    EXPECT_EQ(near, 4);
    EXPECT_EQ(report.delivered, 4U);
    EXPECT_LT(report.spent, 10s);

    const auto start = Clock::now();
    const DeliveryReport nothing = inbox.deliver_until(
        20ms, [] { return false; }, [](int) {});
    EXPECT_EQ(nothing.end, DeliveryReport::End::time);
    EXPECT_GE(Clock::now() - start, 20ms);
    EXPECT_EQ(inbox
                  .deliver_until(
                      10s, [] { return true; }, [](int) {})
                  .delivered,
              0U);
}

TEST(InboxJobsTest, EmptyTaskSaysSo) {
    InboxTask task;
    EXPECT_FALSE(task.valid());
    EXPECT_FALSE(task.ready());
    EXPECT_THROW(task.cancel(), Error);
    EXPECT_THROW(task.raise(Priority::high), Error);
}

}  // namespace
}  // namespace quarry
