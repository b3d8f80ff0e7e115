#include "tools/cpu_supply.hpp"

#include <gtest/gtest.h>

#include "tools/cpu_work.hpp"

namespace quarry::app {
namespace {

TEST(CpuShares, AreOfAllTheTimeOfAllProcessors) {
    const CpuShares shares = shares_between({1, 10, 5, 100}, {3, 15, 6, 104});
    EXPECT_DOUBLE_EQ(shares.own, 0.2);
    EXPECT_DOUBLE_EQ(shares.others, 0.3);
    EXPECT_DOUBLE_EQ(shares.stolen, 0.1);
    EXPECT_DOUBLE_EQ(shares.idle, 0.4);
}

TEST(CpuShares, OfNoTimeAreThoseOfAnIdleMachine) {
    const CpuShares shares = shares_between({1, 10, 5, 100}, {1, 10, 5, 100});
    EXPECT_EQ(shares.idle, 1);
    EXPECT_FALSE(shares.is_short());
}

TEST(CpuShares, AreShortWhereOthersTookWhatWasNeeded) {
    EXPECT_FALSE((CpuShares{.own = 1, .others = 0, .stolen = 0, .idle = 0}.is_short())) << "its own load is no excuse";
    EXPECT_FALSE((CpuShares{.own = 0.2, .others = 0.2, .stolen = 0, .idle = 0.6}.is_short()));
    EXPECT_FALSE((CpuShares{.own = 0.97, .others = 0.03, .stolen = 0, .idle = 0}.is_short()));
    EXPECT_TRUE((CpuShares{.own = 0.9, .others = 0.1, .stolen = 0, .idle = 0}.is_short()));
    EXPECT_TRUE((CpuShares{.own = 0.9, .others = 0, .stolen = 0.1, .idle = 0}.is_short()));
    EXPECT_TRUE((CpuShares{.own = 0.2, .others = 0.3, .stolen = 0, .idle = 0.5}.is_short()));
}

TEST(CpuShares, AreSaidInWords) {
    EXPECT_EQ((CpuShares{.own = 0.6, .others = 0.31, .stolen = 0.04, .idle = 0}.taken_text()),
              "other processes had 31 % of the CPU time, the machine's host 4 %");
    EXPECT_EQ((CpuShares{.own = 0.6, .others = 0.31, .stolen = 0, .idle = 0}.taken_text()),
              "other processes had 31 % of the CPU time");
}

TEST(CpuSupply, CountsWhatThisProcessComputes) {
    const CpuSupply supply;
    CpuWork::calibrate().run(std::chrono::milliseconds(300));
    const CpuShares shares = supply.shares();
    if (shares.idle == 1) GTEST_SKIP() << "the system does not say";
    EXPECT_GT(shares.own, 0);
    EXPECT_NEAR(shares.own + shares.others + shares.stolen + shares.idle, 1, 1e-9);
}

}  // namespace
}  // namespace quarry::app
