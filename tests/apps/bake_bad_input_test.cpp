#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/apps/bake_folder.hpp"

// All of it: one line, status 2, nothing half-written.

namespace quarry::tests {
namespace {

class BakeBadInput : public BakeFolder {
  protected:
    // With an output, so that it can be seen that none is left.
    void expect_bake_refused(std::vector<std::string> arguments, const std::string& mentioned) {
        arguments.insert(arguments.end(), {"--out", path("world.glb")});
        SCOPED_TRACE(testing::PrintToString(arguments));
        const std::size_t before = files_there();
        expect_refused(bake(arguments), mentioned);
        EXPECT_EQ(files_there(), before);
    }
};

TEST_F(BakeBadInput, SizesThatAreZeroHugeOrNoNumberAreRefused) {
    for (const char* size : {"0", "-1", "nan", "inf", "-inf", "1e300", "wide", "1e999", "64units"}) {
        for (const char* world : {"sphere:", "octree:", "box:64,64,"}) {
            expect_bake_refused({"--world", std::string(world) + size}, "--world");
        }
        expect_bake_refused({std::string("--voxel-size=") + size}, "--voxel-size");
        expect_bake_refused({std::string("--lod-distance=") + size}, "--lod-distance");
    }
    for (const char* option : {"--world", "--voxel-size", "--lod-distance", "--chunk-cells", "--viewer", "--max-lod"}) {
        expect_bake_refused({option, ""}, option);
    }
    for (const char* world :
         {"sphere:", "box:64,,64", "cube:64", "sphere", ":", "box:64", "box:64,64", "box:64,64,64,64", "octree64"}) {
        expect_bake_refused({"--world", world}, "--world");
    }
    for (const char* cells : {"0", "2", "33", "64", "-32", "nan", "1e9", "99999999999"}) {
        expect_bake_refused({"--chunk-cells", cells}, "--chunk-cells");
    }
    for (const char* viewer : {"0", "0,0", "0,0,nan", "inf,0,0", "0,0,0,0", "a,b,c"}) {
        expect_bake_refused({"--viewer", viewer}, "--viewer");
    }
    for (const char* level : {"-1", "8", "1.5", "nan"}) {
        expect_bake_refused({std::string("--max-lod=") + level}, "--max-lod");
        expect_bake_refused({"--world", "sphere:64", std::string("--lod=") + level}, "--lod");
    }
}

TEST_F(BakeBadInput, NoiseOutOfRangeIsRefused) {
    const std::vector<std::pair<const char*, std::vector<const char*>>> wrong{
        {"--frequency", {"0", "-1", "nan", "inf", "1e9"}},
        {"--octaves", {"0", "40", "-1", "nan", "1.5"}},
        {"--amplitude", {"-1", "nan", "inf", "1e9"}},
        {"--offset", {"nan", "inf", "1e9"}},
        {"--lacunarity", {"0", "nan", "9"}},
        {"--persistence", {"0", "nan", "1.1"}},
        {"--seed", {"-1", "nan", "1e3", "18446744073709551616"}}};
    for (const auto& [option, values] : wrong) {
        for (const char* value : values) expect_bake_refused({"--field", "noise", option, value}, option);
    }
    // Each alone would do.
    expect_bake_refused({"--field", "noise", "--frequency", "900", "--octaves", "16"}, "--field noise");
}

TEST_F(BakeBadInput, WorkersAndInstructionSetsThatAreNotThereAreRefused) {
    for (const char* threads : {"0", "-1", "1025", "nan"}) expect_bake_refused({"--threads", threads}, "--threads");
    expect_bake_refused({"--simd", "altivec"}, "scalar");
}

TEST_F(BakeBadInput, WorldsThatMemoryOrFilesCanNotHoldAreRefusedBeforeTheStart) {
    expect_bake_refused({"--world", "sphere:1e6"}, "chunks; at most");
    expect_bake_refused({"--world", "box:1e8,1e8,1e8"}, "chunks; at most");
    expect_bake_refused({"--world", "octree:1e8", "--lod-distance", "1e8"}, "chunks; at most");
    expect_bake_refused({"--world", "octree:1", "--viewer", "1e9,0,0", "--voxel-size", "0.01"}, "voxels");
    expect_bake_refused({"--world", "sphere:1"}, "no chunk");
    // 131,072 chunks with a surface: about 5 GB.
    expect_bake_refused({"--field", "noise", "--world", "box:8192,64,8192"}, "a glb holds");
    // 2 million large ones: some 200 GB of meshes.
    expect_refused(bake({"--field", "noise", "--world", "box:62000,64,62000", "--chunk-cells", "62"}), "of memory");
}

TEST_F(BakeBadInput, OutputsThatCanNotBeWrittenAreRefused) {
    expect_refused(bake({"--out", path("missing/world.glb")}), "folder does not exist");
    expect_refused(bake({"--preview", path("missing/world.png")}), "folder does not exist");
    expect_refused(bake({"--json", path("missing/report.json")}), "folder does not exist");
    expect_refused(bake({"--out", "/sys/world.glb"}), "cannot be written");
    expect_refused(bake({"--out", path("world.xyz")}), ".glb, .obj, .ply or .stl");
    expect_refused(bake({"--out", path("world")}), ".glb, .obj, .ply or .stl");
    expect_refused(bake({"--out", ""}), "--out");
    expect_refused(bake({"--preview", path("world.jpg")}), ".png");
    expect_refused(bake({"--out", path("a.glb"), "--out", path("./a.glb")}), "names too");
    expect_refused(bake({"--preview", path("a.png"), "--preview-lods", path("a.png")}), "names too");
    std::filesystem::create_directory(folder_ / "folder.glb");
    expect_refused(bake({"--out", path("folder.glb")}), "is a folder");
    EXPECT_EQ(files_there(), 1u);
}

TEST_F(BakeBadInput, FullDiskIsSaidAndLeavesNothing) {
    std::ofstream(path("world.glb")) << "the old one";
    const Outcome outcome = bake({"--field", "noise", "--world", "sphere:128", "--out", path("world.glb"), "--out",
                                  path("world.stl"), "--json", path("report.json")},
                                 {.most_file_bytes = 200'000});
    expect_refused(outcome, "File too large");
    EXPECT_EQ(bytes(path("world.glb")), "the old one");
    EXPECT_EQ(files_there(), 1u);
}

TEST_F(BakeBadInput, DamagedDescriptionsAreRefused) {
    expect_bake_refused({"--field", path("missing.json")}, "missing.json");
    std::ofstream(path("damaged.json")) << R"({"field": {"type": "noise", "frequency": )";
    expect_bake_refused({"--field", path("damaged.json")}, "damaged.json");
    std::ofstream(path("noise.json")) << "[]";
    expect_bake_refused({"--field", path("noise.json")}, "noise.json");
    expect_bake_refused({"--field", folder_.string()}, "--field");
    expect_bake_refused({"--field", "/dev/null"}, "--field");
}

TEST_F(BakeBadInput, DemoNeedsAFolder) {
    std::ofstream(path("file")) << "text";
    expect_refused(run_program({"demo", path("file/below")}), "file/below");
    expect_refused(run_program({"demo", path("file")}), "Not a directory");
    expect_refused(run_program({"demo", ""}), "folder");
    EXPECT_EQ(files_there(), 1u);
}

class BakeInterrupted : public BakeFolder {
  protected:
    // Of the process, in the folder: open, and gone with the process.
    int files_without_a_name(pid_t process) const {
        int count = 0;
        std::error_code ignored;
        const std::filesystem::path descriptors = "/proc/" + std::to_string(process) + "/fd";
        for (const auto& each : std::filesystem::directory_iterator(descriptors, ignored)) {
            const std::string name = std::filesystem::read_symlink(each.path(), ignored).string();
            if (name.starts_with(folder_.string() + "/")) ++count;
        }
        return count;
    }

    // A minute of work, interrupted so long after its files are open.
    Outcome interrupted(const std::vector<int>& signals, std::chrono::milliseconds delay) {
        std::optional<std::chrono::steady_clock::time_point> started;
        const auto ready = [&](pid_t process) {
            if (files_without_a_name(process) != 2) return false;
            const auto now = std::chrono::steady_clock::now();
            if (!started) started = now;
            return now - *started >= delay;
        };
        return bake({"--field", "noise", "--world", "box:4096,128,4096", "--simd", "scalar", "--octaves", "16",
                     "--threads", "1", "--out", path("world.ply"), "--json", path("report.json")},
                    {.signals = signals, .ready = ready});
    }
};

TEST_F(BakeInterrupted, StopsCleanlyAndLeavesNoFile) {
    using namespace std::chrono_literals;
    // At the start, and in the middle of the meshing.
    for (const auto& [signal, delay] :
         {std::pair(SIGINT, 0ms), {SIGTERM, 0ms}, {SIGHUP, 0ms}, {SIGQUIT, 0ms}, {SIGINT, 500ms}}) {
        const Outcome outcome = interrupted({signal}, delay);
        EXPECT_EQ(outcome.status, 128 + signal);
        EXPECT_EQ(outcome.errors, "quarry: stopped; no file was written\n");
        EXPECT_EQ(files_there(), 0u);
    }
}

TEST_F(BakeInterrupted, TwiceStopsToo) {
    const Outcome outcome = interrupted({SIGINT, SIGTERM}, std::chrono::milliseconds(200));
    EXPECT_TRUE(outcome.status == 128 + SIGINT || outcome.status == 128 + SIGTERM) << outcome.status;
    EXPECT_EQ(files_there(), 0u);
}

}  // namespace
}  // namespace quarry::tests
