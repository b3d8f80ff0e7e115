#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/bookkeeping.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

// Who may go before whom: inbox, pool, slots, tasks. None of it waits for a delivery that nobody makes (R47).
namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

TEST(InboxLifeTest, InboxThatEndsCancelsWhatHasNotStarted) {
    BusyPool busy({.workers = 1});
    auto counted = std::make_shared<int>(0);
    std::optional<Inbox<int>> inbox(std::in_place, InboxOptions{.slots = 1});
    std::vector<InboxTask> tasks;
    for (int i = 0; i < 10; ++i) tasks.push_back(inbox->submit(busy.pool, [counted] { return ++*counted; }));
    inbox.reset();
    busy.release();
    ASSERT_TRUE(adds_up(busy.pool));
    EXPECT_EQ(busy.pool.stats().total.cancelled, 10U);
    EXPECT_EQ(*counted, 0);
    for (InboxTask& task : tasks) {
        EXPECT_TRUE(task.ready());
        EXPECT_FALSE(task.cancel());
        EXPECT_FALSE(task.raise(Priority::urgent));
    }
    EXPECT_EQ(counted.use_count(), 1) << "the closures are gone";
}

TEST(InboxLifeTest, InboxThatEndsCancelsWhatWaitsForASlot) {
    Pool pool(2);
    {
        Inbox<int> inbox({.slots = 1});
        for (int i = 0; i < 10; ++i) inbox.submit(pool, [i] { return i; });
        ASSERT_TRUE(eventually([&] { return inbox.jobs_waiting() == 9; }));
    }
    ASSERT_TRUE(adds_up(pool));
    EXPECT_EQ(pool.stats().total.completed, 1U);
    EXPECT_EQ(pool.stats().total.cancelled, 9U);
}

TEST(InboxLifeTest, RunningJobOutlivesItsInboxAndItsResultIsDestroyed) {
    std::atomic<int> step{0};
    Pool pool(1);
    auto counted = std::make_shared<int>(0);
    {
        Inbox<std::shared_ptr<int>> inbox({.slots = 1});
        inbox.submit(pool, [&step, counted] {
            step = 1;
            while (step == 1) std::this_thread::yield();
            return counted;
        });
        ASSERT_TRUE(eventually([&] { return step == 1; }));
    }
    step = 2;
    ASSERT_TRUE(adds_up(pool));
    ASSERT_TRUE(eventually([&] { return counted.use_count() == 1; }));
    EXPECT_EQ(pool.stats().total.completed, 1U);
}

TEST(InboxLifeTest, SlotOutlivesItsInbox) {
    auto counted = std::make_shared<int>(0);
    InboxSlot<std::shared_ptr<int>> put_later;
    InboxSlot<std::shared_ptr<int>> dropped_later;
    {
        Inbox<std::shared_ptr<int>> inbox({.slots = 2});
        put_later = inbox.try_take_slot();
        dropped_later = inbox.try_take_slot();
    }
    put_later.put(counted);
    dropped_later = {};
    EXPECT_EQ(counted.use_count(), 1);
}

// The host destroys the pool itself: nobody can free a slot meanwhile.
TEST(InboxLifeTest, PoolThatEndsFirstCancelsWhatWaitsForASlot) {
    Inbox<int> inbox({.slots = 2});
    std::vector<InboxTask> tasks;
    {
        Pool pool(2);
        for (int i = 0; i < 50; ++i) tasks.push_back(inbox.submit(pool, [i] { return i; }));
    }
    std::size_t delivered = 0;
    inbox.deliver(1s, [&](int) { ++delivered; });
    EXPECT_EQ(delivered, 2U) << "what had a slot has run";
    for (InboxTask& task : tasks) {
        EXPECT_TRUE(task.ready());
        EXPECT_FALSE(task.raise(Priority::urgent));
    }
    EXPECT_EQ(inbox.jobs_waiting(), 0U);
    EXPECT_TRUE(inbox.try_put(1));
    // And it goes on with another pool.
    Pool another(1);
    inbox.submit(another, [] { return 7; });
    std::vector<int> values;
    EXPECT_TRUE(eventually([&] {
        inbox.deliver(1ms, [&](int value) { values.push_back(value); });
        return values.size() == 2;
    }));
}

TEST(InboxLifeTest, JobsOfAPoolThatEndsMayStillSubmitToAnInbox) {
    Inbox<int> inbox({.slots = 1});
    {
        Pool pool(1);
        pool.submit([&] {
            for (int i = 0; i < 3; ++i) inbox.submit(pool, [i] { return i; });
        });
    }
    EXPECT_EQ(inbox.deliver(1s, [](int) {}).delivered, 1U) << "there was one slot";
}

TEST(InboxLifeTest, OneInboxServesTwoPoolsOfWhichOneEnds) {
    Inbox<int> inbox({.slots = 1});
    Pool stays(1);
    auto goes = std::make_unique<Pool>(1);
    InboxSlot<int> taken = inbox.try_take_slot();
    inbox.submit(stays, [] { return 1; });
    InboxTask gone = inbox.submit(*goes, [] { return 2; });
    ASSERT_TRUE(eventually([&] { return inbox.jobs_waiting() == 2; }));
    goes.reset();
    EXPECT_TRUE(gone.ready());
    taken = {};
    std::vector<int> values;
    EXPECT_TRUE(eventually([&] {
        inbox.deliver(1ms, [&](int value) { values.push_back(value); });
        return !values.empty();
    }));
    EXPECT_EQ(values, std::vector<int>{1});
}

// Its last copy submits a job when it goes.
class SubmitsAtItsEnd {
  public:
    SubmitsAtItsEnd(Pool& pool, std::atomic<int>& ran) : pool_(&pool), ran_(&ran) {}
    SubmitsAtItsEnd(SubmitsAtItsEnd&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), ran_(other.ran_) {}
    SubmitsAtItsEnd& operator=(SubmitsAtItsEnd&&) = delete;
    ~SubmitsAtItsEnd() {
        if (pool_ != nullptr) pool_->submit([ran = ran_] { ++*ran; });
    }
    int operator()() const { return 1; }

  private:
    Pool* pool_;
    std::atomic<int>* ran_;
};

// The only worker gives the job up in the middle of its search, and must still find what comes of it.
TEST(InboxLifeTest, ClosureThatIsGivenUpMaySubmit) {
    for (int i = 0; i < 50; ++i) {
        std::atomic<int> ran{0};
        BusyPool busy({.workers = 1});
        {
            Inbox<int> inbox({.slots = 1});
            for (int j = 0; j < 3; ++j) inbox.submit(busy.pool, SubmitsAtItsEnd(busy.pool, ran));
        }
        busy.release();
        ASSERT_TRUE(eventually([&] { return ran == 3; }));
    }
}

TEST(InboxLifeTest, StartsAndStopsAgainAndAgain) {
    std::thread([] {}).join();  // the thread sanitizer has a thread of its own, and starts it with the first one
    const std::size_t threads = threads_of_process();
    for (int i = 0; i < 200; ++i) {
        Pool pool(2);
        Inbox<int> inbox({.slots = 1 + static_cast<std::size_t>(i % 3)});
        for (int j = 0; j < 5; ++j) inbox.submit(pool, [j] { return j; });
        if (i % 2 == 0) inbox.deliver(1ms, [](int) {});
    }
    EXPECT_TRUE(threads_return_to(threads));
}

}  // namespace
}  // namespace quarry
