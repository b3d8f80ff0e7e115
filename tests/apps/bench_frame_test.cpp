#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"

namespace quarry::tests {
namespace {

using Json = nlohmann::json;

TEST(BenchFrame, WrongInputIsRefused) {
    expect_refused(run_program({"bench", "frame", "--filter", "nonsense"}),
                   "empty_frame, hand_over, budget, first_frame");
    for (const char* number : {"0", "-1", "1001", "nan", "", "2x"}) {
        expect_refused(run_program({"bench", "frame", std::string("--runs=") + number}), "--runs");
    }
    expect_refused(run_program({"bench", "frame", "--json", "/nowhere/at/all/report.json"}), "/nowhere/at/all");
    expect_refused(run_program({"bench", "frame", "--json", ""}), "--json");
}

// The aims themselves are for a quiet machine; here each is only to be in sight, so that a slip by a power of ten
// shows.
TEST(BenchFrame, ReportHasTheAgreedShapeAndEveryAimIsInSight) {
    const Outcome outcome = run_program({"bench", "frame", "--runs", "3", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const Json report = Json::parse(outcome.output);
    EXPECT_EQ(report.at("schema"), 1);
    EXPECT_EQ(report.at("program"), "quarry bench frame");
    std::map<std::string, double> own;
    std::map<std::string, double> bare;
    for (const Json& result : report.at("results")) {
        EXPECT_EQ(result.size(), 8u);
        EXPECT_EQ(result.at("better"), "lower");
        EXPECT_EQ(result.at("runs"), 3);
        (result.at("engine") == "quarry" ? own : bare)[result.at("name")] = result.at("value");
    }
    ASSERT_EQ(own.size(), 4u);
    ASSERT_EQ(bare.size(), 4u);
    EXPECT_GT(own.at("empty_frame"), 0);
    EXPECT_LT(own.at("empty_frame"), 10 * 200);
    EXPECT_GT(own.at("hand_over"), 0);
    EXPECT_LT(own.at("hand_over"), 10 * 150);
    EXPECT_LT(own.at("budget"), 10 * 2);
    EXPECT_GT(own.at("first_frame"), 0);
    EXPECT_LT(own.at("first_frame"), 10 * 1.5) << "R27";
}

}  // namespace
}  // namespace quarry::tests
