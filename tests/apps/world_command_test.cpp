#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/world_file.hpp>
#include <unistd.h>

#include "tests/apps/program.hpp"

namespace quarry::tests {
namespace {

using terrain::EditKind;

class WorldCommand : public ::testing::Test {
  protected:
    void SetUp() override {
        std::filesystem::create_directory(folder);
        write(file, 7);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    static void write(const std::string& path, int edits, std::uint64_t ground = 5) {
        Pool pool(PoolOptions{.workers = 1});
        terrain::EditWorld world(std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{}));
        terrain::WorldFile saved(pool, world, path, {.ground = ground});
        for (int i = 0; i < edits; ++i) {
            world.apply({.kind = i % 2 == 0 ? EditKind::add : EditKind::paint, .at = {10.0 * i, 0, 0}, .radius = 6});
        }
        ASSERT_TRUE(saved.save());
    }

    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("quarry_world_command_" + std::to_string(getpid()));
    std::string file = (folder / "a.db").string();
    std::string other = (folder / "b.db").string();
};

TEST_F(WorldCommand, InfoSaysWhatAFileHolds) {
    const Outcome outcome = run_program({"world", "info", file, "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto report = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(report.at("program"), "quarry world info");
    EXPECT_EQ(report.at("edits"), 7);
    EXPECT_EQ(report.at("ground"), 5);
    EXPECT_EQ(report.at("format"), 1);
    EXPECT_GT(report.at("bricks"), 3);
    EXPECT_GT(report.at("paint_bricks"), 2);
    EXPECT_LE(report.at("edited").at("low").at(0), -6);
    EXPECT_GE(report.at("edited").at("high").at(0), 66);
    EXPECT_NE(outcome.errors.find("  edits     7\n"), std::string::npos);
    // Nothing is left beside the file.
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(WorldCommand, CheckFindsDamage) {
    EXPECT_EQ(run_program({"world", "check", file}).status, 0);
    std::string bytes;
    {
        std::ifstream in(file, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    // A brick's bytes begin as zstd's frames do.
    const std::size_t brick = bytes.rfind("\x28\xb5\x2f\xfd");
    ASSERT_NE(brick, std::string::npos);
    bytes[brick + 30] = static_cast<char>(bytes[brick + 30] ^ 0x55);
    std::ofstream(file, std::ios::binary) << bytes;
    const Outcome outcome = run_program({"world", "check", file, "--json", "-"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(nlohmann::json::parse(outcome.output).at("whole"), false);
    EXPECT_NE(outcome.errors.find("is damaged: a brick"), std::string::npos) << outcome.errors;
}

TEST_F(WorldCommand, DiffCountsSamplesAndSaysWhere) {
    write(other, 7);
    const Outcome same = run_program({"world", "diff", file, other});
    EXPECT_EQ(same.status, 0);
    EXPECT_EQ(same.output, "the same ground\n");
    std::filesystem::remove(other);
    write(other, 9);
    const Outcome more = run_program({"world", "diff", file, other, "--json", "-"});
    EXPECT_EQ(more.status, 1);
    const auto report = nlohmann::json::parse(more.output);
    EXPECT_EQ(report.at("same_ground"), false);
    EXPECT_GT(report.at("samples"), 50);
    EXPECT_GT(report.at("painted"), 10);
    EXPECT_GE(report.at("where").at("low").at(0), 60);
    std::filesystem::remove(other);
    write(other, 7, 6);
    EXPECT_EQ(run_program({"world", "diff", file, other}).output, "they are for different worlds\n");
}

TEST_F(WorldCommand, ExportWritesTheEditedGround) {
    const std::string out = (folder / "a.glb").string();
    expect_refused(run_program({"world", "export", file, "--field", "noise", "--out", out}), "--ground 5");
    expect_refused(run_program({"world", "export", file, "--field", "noise", "--ground", "5"}), "--out is needed");
    expect_refused(run_program({"world", "export", file, "--ground", "5", "--out", "a.txt"}), ".glb");
    EXPECT_FALSE(std::filesystem::exists(out));
    const Outcome outcome =
        run_program({"world", "export", file, "--field", "noise", "--ground", "5", "--out", out, "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto report = nlohmann::json::parse(outcome.output);
    EXPECT_GT(report.at("triangles"), 1000);
    EXPECT_GT(report.at("surface_chunks"), 4);
    EXPECT_EQ(report.at("files").at(0).at("bytes"), std::filesystem::file_size(out));
    std::ifstream in(out, std::ios::binary);
    std::string begin(4, ' ');
    in.read(begin.data(), 4);
    EXPECT_EQ(begin, "glTF");
}

TEST_F(WorldCommand, CompactMakesAFileSmaller) {
    {
        Pool pool(PoolOptions{.workers = 1});
        terrain::EditWorld world(std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{}));
        terrain::WorldFile saved(pool, world, other, {.ground = 5});
        for (int i = 0; i < 100; ++i) world.apply({.stroke = 1, .at = {10.0 * i, 0, 0}, .radius = 6});
        ASSERT_TRUE(saved.save());
        world.apply({.kind = EditKind::undo, .stroke = 1});
        ASSERT_TRUE(saved.save());
        expect_refused(run_program({"world", "compact", other}), "is being written by another program");
    }
    const auto before = std::filesystem::file_size(other);
    const Outcome outcome = run_program({"world", "compact", other});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_LT(std::filesystem::file_size(other), before / 2);
    EXPECT_EQ(run_program({"world", "check", other}).status, 0);
}

TEST_F(WorldCommand, WhatIsNoSuchFileIsWrongInput) {
    const std::string text = (folder / "text").string();
    std::ofstream(text) << "no world";
    for (const char* command : {"info", "check", "compact"}) {
        expect_refused(run_program({"world", command, text}), "not a file of edits");
        expect_refused(run_program({"world", command, folder.string()}), "is a folder");
        expect_refused(run_program({"world", command, "/dev/null"}), "is a device");
        expect_refused(run_program({"world", command, (folder / "none").string()}), "is not there");
        expect_refused(run_program({"world", command}), "FILE");
    }
    expect_refused(run_program({"world", "diff", file, text}), "not a file of edits");
    expect_refused(run_program({"world", "export", text, "--out", (folder / "a.glb").string()}), "not a file of edits");
    std::ifstream in(text);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "no world");
}

}  // namespace
}  // namespace quarry::tests
