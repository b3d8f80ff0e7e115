#include "harness/run.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

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

class Engines : public testing::Test {
  protected:
    Engines() : folder_(testing::TempDir() + "quarry_bench_run_" + std::to_string(getpid())) {
        std::filesystem::create_directory(folder_);
    }
    ~Engines() override { std::filesystem::remove_all(folder_); }

    // An engine whose every measurement is this line of shell, run in the folder.
    EngineCommand engine(const std::string& name, const std::string& measure) const {
        const std::string script = "cd '" + folder_ +
                                   "'; while read request row workers length; do if [ $request = run ]; then " +
                                   measure + "; echo value $row ns 1; fi; echo done; done";
        return {name, {"/bin/sh", "-c", script}, ""};
    }
    std::vector<std::string> lines_of(const std::string& file) const {
        std::vector<std::string> lines;
        std::ifstream stream(folder_ + "/" + file);
        for (std::string line; std::getline(stream, line);) lines.push_back(line);
        return lines;
    }

  private:
    std::string folder_;
};

// Noise hits all alike: no engine has all its runs in a row, and none always comes first.
TEST_F(Engines, TakeTurnsInAnOrderThatMovesOnWithEachRun) {
    RunOptions options{.rows = {{.name = "one", .what = ""}, {.name = "two", .what = "", .largest_only = true}},
                       .workers = {1, 2},
                       .engines = {},
                       .runs = 3};
    for (const char* name : {"a", "b", "c"}) {
        options.engines.push_back(engine(name, "echo $row $workers " + std::string(name) + " >> log"));
    }
    EXPECT_EQ(run(options).results.size(), 9u);
    std::vector<std::string> expected;
    for (const char* measurement : {"one 1 ", "one 2 ", "two 2 "}) {
        for (const char* turn : {"a", "b", "c", "b", "c", "a", "c", "a", "b"}) {
            expected.push_back(std::string(measurement) + turn);
        }
    }
    EXPECT_EQ(lines_of("log"), expected);
}

// Each ends only when it has seen the other begin.
TEST_F(Engines, RunAtTheSameTimeInARowThatWantsThemTogether) {
    const auto meet = [](const std::string& own, const std::string& other) {
        return "echo > " + own + "; tries=0; until [ -e " + other +
               " ] || [ $tries -gt 400 ]; do sleep 0.05; tries=$((tries + 1)); done; [ -e " + other +
               " ] && echo met >> log";
    };
    const RunReport report = run({.rows = {{.name = "idle", .what = "", .together = true}},
                                  .workers = {1},
                                  .engines = {engine("a", meet("a", "b")), engine("b", meet("b", "a"))},
                                  .runs = 1});
    EXPECT_EQ(report.results.size(), 2u);
    EXPECT_EQ(lines_of("log"), (std::vector<std::string>{"met", "met"}));
}

}  // namespace
}  // namespace quarry::bench
