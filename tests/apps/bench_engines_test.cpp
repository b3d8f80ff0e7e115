#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"

// quarry bench graph and quarry bench ecs
namespace quarry::tests {
namespace {

using Json = nlohmann::json;

TEST(BenchGraph, WrongInputIsRefused) {
    expect_refused(run_program({"bench", "graph", "--filter", "nonsense"}), "wavefront");
    expect_refused(run_program({"bench", "graph", "--workers", "0"}), "--workers");
    expect_refused(run_program({"bench", "ecs", "--filter", "nonsense"}), "conflicts");
    expect_refused(run_program({"bench", "ecs", "--json", "/nowhere/at/all/report.json"}), "/nowhere/at/all");
}

TEST(BenchGraph, ListNamesTheRows) {
    for (const char* row : {"chain", "tree", "wavefront", "random", "random_1us"}) {
        EXPECT_NE(run_program({"bench", "graph", "--list"}).output.find(row), std::string::npos) << row;
    }
    for (const char* row : {"empty", "conflicts", "heavy", "skewed", "commands", "boids"}) {
        EXPECT_NE(run_program({"bench", "ecs", "--list"}).output.find(row), std::string::npos) << row;
    }
}

Json report_of(const char* bench, const char* filter) {
    const Outcome outcome =
        run_program({"bench", bench, "--quick", "--runs", "1", "--workers", "2", "--filter", filter, "--json", "-"});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return Json::parse(outcome.output);
}

TEST(BenchGraph, ReportHasTheAgreedShape) {
    const Json report = report_of("graph", "tree");
    EXPECT_EQ(report.at("program"), "quarry bench graph");
    std::map<std::string, double> values;
    for (const Json& result : report.at("results")) {
        EXPECT_EQ(result.at("unit"), "ns");
        EXPECT_EQ(result.at("better"), "lower");
        values[result.at("engine")] = result.at("value");
    }
    ASSERT_EQ(values.size(), 2U);
    EXPECT_GT(values.at("quarry"), 0);
    EXPECT_GT(values.at("bare"), 0);
}

TEST(BenchEcs, ReportHasTheAgreedShape) {
    const Json report = report_of("ecs", "empty");
    EXPECT_EQ(report.at("program"), "quarry bench ecs");
    std::map<std::string, double> values;
    for (const Json& result : report.at("results")) values[result.at("engine")] = result.at("value");
    EXPECT_GT(values.at("parallel"), 0);
    EXPECT_EQ(values.count("blocking"), 0U);  // it runs on one thread
    EXPECT_LT(values.at("parallel"), 10 * 60) << "ns a system: an aim for a quiet machine, here only to be in sight";
}

}  // namespace
}  // namespace quarry::tests
