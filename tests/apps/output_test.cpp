#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/apps/bake_folder.hpp"
#include "tests/terrain/png_maker.hpp"

// Where the program's outputs go, whatever their names stand for.

namespace quarry::tests {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::json;

const std::vector<std::vector<std::string>> kQuickCommands{
    {"stress", "--duration", "0.1"},
    {"sync", "--scenario", "BASELINE", "--hertz", "120"},
    {"sync", "--soak", "0.2"},
    {"bench", "frame", "--runs", "1", "--filter", "empty_frame"},
    {"bench", "jobs", "--quick", "--runs", "1", "--workers", "1", "--filter", "spawn"},
    {"bench", "terrain", "--runs", "1", "--workers", "1", "--simd", "scalar", "--filter", "plane"},
    {"bake", "--field", "noise", "--world", "sphere:40"}};

std::vector<std::string> with(std::vector<std::string> command, const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
    return command;
}

TEST(StandardOutput, ThatIsFullIsAFailureInEveryCommand) {
    for (const std::vector<std::string>& command : kQuickCommands) {
        SCOPED_TRACE(testing::PrintToString(command));
        const Outcome outcome = run_program(with(command, {"--json", "-"}), {.output = "/dev/full"});
        EXPECT_EQ(outcome.status, 1);
        EXPECT_NE(outcome.errors.find("cannot write to the standard output: No space left on device"),
                  std::string::npos)
            << outcome.errors;
    }
    for (const char* words : {"--help", "--version"})
        EXPECT_EQ(run_program({words}, {.output = "/dev/full"}).status, 1);
    EXPECT_EQ(run_program({"bench", "jobs", "--list"}, {.output = "/dev/full"}).status, 1);
}

class Outputs : public BakeFolder {};

TEST_F(Outputs, ReportsKeepModesAndFollowLinks) {
    for (const std::vector<std::string>& command : kQuickCommands) {
        SCOPED_TRACE(testing::PrintToString(command));
        std::ofstream(path("report")) << "before";
        ASSERT_EQ(chmod(path("report").c_str(), 0600), 0);
        fs::remove(path("link"));
        fs::create_symlink("report", path("link"));
        const int status = run_program(with(command, {"--json", path("link")})).status;
        EXPECT_TRUE(status == 0 || status == 3) << status;  // 3: a soak on a busy machine
        EXPECT_TRUE(fs::is_symlink(path("link")));
        EXPECT_EQ(fs::status(path("report")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
        EXPECT_EQ(Json::parse(bytes(path("report"))).at("schema"), 1);
        EXPECT_EQ(files_there(), 2u);
    }
}

TEST_F(Outputs, ReportsGoThroughPipes) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    for (const std::vector<std::string>& command : kQuickCommands) {
        SCOPED_TRACE(testing::PrintToString(command));
        std::string received;
        std::thread reader([&] { received = bytes(path("pipe")); });
        const int status = run_program(with(command, {"--json", path("pipe")})).status;
        reader.join();
        EXPECT_TRUE(status == 0 || status == 3) << status;
        EXPECT_TRUE(fs::is_fifo(path("pipe")));
        EXPECT_EQ(Json::parse(received).at("schema"), 1);
        EXPECT_EQ(files_there(), 1u);
    }
}

TEST_F(Outputs, TraceGoesThroughAPipe) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    std::string received;
    std::thread reader([&] { received = bytes(path("pipe")); });
    const Outcome outcome = run_program(
        {"bench", "jobs", "--quick", "--runs", "1", "--workers", "1", "--filter", "spawn", "--trace", path("pipe")});
    reader.join();
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(fs::is_fifo(path("pipe")));
    EXPECT_GT(Json::parse(received).at("traceEvents").size(), 100u);
}

TEST_F(Outputs, FullStandardOutputLeavesNoFileOfABake) {
    const Outcome outcome =
        run_program({"bake", "--field", "noise", "--world", "sphere:40", "--out", path("w.stl"), "--json", "-"},
                    {.output = "/dev/full"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(files_there(), 0u);
}

TEST_F(Outputs, FileThatMayNotBeReplacedLeavesTheOthersAsTheyWere) {
    if (geteuid() != 0 || access(program_path(), X_OK) != 0) GTEST_SKIP() << "only root can become somebody else";
    fs::create_directory(path("own"));
    fs::create_directory(path("sticky"));
    ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
    ASSERT_EQ(chmod(path("own").c_str(), 0777), 0);
    ASSERT_EQ(chmod(path("sticky").c_str(), 01777), 0);
    std::ofstream(path("own/a.stl")) << "the old one";
    std::ofstream(path("sticky/b.stl")) << "of somebody else";
    ASSERT_EQ(chmod(path("own/a.stl").c_str(), 0666), 0);
    ASSERT_EQ(chmod(path("sticky/b.stl").c_str(), 0666), 0);
    const Outcome outcome = run_program(
        {"bake", "--field", "noise", "--world", "sphere:40", "--out", path("own/a.stl"), "--out", path("sticky/b.stl")},
        {.as_nobody = true});
    if (outcome.status == 127) GTEST_SKIP() << "nobody may run the program where it is";
    expect_refused(outcome, "Operation not permitted");
    EXPECT_EQ(bytes(path("own/a.stl")), "the old one");
    EXPECT_EQ(bytes(path("sticky/b.stl")), "of somebody else");
}

TEST_F(Outputs, InputsAreNeverOutputs) {
    const std::vector<std::byte> png = terrain::test_support::grey_png(2, 2, {}, std::vector<std::uint16_t>(4, 100));
    std::ofstream(path("heights.png"), std::ios::binary)
        .write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
    std::ofstream(path("world.json")) << R"({"field": {"type": "heightmap", "file": "heights.png"}})";
    const std::string heights = bytes(path("heights.png"));
    const std::string world = bytes(path("world.json"));
    fs::create_hard_link(path("heights.png"), path("other.png"));
    fs::create_symlink("heights.png", path("link.png"));
    fs::create_symlink(".", path("here"));
    for (const char* output : {"heights.png", "./heights.png", "other.png", "link.png", "here/heights.png"}) {
        expect_refused(
            run_program({"bake", "--field", path("world.json"), "--world", "sphere:64", "--preview", path(output)}),
            "is the file that --field reads");
    }
    for (const char* output : {"world.json", "here/world.json"}) {
        expect_refused(
            run_program({"bake", "--field", path("world.json"), "--world", "sphere:64", "--json", path(output)}),
            "is the file that --field reads");
    }
    EXPECT_EQ(bytes(path("heights.png")), heights);
    EXPECT_EQ(bytes(path("world.json")), world);
}

TEST_F(Outputs, WaitForAHeightmapThatIsAPipeCanBeInterrupted) {
    ASSERT_EQ(mkfifo(path("heights.png").c_str(), 0600), 0);
    std::ofstream(path("world.json")) << R"({"field": {"type": "heightmap", "file": "heights.png"}})";
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = run_program({"bake", "--field", path("world.json"), "--out", path("w.stl")},
                                        {.signals = {SIGINT}, .ready = after(std::chrono::milliseconds(300))});
    EXPECT_NE(outcome.status, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    EXPECT_EQ(files_there(), 2u);
}

}  // namespace
}  // namespace quarry::tests
