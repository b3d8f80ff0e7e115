#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"

namespace quarry::tests {
namespace {

Outcome fly(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "fly");
    return run_program(arguments);
}

// R9, R10, R71
TEST(FlyCommand, ReportsAFlightWithoutAHole) {
    const Outcome outcome = fly({"--field", "noise", "--seconds", "0.5", "--radius", "300", "--lod-distance", "64",
                                 "--speed", "60", "--viewers", "2", "--check", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto report = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(report.at("program"), "quarry fly");
    EXPECT_EQ(report.at("holes"), 0);
    EXPECT_EQ(report.at("frames"), 30);
    EXPECT_EQ(report.at("ended_at_rest"), true);
    EXPECT_TRUE(report.at("edits").is_null());
    for (const char* key : {"first_ring_ms", "complete_ms", "closed_ms", "frames_over_budget", "hand_overs",
                            "deepest_queue", "wasted_share", "inversions", "cache", "memory", "states"}) {
        EXPECT_TRUE(report.contains(key)) << key;
    }
    for (const char* state : {"planned", "queued", "meshing", "ready", "handed over", "retiring"}) {
        EXPECT_EQ(report.at("states").at(state), 0) << state;
    }
}

// R24, R25
TEST(FlyCommand, DigsInFlightAndReportsHowSoonThatShows) {
    const Outcome outcome = fly({"--field", "noise", "--seconds", "0.6", "--radius", "200", "--lod-distance", "64",
                                 "--dig", "--check", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto report = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(report.at("holes"), 0);
    EXPECT_EQ(report.at("options").at("dig"), true);
    const auto& edits = report.at("edits");
    EXPECT_GT(edits.at("shown"), 20);
    EXPECT_EQ(edits.at("shown"), edits.at("in_frame").get<int>() + edits.at("late").get<int>());
    EXPECT_GT(edits.at("ms").at("p50"), 0);
    EXPECT_GE(edits.at("ms").at("p99"), edits.at("ms").at("p50"));
    EXPECT_GE(edits.at("frames").at("p99"), edits.at("frames").at("p50"));
    EXPECT_GT(edits.at("brick_bytes"), 8'000);
}

// A table on one leg: a dig through its middle cuts the rest of the top off.
TEST(FlyCommand, CountsPartsThatADigCutsOff) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "quarry_fly_loose_test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "path.txt") << "0 0 45 0\n5 0.1 45 0\n";
    std::ofstream(folder / "table.json") << R"({"field": {"type": "union",
        "a": {"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
        "b": {"type": "union", "a": {"type": "box", "centre": [0, 30, 0], "half_size": [10, 1.5, 10]},
              "b": {"type": "box", "centre": [0, 15, 0], "half_size": [2, 15, 2]}}}})";
    const Outcome outcome =
        fly({"--field", (folder / "table.json").string(), "--path", (folder / "path.txt").string(), "--seconds", "0.2",
             "--radius", "150", "--lod-distance", "48", "--dig", "--check", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto report = nlohmann::json::parse(outcome.output);
    EXPECT_GE(report.at("edits").at("loose_parts"), 1);
    EXPECT_GT(report.at("edits").at("loose_samples"), 500);
    EXPECT_GE(report.at("edits").at("made"), report.at("edits").at("shown"));
    std::filesystem::remove_all(folder);
}

// R24, R25
TEST(FlyCommand, SavesWhatItDigsAndShowsItAgain) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "quarry_fly_save_test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "world.db").string();
    const auto flown = [&](std::vector<std::string> more) {
        std::vector<std::string> all{"--field", "noise",          "--seconds", "0.5",     "--radius", "200", "--save",
                                     file,      "--lod-distance", "64",        "--check", "--json",   "-"};
        all.insert(all.end(), more.begin(), more.end());
        const Outcome outcome = fly(all);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return nlohmann::json::parse(outcome.output);
    };
    const auto dug = flown({"--dig"});
    EXPECT_GT(dug.at("file").at("edits"), 15);
    EXPECT_EQ(dug.at("file").at("saved"), dug.at("file").at("edits"));
    EXPECT_EQ(dug.at("holes"), 0);
    const auto again = flown({});
    EXPECT_EQ(again.at("file"), dug.at("file"));
    EXPECT_EQ(again.at("holes"), 0);
    expect_refused(fly({"--field", "showcase", "--seconds", "0.1", "--save", file}), "world.db");
    expect_refused(fly({"--seconds", "0.1", "--save", folder.string()}), "quarry_fly_save_test");
    std::filesystem::remove_all(folder);
}

TEST(FlyCommand, DrawsAFlightAlongAFile) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "quarry_fly_test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "path.txt") << "0 0 30 0\n1 20 30 0\n";
    const Outcome outcome =
        fly({"--path", (folder / "path.txt").string(), "--seconds", "0.2", "--radius", "150", "--video",
             (folder / "frames").string(), "--video-hertz", "10", "--video-height", "72", "--check"});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(std::filesystem::exists(folder / "frames" / "frame_00001.png"));
    EXPECT_TRUE(std::filesystem::exists(folder / "frames" / "frame_00002.png"));
    std::filesystem::remove_all(folder);
}

TEST(FlyCommand, RefusesWrongInput) {
    expect_refused(fly({"--field", "nowhere.json"}), "--field");
    expect_refused(fly({"--path", "/no/such/file"}), "--path");
    expect_refused(fly({"--path", "/no/such/file", "--speed", "3"}), "--speed");
    expect_refused(fly({"--seconds", "0"}), "--seconds");
    expect_refused(fly({"--budget", "2s"}), "--budget");
    expect_refused(fly({"--budget", "-1ms"}), "--budget");
    expect_refused(fly({"--viewers", "65"}), "--viewers");
    expect_refused(fly({"--max-lod", "30"}), "--max-lod");
    expect_refused(fly({"--radius", "nan"}), "--radius");
    expect_refused(fly({"--radius", "1e8", "--seconds", "1"}), "radius");
    expect_refused(fly({"--video", "/dev/null/frames"}), "--video");
}

}  // namespace
}  // namespace quarry::tests
