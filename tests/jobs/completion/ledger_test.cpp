#include "jobs/completion/ledger.hpp"

#include <array>

#include <gtest/gtest.h>

namespace quarry::impl {
namespace {

class LedgerOfTwoWorkers : public testing::Test {
  protected:
    struct CountingWorker {
        WorkerCounters counters;
    };

    void look() {
        ledger.look(
            [this](auto visit) {
                for (const CountingWorker& worker : workers) visit(worker);
            },
            [this] { ++ends; });
    }
    bool try_count(bool served_to_the_end) {
        return ledger.try_count_outside([&] { return served_to_the_end; }, [this] { look(); });
    }

    Ledger<DefaultAtomics> ledger;
    std::array<CountingWorker, 2> workers;
    int ends = 0;
};

TEST_F(LedgerOfTwoWorkers, EndComesOnceWithTheLastJobWhoeverCreatedAndWhoeverEndedIt) {
    ledger.created_outside();
    ledger.created_outside();
    workers[0].counters.spawned.add();
    ledger.drain.stop();
    look();
    workers[1].counters.count(JobEnd::failed);
    workers[1].counters.count(JobEnd::completed);
    look();
    EXPECT_EQ(ends, 0);
    EXPECT_FALSE(ledger.drain.is_drained());
    ledger.ended_outside(JobEnd::cancelled);
    look();
    look();
    EXPECT_EQ(ends, 1);
    EXPECT_TRUE(ledger.drain.is_drained());
    EXPECT_EQ(ledger.created_outside_so_far(), 2U);
    EXPECT_EQ(ledger.ended_outside_so_far(JobEnd::cancelled), 1U);
}

TEST_F(LedgerOfTwoWorkers, PoolThatIsNotStoppedDoesNotEnd) {
    look();
    EXPECT_EQ(ends, 0);
}

TEST_F(LedgerOfTwoWorkers, StoppedPoolCountsOnlyForThoseWhomItServesToTheEnd) {
    ledger.created_outside();
    EXPECT_TRUE(try_count(false));
    ledger.take_count_back([this] { look(); });
    ledger.drain.stop();
    EXPECT_FALSE(try_count(false));
    EXPECT_TRUE(try_count(true));
    ledger.ended_outside(JobEnd::completed);
    ledger.ended_outside(JobEnd::completed);
    look();
    EXPECT_EQ(ends, 1);
}

TEST_F(LedgerOfTwoWorkers, CountThatIsTakenBackMayBeTheEnd) {
    ledger.drain.stop();
    EXPECT_TRUE(try_count(true));
    look();
    EXPECT_EQ(ends, 0);
    ledger.take_count_back([this] { look(); });
    EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace quarry::impl
