#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"

namespace quarry::tests {
namespace {

using Json = nlohmann::json;

TEST(BenchTerrain, WrongInputIsRefused) {
    expect_refused(run_program({"bench", "terrain", "--filter", "nonsense"}), "noise, height, ridged");
    for (const char* number : {"0", "-1", "100000", "nan", "", "2x"}) {
        expect_refused(run_program({"bench", "terrain", std::string("--runs=") + number}), "--runs");
        expect_refused(run_program({"bench", "terrain", std::string("--workers=") + number}), "--workers");
    }
    expect_refused(run_program({"bench", "terrain", "--simd", "mmx"}), "scalar");
    expect_refused(run_program({"bench", "terrain", "--json", "/nowhere/at/all/report.json"}), "/nowhere/at/all");
    for (const char* option : {"--filter", "--simd", "--json"}) {
        expect_refused(run_program({"bench", "terrain", option, ""}), option);
    }
}

TEST(BenchTerrain, EngineOfAnUnknownTargetEndsAtOnce) {
    EXPECT_EQ(run_program({"engine", "terrain-mmx"}).status, 2);
}

TEST(BenchTerrain, ListNamesEveryRow) {
    const Outcome outcome = run_program({"bench", "terrain", "--list"});
    EXPECT_EQ(outcome.status, 0);
    std::set<std::string> listed;
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);) listed.insert(line.substr(0, line.find(' ')));
    EXPECT_EQ(listed, (std::set<std::string>{"box",       "caves",  "chunks",  "combined", "height",       "lod0",
                                             "lod1",      "lod2",   "lod3",    "lod4",     "lod5",         "noise",
                                             "overhangs", "plane",  "planet",  "reject",   "ridged",       "showcase",
                                             "slab",      "sphere", "spheres", "torus",    "reject_hilly", "translated",
                                             "warp",      "world"}));
}

// The bounds are loose: sanitizers make it slow, and nothing should make a sample free.
TEST(BenchTerrain, FieldIsMeasuredOnEveryTargetInTheAgreedShape) {
    const Outcome outcome = run_program({"bench", "terrain", "--filter", "sphere", "--runs", "2", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const Json report = Json::parse(outcome.output);
    EXPECT_EQ(report.at("schema"), 1);
    EXPECT_EQ(report.at("program"), "quarry bench terrain");
    EXPECT_TRUE(report.at("options").at("simd").is_string());
    std::map<std::string, std::set<std::string>> names;
    for (const Json& result : report.at("results")) {
        EXPECT_EQ(result.size(), 8u);
        EXPECT_EQ(result.at("unit"), "ns");
        EXPECT_EQ(result.at("better"), "lower");
        EXPECT_EQ(result.at("runs"), 2);
        EXPECT_EQ(result.at("workers"), 1);
        EXPECT_GT(result.at("value").get<double>(), 0.1);
        EXPECT_LT(result.at("value").get<double>(), 1e4);
        names[result.at("engine")].insert(result.at("name"));
    }
    ASSERT_TRUE(names.contains("quarry"));
    for (const auto& [engine, figures] : names) {
        EXPECT_EQ(figures, (std::set<std::string>{"sphere_row", "sphere_points", "sphere_gradient"})) << engine;
    }
    EXPECT_NE(outcome.errors.find("sphere_row"), std::string::npos) << "the table goes to the other stream";
}

TEST(BenchTerrain, RunWithPeersSaysSoAndGoesOnWithoutCargo) {
    const Outcome outcome =
        run_program_without_cargo({"bench", "terrain", "--filter", "plane", "--runs", "1", "--peers", "--json", "-"});
    expect_note_of_missing_cargo(outcome);
    EXPECT_FALSE(Json::parse(outcome.output).at("results").empty());
}

TEST(BenchTerrain, TimeOfAChunkSplitsUpWithoutARest) {
    const Outcome outcome =
        run_program({"bench", "terrain", "--filter", "lod5", "--runs", "1", "--simd", "scalar", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const Json report = Json::parse(outcome.output);
    EXPECT_EQ(report.at("options").at("simd"), "scalar");
    std::map<std::string, double> values;
    for (const Json& result : report.at("results")) {
        EXPECT_EQ(result.at("engine"), "quarry") << "no other target beside a forced one";
        EXPECT_EQ(result.at("better"), result.at("name") == "lod5" ? "higher" : "lower");
        values[result.at("name")] = result.at("value");
    }
    ASSERT_EQ(values.size(), 3u);
    const double microseconds = values.at("lod5_sampling") + values.at("lod5_meshing");
    EXPECT_NEAR(microseconds * values.at("lod5"), 1e6, 1e3);
}

TEST(BenchTerrain, ParallelRowIsMeasuredOnTheWorkersAskedFor) {
    const Outcome outcome =
        run_program({"bench", "terrain", "--filter", "chunks", "--runs", "1", "--workers", "3", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const Json report = Json::parse(outcome.output);
    ASSERT_EQ(report.at("results").size(), 2u);
    for (const Json& result : report.at("results")) {
        EXPECT_EQ(result.at("workers"), 3);
        EXPECT_GT(result.at("value").get<double>(), 0);
    }
}

}  // namespace
}  // namespace quarry::tests
