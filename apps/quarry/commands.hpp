#pragma once

#include <string>
#include <vector>

namespace quarry::app {

constexpr int kFailed = 1;      // it ran and failed
constexpr int kWrongInput = 2;  // it did not run

struct BenchJobsArguments {
    std::string filter;
    std::string workers;  // as typed: empty, or a number to be checked
    std::string runs;
    std::string json;
    std::string trace;
    bool peers = false;
    bool quick = false;
    bool list = false;
};

int bench_jobs(const BenchJobsArguments& arguments);

// All as typed, to be checked.
struct BenchFrameArguments {
    std::string filter;
    std::string runs;
    std::string json;
};

int bench_frame(const BenchFrameArguments& arguments);

// All as typed, to be checked.
struct BenchTerrainArguments {
    std::string filter;
    std::string workers;
    std::string runs;
    std::string simd;
    std::string json;
    bool peers = false;
    bool list = false;
};

int bench_terrain(const BenchTerrainArguments& arguments);

struct StressArguments {
    std::string duration = "5";
    std::string workers = "4";
    std::string queue = "10000";
    std::string job = "compute_heavy";
    std::string rules = "strict";
    std::string poll = "while";
    std::string backend = "threads";
    std::string require;
    std::string json;
};

int stress(const StressArguments& arguments);

struct SyncArguments {
    std::vector<std::string> scenarios;
    std::string hertz;  // empty: 30 for the scenarios, 60 for the soak
    std::string render = "4";
    std::string workers;  // empty: one per usable core
    std::string seed = "1";
    std::string soak;  // empty: no soak, but scenarios
    std::string require;
    std::string json;
};

int sync(const SyncArguments& arguments);

struct BakeArguments {
    std::string field = "showcase";
    std::string world = "octree:2048";
    // Empty: as the library has it.
    std::string seed, octaves, frequency, amplitude, offset, lacunarity, persistence;
    std::string viewer, lod_distance, max_lod, lod;
    std::string threads, simd;
    std::string chunk_cells = "32";
    std::string voxel_size = "1";
    std::vector<std::string> out;
    std::string preview;
    std::string preview_lods;
    std::string json;
    bool welded = false;
    bool collision = false;
    bool check = false;
};

int bake(const BakeArguments& arguments);

// What ./run shows: R3's world in memory, then the showcase in files below the folder.
int demo(const std::string& folder);

}  // namespace quarry::app
