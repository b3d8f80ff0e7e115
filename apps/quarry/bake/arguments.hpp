#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"

namespace quarry::app {

// Which files are written, and how.
struct OutputArguments {
    std::vector<std::string> out;
    bool welded = false;
    bool collision = false;
};

// What was typed behind `quarry bake`, each option checked on its own.
struct BakeArguments : OutputArguments {
    std::string field = "showcase";
    std::string world = "octree:2048";
    // Nothing: as the library has it.
    std::optional<std::uint64_t> seed;
    std::optional<int> octaves;
    std::optional<double> frequency, amplitude, offset, lacunarity, persistence;
    std::string viewer;
    std::optional<double> lod_distance;
    std::optional<int> max_lod, lod;
    int threads = 0;  // 0: one for each usable core
    std::string simd;
    int chunk_cells = 32;
    double voxel_size = 1;
    std::string preview;
    std::string preview_lods;
    std::string json;
    bool check = false;
};

// Which ground: --field and the options of the noise.
void declare_field(Options& options, BakeArguments& arguments);
void declare_outputs(Options& options, OutputArguments& arguments);
void declare_bake(Options& options, BakeArguments& arguments);

// Lengths of worlds, in units.
inline constexpr Range<double> kLengths{1e-3, 1e9};

}  // namespace quarry::app
