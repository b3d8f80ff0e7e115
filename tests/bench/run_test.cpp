#include "harness/run.hpp"

#include <string>

#include <gtest/gtest.h>

namespace quarry::bench {
namespace {

// Says how many requests its process has served.
RunReport count_requests(const RowInfo& row, int runs) {
    const std::string script =
        "count=0; while read request; do count=$((count + 1)); echo value requests n $count; echo done; done";
    return run(
        {.rows = {row}, .workers = {1, 2}, .engines = {{"counting", {"/bin/sh", "-c", script}, ""}}, .runs = runs});
}

TEST(Run, EngineKeepsItsProcessFromOneMeasurementToTheNext) {
    const RunReport report = count_requests({.name = "warm", .what = ""}, 3);
    ASSERT_EQ(report.results.size(), 2u);
    EXPECT_EQ(report.results[0].workers, 1);
    EXPECT_EQ(report.results[0].value, 2) << "the median of 1, 2 and 3";
    EXPECT_EQ(report.results[1].workers, 2);
    EXPECT_EQ(report.results[1].value, 5);
}

TEST(Run, EachMeasurementOfAColdRowHasAProcessOfItsOwn) {
    const RunReport report = count_requests({.name = "cold", .what = "", .cold = true}, 3);
    ASSERT_EQ(report.results.size(), 2u);
    for (const Result& result : report.results) {
        EXPECT_EQ(result.runs, 3);
        EXPECT_EQ(result.value, 1);
        EXPECT_EQ(result.spread, 0);
    }
    EXPECT_EQ(report.results[1].workers, 2);
}

}  // namespace
}  // namespace quarry::bench
