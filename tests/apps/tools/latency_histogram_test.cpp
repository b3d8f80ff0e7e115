#include "tools/latency_histogram.hpp"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

TEST(LatencyHistogram, HasNoFiguresWhileItIsEmpty) {
    const LatencyHistogram histogram;
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_TRUE(std::isnan(histogram.mean()));
    EXPECT_TRUE(std::isnan(histogram.least()));
    EXPECT_TRUE(std::isnan(histogram.greatest()));
    EXPECT_TRUE(std::isnan(histogram.percentile(0.5)));
}

TEST(LatencyHistogram, SmallValuesAreExact) {
    LatencyHistogram histogram;
    for (int value = 1; value <= 100; ++value) histogram.record(value);
    EXPECT_EQ(histogram.count(), 100u);
    EXPECT_EQ(histogram.mean(), 50.5);
    EXPECT_EQ(histogram.least(), 1);
    EXPECT_EQ(histogram.greatest(), 100);
    EXPECT_EQ(histogram.percentile(0.5), 50);
    EXPECT_EQ(histogram.percentile(0.99), 99);
    EXPECT_EQ(histogram.percentile(0), 1);
    EXPECT_EQ(histogram.percentile(1), 100);
}

TEST(LatencyHistogram, PercentileIsNeverTooSmallAndTooGreatByOneIn64) {
    for (std::int64_t value = 1; value < (std::int64_t{1} << 60); value += value / 8 + 1) {
        LatencyHistogram histogram;
        histogram.record(value);
        histogram.record(std::int64_t{1} << 61);
        const double percentile = histogram.percentile(0.5);
        EXPECT_GE(percentile, static_cast<double>(value));
        EXPECT_LE(percentile, static_cast<double>(value) * (1 + 1.0 / 64));
    }
}

TEST(LatencyHistogram, PercentileIsNotAboveTheGreatest) {
    LatencyHistogram histogram;
    histogram.record(1'000'001);
    EXPECT_EQ(histogram.percentile(0.99), 1'000'001);
}

TEST(LatencyHistogram, EdgesOfTheRangeAreTaken) {
    LatencyHistogram histogram;
    histogram.record(-5);
    histogram.record(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(histogram.least(), 0);
    EXPECT_EQ(histogram.greatest(), static_cast<double>(std::numeric_limits<std::int64_t>::max()));
    EXPECT_EQ(histogram.percentile(0.5), 0);
}

TEST(LatencyHistogram, SumOfTwoIsTheSameAsOneOfAll) {
    auto one = std::make_unique<LatencyHistogram>();
    auto other = std::make_unique<LatencyHistogram>();
    auto all = std::make_unique<LatencyHistogram>();
    for (std::int64_t value = 1; value < 100'000; value += 7) {
        (value % 2 == 0 ? *one : *other).record(value * value);
        all->record(value * value);
    }
    one->add(*other);
    EXPECT_EQ(one->count(), all->count());
    EXPECT_EQ(one->least(), all->least());
    EXPECT_EQ(one->greatest(), all->greatest());
    EXPECT_DOUBLE_EQ(one->mean(), all->mean());
    EXPECT_EQ(one->percentile(0.9), all->percentile(0.9));
}

}  // namespace
}  // namespace quarry::app
