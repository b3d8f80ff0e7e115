#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"

namespace quarry::tests {
namespace {

using EditJson = nlohmann::json;

TEST(BenchEdit, WrongInputIsRefused) {
    expect_refused(run_program({"bench", "edit", "--filter", "nonsense"}),
                   "dig, strokes, collision, saved, open, untouched");
    expect_refused(run_program({"bench", "edit", "--seconds", "0"}), "--seconds");
    expect_refused(run_program({"bench", "edit", "--field", "nowhere.json"}), "--field");
}

// The aims are for a quiet machine; here only what no other program can spoil.
TEST(BenchEdit, ReportHasTheAgreedShape) {
    const Outcome outcome = run_program({"bench", "edit", "--seconds", "0.3", "--runs", "1", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const EditJson report = EditJson::parse(outcome.output);
    EXPECT_EQ(report.at("program"), "quarry bench edit");
    std::map<std::string, double> values;
    for (const EditJson& result : report.at("results")) {
        EXPECT_EQ(result.size(), 8u);
        EXPECT_EQ(result.at("better"), "lower");
        values[result.at("name")] = result.at("value");
    }
    EXPECT_GT(values.at("digs"), 0);
    EXPECT_GT(values.at("dig_p50"), 0);
    EXPECT_GE(values.at("dig_chunks"), 4);
    EXPECT_GT(values.at("brick_bytes"), 2);
    EXPECT_LE(values.at("brick_bytes"), 3);
    EXPECT_EQ(values.at("saved_lost"), 0);
    EXPECT_GT(values.at("saved_bytes"), 100);
    // Takes too long.
    EXPECT_FALSE(values.contains("open_near"));
    EXPECT_GT(values.at("collision_digs"), 0);
    EXPECT_GT(values.at("collision_p50"), 0);
    EXPECT_GT(values.at("collision_rebuilt"), 0);
    EXPECT_GT(values.at("untouched_times"), 0.5);
    EXPECT_LT(values.at("untouched_times"), 2);
    for (const char* name : {"dig_p99", "dig_late", "strokes_over_budget", "strokes_frame_p99", "strokes_apply_p99",
                             "saved_over_budget", "saved_frame_p99", "saved_behind", "collision_p99", "collision_late",
                             "collision_frames", "collision_far_p99"}) {
        EXPECT_TRUE(values.contains(name)) << name;
    }
}

}  // namespace
}  // namespace quarry::tests
