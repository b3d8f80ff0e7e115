#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/bake_folder.hpp"

namespace quarry::tests {
namespace {

using Json = nlohmann::json;

class BakeCommand : public BakeFolder {
  protected:
    static Json report_of(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--json", "-"});
        const Outcome outcome = bake(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return Json::parse(outcome.output);
    }
};

// R9, R18
TEST_F(BakeCommand, ReportsWhatBecameOfEveryChunk) {
    const Json report = report_of({"--field", "noise", "--world", "sphere:128", "--threads", "2"});
    EXPECT_EQ(report.at("schema"), 1);
    EXPECT_EQ(report.at("program"), "quarry bake");
    EXPECT_TRUE(report.at("machine").contains("cpu"));
    EXPECT_EQ(report.at("options").at("world"), "sphere:128");
    EXPECT_EQ(report.at("options").at("octaves"), 4);
    const Json& chunks = report.at("chunks");
    EXPECT_EQ(chunks.at("total"), 280);
    EXPECT_GT(chunks.at("surface"), 50);
    EXPECT_EQ(
        chunks.at("rejected").get<int>() + chunks.at("sampled_empty").get<int>() + chunks.at("surface").get<int>(),
        280);
    EXPECT_GT(report.at("vertices"), 10'000);
    EXPECT_GT(report.at("triangles"), report.at("vertices"));
    for (const char* stage : {"placing", "estimating", "rejecting", "meshing", "hashing", "writing", "drawing"}) {
        EXPECT_GE(report.at("seconds").at(stage), 0) << stage;
    }
    EXPECT_GT(report.at("chunks_per_second"), 0);
    ASSERT_EQ(report.at("workers").size(), 2u);
    const double shares =
        report.at("workers")[0].at("share").get<double>() + report.at("workers")[1].at("share").get<double>();
    EXPECT_NEAR(shares, 1, 1e-9);
    EXPECT_GT(report.at("peak_bytes"), 1'000'000);
    EXPECT_EQ(report.at("hash").get<std::string>().size(), 16u);
    EXPECT_EQ(files_there(), 0u);
}

// R18
TEST_F(BakeCommand, HasTheSameHashForAnyThreadsAndInstructions) {
    std::set<std::string> hashes;
    const std::vector<std::string> world{"--field", "noise", "--world", "octree:200", "--lod-distance", "40"};
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--threads", "1"}, {"--threads", "5"}, {"--simd", "scalar"}}) {
        std::vector<std::string> arguments = world;
        arguments.insert(arguments.end(), more.begin(), more.end());
        hashes.insert(report_of(arguments).at("hash"));
    }
    EXPECT_EQ(hashes.size(), 1u);
    hashes.insert(
        report_of({"--field", "noise", "--world", "octree:200", "--lod-distance", "40", "--seed", "7"}).at("hash"));
    EXPECT_EQ(hashes.size(), 2u);
}

TEST_F(BakeCommand, WritesAllItIsAskedForAndNothingElse) {
    const Outcome outcome =
        bake({"--field", "noise", "--world", "sphere:64", "--out", path("w.glb"), "--out", path("w.obj"), "--out",
              path("w.ply"), "--out", path("w.stl"), "--json", path("report.json")});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    EXPECT_EQ(files_there(), 5u);
    EXPECT_EQ(bytes(path("w.glb")).substr(0, 4), "glTF");
    EXPECT_EQ(bytes(path("w.ply")).substr(0, 4), "ply\n");
    const Json report = Json::parse(bytes(path("report.json")));
    ASSERT_EQ(report.at("files").size(), 4u);
    for (const Json& file : report.at("files")) {
        EXPECT_EQ(file.at("bytes"), std::filesystem::file_size(file.at("path").get<std::string>()));
    }
    for (const char* line : {"by bounds", "surface chunks/s", "w.stl"}) {
        EXPECT_NE(outcome.output.find(line), std::string::npos) << outcome.output;
    }
}

TEST_F(BakeCommand, WeldedAndCollisionFilesAreSmaller) {
    const auto size = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"--field", "noise", "--world", "sphere:64", "--out", path("w.ply")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_EQ(bake(arguments).status, 0);
        return std::filesystem::file_size(path("w.ply"));
    };
    const std::uintmax_t plain = size({});
    const std::uintmax_t collision = size({"--collision"});
    EXPECT_LT(size({"--welded"}), plain);
    EXPECT_LT(collision, plain);
    EXPECT_LT(size({"--welded", "--collision"}), collision);
}

// R17
TEST_F(BakeCommand, OctreeOfTheShowcaseHasNoCracks) {
    const Json report = report_of({"--world", "octree:300", "--lod-distance", "60", "--check"});
    EXPECT_EQ(report.at("closedness").at("cracks"), 0);
    EXPECT_GT(report.at("closedness").at("edges"), 10'000);
    int levels = 0;
    for (const Json& chunks : report.at("surface_by_lod")) levels += chunks > 0 ? 1 : 0;
    EXPECT_GE(levels, 3);
}

TEST_F(BakeCommand, DrawsPictures) {
    const Outcome outcome =
        bake({"--world", "octree:100", "--preview", path("world.png"), "--preview-lods", path("lods.png")});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* name : {"world.png", "lods.png"}) {
        const std::string png = bytes(path(name));
        ASSERT_GT(png.size(), 10'000u);
        EXPECT_EQ(png.substr(1, 3), "PNG");
        // Width and height, high byte first: 1920 x 1080.
        EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x07\x80\0\0\x04\x38", 8));
    }
    EXPECT_EQ(files_there(), 2u);
}

TEST_F(BakeCommand, FieldWithoutASurfaceFailsWithoutAFile) {
    const Outcome outcome =
        bake({"--field", "noise", "--offset", "5000", "--world", "sphere:100", "--out", path("w.glb")});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("no surface"), std::string::npos) << outcome.errors;
    EXPECT_EQ(files_there(), 0u);
    EXPECT_EQ(report_of({"--field", "noise", "--offset", "5000", "--world", "sphere:100"}).at("vertices"), 0);
}

TEST_F(BakeCommand, ReadsAField) {
    std::ofstream(path("hills.json")) << R"({"field": {"type": "noise", "amplitude": 20}})";
    const Json report = report_of({"--field", path("hills.json"), "--world", "sphere:64"});
    EXPECT_EQ(report.at("options").at("field"), path("hills.json"));
    EXPECT_GT(report.at("triangles"), 1000);
}

}  // namespace
}  // namespace quarry::tests
