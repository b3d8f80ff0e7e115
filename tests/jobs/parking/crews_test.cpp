#include "jobs/parking/crews.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/worker/patience.hpp"
#include "tests/jobs/support.hpp"

namespace quarry::impl {
namespace {

using test_support::eventually;

struct TestMember {
    Parker<DefaultAtomics> parker;
    std::atomic<int> steered{0};
    std::atomic<int> woken{0};

    void steer_away_from_caller() noexcept { ++steered; }
    void was_woken() noexcept { ++woken; }
};
using TestCrews = Crews<DefaultAtomics, TestMember>;
using TestCrew = TestCrews::Crew;

// Finds nothing until it has slept once; then stops.
struct SleepsOnce {
    static const int* search() { return nullptr; }
    static const int* search_after_sleep() {
        static const int found = 0;
        return &found;
    }
    static bool is_over() { return false; }
    static void announced() {}
    static bool work_visible() { return false; }
    static void falls_asleep() {}
    static void is_awake() {}
    static void has_stopped() {}
};

// Workers that sleep until one of the crews wakes them.
class SleepingCrews : public testing::Test {
  protected:
    ~SleepingCrews() override {
        crews.wake_all();
        for (std::thread& thread : threads_) thread.join();
    }

    TestMember& asleep_in(TestCrew& crew) {
        TestMember& member = *members_.emplace_back(std::make_unique<TestMember>());
        crew.members.push_back(&member);
        const auto sleepers = [&] { return TestCrews::Counters::sleeping(crew.sleep.counters()); };
        const auto before = sleepers();
        threads_.emplace_back([&] { crews.idle(crew, member.parker, SleepsOnce{}); });
        EXPECT_TRUE(eventually([&] { return sleepers() > before; }));
        return member;
    }
    static WakerGoesOn goes_on() { return WakerGoesOn::yes; }
    static WakerGoesOn may_wait() { return WakerGoesOn::no; }

    TestCrews crews{true};

  private:
    std::vector<std::unique_ptr<TestMember>> members_;
    std::vector<std::thread> threads_;
};

TEST_F(SleepingCrews, FrameJobWakesAReservedWorkerFirst) {
    const TestMember& general = asleep_in(crews.general);
    const TestMember& reserved = asleep_in(crews.reserved);
    EXPECT_EQ(crews.job_queued(Lane::frame, may_wait).taker, Taker::woken);
    EXPECT_EQ(reserved.woken, 1);
    EXPECT_EQ(general.woken, 0);
}

TEST_F(SleepingCrews, FrameJobFallsToTheGeneralCrewWhenAllReservedAreBusy) {
    const TestMember& general = asleep_in(crews.general);
    EXPECT_EQ(crews.job_queued(Lane::frame, may_wait).taker, Taker::woken);
    EXPECT_EQ(general.woken, 1);
}

TEST_F(SleepingCrews, BackgroundAndIoJobsWakeNobodyOfAnotherCrew) {
    const TestMember& reserved = asleep_in(crews.reserved);
    EXPECT_EQ(crews.job_queued(Lane::background, may_wait).taker, Taker::nobody);
    EXPECT_EQ(crews.job_queued(Lane::io, may_wait).taker, Taker::nobody);
    EXPECT_EQ(reserved.woken, 0);
    const TestMember& io = asleep_in(crews.io);
    EXPECT_EQ(crews.job_queued(Lane::io, may_wait).taker, Taker::woken);
    EXPECT_EQ(io.woken, 1);
}

TEST_F(SleepingCrews, NobodyIsWokenWhileOneSearches) {
    const TestMember& sleeper = asleep_in(crews.general);
    crews.general.no_work_found();
    EXPECT_EQ(crews.job_queued(Lane::background, may_wait).taker, Taker::searcher);
    EXPECT_EQ(crews.job_offered(Lane::background).taker, Taker::searcher);
    EXPECT_EQ(sleeper.woken, 0);
    (void)crews.general.work_found(false);
}

TEST_F(SleepingCrews, OnlyAWakerThatGoesOnSteersTheSleeperAway) {
    const TestMember& first = asleep_in(crews.io);
    EXPECT_EQ(crews.job_queued(Lane::io, may_wait).taker, Taker::woken);
    EXPECT_EQ(first.steered, 0);
    // The first one searches until its thread has seen that it was woken.
    EXPECT_TRUE(eventually([&] { return TestCrews::Counters::searching(crews.io.sleep.counters()) == 0; }));
    const TestMember& second = asleep_in(crews.io);
    EXPECT_EQ(crews.job_queued(Lane::io, goes_on).taker, Taker::woken);
    EXPECT_EQ(second.steered, 1);
}

TEST_F(SleepingCrews, OfferWakesNobodyWithoutACoreForIt) {
    const TestMember& sleeper = asleep_in(crews.general);
    crews.add_guest_appetite(-1);
    EXPECT_EQ(crews.job_offered(Lane::background).taker, Taker::nobody);
    EXPECT_EQ(sleeper.woken, 0);
    crews.add_guest_appetite(1);
    EXPECT_EQ(crews.job_offered(Lane::background).taker, Taker::woken);
    EXPECT_EQ(sleeper.woken, 1);
}

TEST_F(SleepingCrews, OfferOfAFrameJobWakesTheGeneralCrewToo) {
    const TestMember& general = asleep_in(crews.general);
    EXPECT_EQ(crews.job_offered(Lane::frame).taker, Taker::woken) << "its appetite counts in the reserved crew's word";
    EXPECT_EQ(general.woken, 1);
}

TEST_F(SleepingCrews, BusyCrewAsksForAWaiterWhoIsHungry) {
    EXPECT_EQ(crews.job_queued(Lane::background, may_wait).taker, Taker::nobody);
    crews.general.sleep.add_appetite(1);
    const Told told = crews.job_queued(Lane::background, may_wait);
    EXPECT_EQ(told.taker, Taker::waiter);

    Patience patience;
    EXPECT_FALSE(crews.wake_waiter_or_note(patience, told.word, [] { return false; }));
    EXPECT_TRUE(patience.lets_pass(crews.hungry_sleeps(), told.word)) << "nobody could take it";
    crews.count_hungry_sleep();
    EXPECT_FALSE(patience.lets_pass(crews.hungry_sleeps(), told.word)) << "somebody sleeps who may";
    crews.general.sleep.add_appetite(-1);
}

TEST_F(SleepingCrews, EndWakesEverybody) {
    const TestMember* const all[] = {&asleep_in(crews.general), &asleep_in(crews.general), &asleep_in(crews.reserved),
                                     &asleep_in(crews.io)};
    crews.wake_all();
    for (const TestMember* const member : all) EXPECT_EQ(member->woken, 1);
}

}  // namespace
}  // namespace quarry::impl
