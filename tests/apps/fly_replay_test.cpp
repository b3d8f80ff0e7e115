#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "tests/apps/bake_folder.hpp"

namespace quarry::tests {
namespace {

namespace fs = std::filesystem;

class FlyReplay : public BakeFolder {
  protected:
    Outcome fly(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "fly");
        return run_program(arguments);
    }
    Outcome record(const std::string& file, std::vector<std::string> more = {}) {
        std::vector<std::string> all{"--field", "noise", "--seconds", "0.4", "--radius", "150", "--upload",
                                     "0",       "--dig", "--record",  file,  "--json",   "-",   "--lod-distance",
                                     "48"};
        all.insert(all.end(), more.begin(), more.end());
        return fly(all);
    }
};

TEST_F(FlyReplay, IsTheSameOnAnyNumberOfWorkers) {
    for (const auto& [recording, replaying] : {std::pair{"1", "4"}, std::pair{"4", "1"}}) {
        const Outcome first = record(path("log"), {"--workers", recording});
        ASSERT_EQ(first.status, 0) << first.errors;
        const auto recorded = nlohmann::json::parse(first.output);
        const Outcome second = fly({"--replay", path("log"), "--workers", replaying, "--check", "--json", "-"});
        EXPECT_EQ(second.status, 0) << second.errors;
        const auto replayed = nlohmann::json::parse(second.output);
        EXPECT_TRUE(replayed.at("replay").at("first_difference").is_null());
        EXPECT_EQ(replayed.at("replay").at("same_frames"), recorded.at("recorded").at("frames"));
        EXPECT_EQ(replayed.at("replay").at("hash"), recorded.at("recorded").at("hash"));
        EXPECT_EQ(replayed.at("edits").at("world_hash"), recorded.at("edits").at("world_hash"));
        EXPECT_EQ(replayed.at("edits").at("made"), recorded.at("edits").at("made"));
        EXPECT_EQ(replayed.at("states"), recorded.at("states"));
        EXPECT_EQ(replayed.at("holes"), 0);
    }
}

TEST_F(FlyReplay, NamesTheFirstFrameThatDiffers) {
    ASSERT_EQ(record(path("log")).status, 0);
    // The ground of the recording, but for a hole that the viewer comes to.
    std::ofstream(path("other.json")) << R"({"field": {"type": "subtraction", "a": {"type": "noise"},
        "b": {"type": "sphere", "radius": 6, "centre": [20, 0, 10]}}})";
    const Outcome other = fly({"--replay", path("log"), "--field", path("other.json"), "--json", "-"});
    EXPECT_EQ(other.status, 1) << other.errors;
    const auto report = nlohmann::json::parse(other.output);
    EXPECT_GE(report.at("replay").at("first_difference").at("frame"), 1);
    EXPECT_EQ(report.at("replay").at("first_difference").at("frame"),
              report.at("replay").at("same_frames").get<int>() + 1);
    // A byte in the middle of what was logged.
    std::string log = bytes(path("log"));
    log[log.size() / 2] = static_cast<char>(log[log.size() / 2] ^ 1);
    std::ofstream(path("log"), std::ios::binary) << log;
    const Outcome tampered = fly({"--replay", path("log")});
    EXPECT_NE(tampered.status, 0);
    EXPECT_NE((tampered.output + tampered.errors).find("frame"), std::string::npos);
}

TEST_F(FlyReplay, RefusesWhatItCannotFly) {
    expect_refused(fly({"--replay", path("none")}), "No such file");
    expect_refused(fly({"--replay", path("")}), "--replay");
    expect_refused(fly({"--replay", "/dev/zero"}), "no log of a flight");
    std::ofstream(path("foreign")) << "0 0 30 0\n1 20 30 0\n";
    expect_refused(fly({"--replay", path("foreign")}), "no log of a flight");
    ASSERT_EQ(record(path("log")).status, 0);
    const std::string log = bytes(path("log"));
    std::ofstream(path("cut"), std::ios::binary) << log.substr(0, log.size() / 2);
    expect_refused(fly({"--replay", path("cut")}), "cut off in frame");
    expect_refused(fly({"--replay", path("log"), "--dig"}), "--dig");
    expect_refused(fly({"--replay", path("log"), "--seconds", "3"}), "--seconds");
    expect_refused(fly({"--replay", path("log"), "--record", path("other")}), "--record");
    EXPECT_FALSE(fs::exists(path("other")));
}

TEST_F(FlyReplay, LogsGoWhereReportsGo) {
    expect_refused(record("/no/such/folder/log"), "--record");
    expect_refused(record(path("both"), {"--save", path("both")}), "--save");
    expect_refused(fly({"--seconds", "0.1", "--record", path("both"), "--json", path("both")}), "--json");
    EXPECT_EQ(files_there(), 0u);
    const Outcome full = record("/dev/full");
    EXPECT_EQ(full.status, 1);
    EXPECT_NE(full.errors.find("No space left"), std::string::npos) << full.errors;
    std::ofstream(path("log")) << "before";
    fs::create_symlink("log", path("link"));
    ASSERT_EQ(record(path("link")).status, 0);
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(fly({"--replay", path("link")}).status, 0);
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    std::string received;
    std::thread reader([&] { received = bytes(path("pipe")); });
    EXPECT_EQ(record(path("pipe")).status, 0);
    reader.join();
    EXPECT_EQ(received.rfind("quarry flight\n", 0), 0u);
}

// What an older file holds is not in the log.
TEST_F(FlyReplay, IsRecordedOverANewFileOnly) {
    ASSERT_EQ(record(path("log"), {"--save", path("world.db")}).status, 0);
    EXPECT_EQ(fly({"--replay", path("log")}).status, 0);
    expect_refused(record(path("log"), {"--save", path("world.db")}), "--record");
}

}  // namespace
}  // namespace quarry::tests
