#include "sync/grade.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

// The thresholds of requirements.md, each from both sides.

double above(double value) {
    return std::nextafter(value, 1e9);
}

double below(double value) {
    return std::nextafter(value, 0.0);
}

TEST(SyncGrade, MeanLatencyOfOneFrameIsTheLimitOfA) {
    EXPECT_EQ(sync_grade({1.0, 2, 0}), Grade::a);
    EXPECT_EQ(sync_grade({above(1.0), 2, 0}), Grade::b);
}

TEST(SyncGrade, GreatestLatencyOfTwoFramesIsTheLimitOfA) {
    EXPECT_EQ(sync_grade({0.5, 2, 0}), Grade::a);
    EXPECT_EQ(sync_grade({0.5, 3, 0}), Grade::b);
}

TEST(SyncGrade, FivePercentStaleIsTooMuchForA) {
    EXPECT_EQ(sync_grade({0.5, 2, below(0.05)}), Grade::a);
    EXPECT_EQ(sync_grade({0.5, 2, 0.05}), Grade::b);
}

TEST(SyncGrade, MeanLatencyOfOneAndAHalfFramesIsTheLimitOfB) {
    EXPECT_EQ(sync_grade({1.5, 3, 0}), Grade::b);
    EXPECT_EQ(sync_grade({above(1.5), 3, 0}), Grade::f);
}

TEST(SyncGrade, GreatestLatencyOfThreeFramesIsTheLimitOfB) {
    EXPECT_EQ(sync_grade({1.0, 3, 0}), Grade::b);
    EXPECT_EQ(sync_grade({1.0, 4, 0}), Grade::f);
}

TEST(SyncGrade, TenPercentStaleIsTooMuchForB) {
    EXPECT_EQ(sync_grade({1.0, 3, below(0.10)}), Grade::b);
    EXPECT_EQ(sync_grade({1.0, 3, 0.10}), Grade::f);
}

TEST(SyncGrade, LostJobIsF) {
    EXPECT_EQ(sync_grade({0, 0, 0, true}), Grade::a);
    EXPECT_EQ(sync_grade({0, 0, 0, false}), Grade::f);
}

}  // namespace
}  // namespace quarry::app
