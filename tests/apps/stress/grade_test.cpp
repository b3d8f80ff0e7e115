#include "stress/grade.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

// R36: the thresholds of requirements.md, each from both sides.

const BurstFigures kBest{200, 0.99, 50, 4, 4};

double just_below(double value) {
    return std::nextafter(value, 0.0);
}

double just_above(double value) {
    return std::nextafter(value, std::numeric_limits<double>::infinity());
}

int throughput_points(double jobs_per_second) {
    BurstFigures figures = kBest;
    figures.throughput = jobs_per_second;
    return burst_points(figures, Rules::strict).throughput;
}

int completion_points(double share) {
    BurstFigures figures = kBest;
    figures.completion = share;
    return burst_points(figures, Rules::strict).completion;
}

int latency_points(double milliseconds, Rules rules) {
    BurstFigures figures = kBest;
    figures.mean_latency_ms = milliseconds;
    return burst_points(figures, rules).latency;
}

TEST(BurstGrade, ThroughputEarnsAPointAt50And100And200JobsASecond) {
    EXPECT_EQ(throughput_points(0), 0);
    EXPECT_EQ(throughput_points(just_below(50)), 0);
    EXPECT_EQ(throughput_points(50), 1);
    EXPECT_EQ(throughput_points(just_below(100)), 1);
    EXPECT_EQ(throughput_points(100), 2);
    EXPECT_EQ(throughput_points(just_below(200)), 2);
    EXPECT_EQ(throughput_points(200), 3);
    EXPECT_EQ(throughput_points(1e6), 3);
}

TEST(BurstGrade, CompletionEarnsAPointAt80And95And99Percent) {
    EXPECT_EQ(completion_points(0), 0);
    EXPECT_EQ(completion_points(just_below(0.80)), 0);
    EXPECT_EQ(completion_points(0.80), 1);
    EXPECT_EQ(completion_points(just_below(0.95)), 1);
    EXPECT_EQ(completion_points(0.95), 2);
    EXPECT_EQ(completion_points(just_below(0.99)), 2);
    EXPECT_EQ(completion_points(0.99), 3);
    EXPECT_EQ(completion_points(1), 3);
}

TEST(BurstGrade, StrictLatencyLosesAPointAbove50And100And200Milliseconds) {
    EXPECT_EQ(latency_points(0, Rules::strict), 3);
    EXPECT_EQ(latency_points(50, Rules::strict), 3);
    EXPECT_EQ(latency_points(just_above(50), Rules::strict), 2);
    EXPECT_EQ(latency_points(100, Rules::strict), 2);
    EXPECT_EQ(latency_points(just_above(100), Rules::strict), 1);
    EXPECT_EQ(latency_points(200, Rules::strict), 1);
    EXPECT_EQ(latency_points(just_above(200), Rules::strict), 0);
}

TEST(BurstGrade, LenientLatencyLosesAPointAbove1And5And10Seconds) {
    EXPECT_EQ(latency_points(1'000, Rules::lenient), 3);
    EXPECT_EQ(latency_points(just_above(1'000), Rules::lenient), 2);
    EXPECT_EQ(latency_points(5'000, Rules::lenient), 2);
    EXPECT_EQ(latency_points(just_above(5'000), Rules::lenient), 1);
    EXPECT_EQ(latency_points(10'000, Rules::lenient), 1);
    EXPECT_EQ(latency_points(just_above(10'000), Rules::lenient), 0);
}

TEST(BurstGrade, NothingReceivedEarnsNothingForLatency) {
    EXPECT_EQ(latency_points(std::nan(""), Rules::strict), 0);
    EXPECT_EQ(latency_points(std::nan(""), Rules::lenient), 0);
}

// Points for throughput and latency are given; completion stays at 3, so that only the sum decides.
Grade grade_of_sum(int throughput, int latency) {
    const double rates[]{0, 50, 100, 200};
    const double latencies[]{201, 200, 100, 50};
    return burst_grade({rates[throughput], 1, latencies[latency], 4, 4}, Rules::strict);
}

TEST(BurstGrade, SumOf8IsA) {
    EXPECT_EQ(grade_of_sum(3, 3), Grade::a);
    EXPECT_EQ(grade_of_sum(3, 2), Grade::a);
    EXPECT_EQ(grade_of_sum(2, 3), Grade::a);
    EXPECT_EQ(grade_of_sum(2, 2), Grade::b);
    EXPECT_EQ(grade_of_sum(3, 1), Grade::b);
}

TEST(BurstGrade, SumOf6IsBAndSumOf4IsC) {
    EXPECT_EQ(grade_of_sum(3, 0), Grade::b);
    EXPECT_EQ(grade_of_sum(2, 0), Grade::c);
    EXPECT_EQ(grade_of_sum(1, 0), Grade::c);
    EXPECT_EQ(grade_of_sum(0, 0), Grade::f);
}

TEST(BurstGrade, LessThan80PercentIsFWhateverTheSum) {
    BurstFigures figures = kBest;
    figures.completion = 0.80;
    EXPECT_EQ(burst_points(figures, Rules::strict).sum(), 7);
    EXPECT_EQ(burst_grade(figures, Rules::strict), Grade::b);
    figures.completion = just_below(0.80);
    EXPECT_EQ(burst_points(figures, Rules::strict).sum(), 6);
    EXPECT_EQ(burst_grade(figures, Rules::strict), Grade::f);
    figures.completion = std::nan("");
    EXPECT_EQ(burst_grade(figures, Rules::strict), Grade::f);
}

TEST(BurstGrade, DeadWorkerIsFWhateverTheSum) {
    BurstFigures figures = kBest;
    figures.workers_alive = 3;
    EXPECT_EQ(burst_points(figures, Rules::strict).sum(), 9);
    EXPECT_EQ(burst_grade(figures, Rules::strict), Grade::f);
}

// The earlier system's own run: 7,146 of 7,146 jobs, 1,284 a second, 2,830 ms.
TEST(BurstGrade, EarlierSystemIsBByTheStrictRulesAndAByTheLenientOnes) {
    const BurstFigures figures{1'284, 1, 2'830, 4, 4};
    EXPECT_EQ(burst_points(figures, Rules::strict).sum(), 6);
    EXPECT_EQ(burst_grade(figures, Rules::strict), Grade::b);
    EXPECT_EQ(burst_points(figures, Rules::lenient).sum(), 8);
    EXPECT_EQ(burst_grade(figures, Rules::lenient), Grade::a);
}

TEST(Grade, LettersAreReadInEitherCase) {
    EXPECT_EQ(grade_of("A"), Grade::a);
    EXPECT_EQ(grade_of("b"), Grade::b);
    EXPECT_EQ(grade_of("C"), Grade::c);
    EXPECT_EQ(grade_of("f"), Grade::f);
    for (const char* word : {"", "D", "E", "AA", "a ", "1"}) EXPECT_EQ(grade_of(word), std::nullopt) << word;
}

}  // namespace
}  // namespace quarry::app
