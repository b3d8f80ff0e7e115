#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <quarry/terrain/description.hpp>
#include <quarry/terrain/export.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/lattice.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/simd.hpp>
#include <quarry/terrain/world.hpp>

#include "bake/arguments.hpp"

namespace quarry::app {

// One level of detail.
struct SphereChoice {
    double radius = 0;
    terrain::GridOptions grid{};
};

struct BoxChoice {
    terrain::Position size{};
    terrain::GridOptions grid{};
};

using WorldChoice = std::variant<SphereChoice, BoxChoice, terrain::OctreeOptions>;

struct OutputChoice {
    std::string path;
    terrain::ExportFormat format{};
};

// What `quarry bake` was asked for, checked; nothing has been written or allocated yet.
struct BakeOptions {
    std::string field_name;  // as typed
    terrain::Described described;
    terrain::NoiseOptions noise;  // of the field noise; its seed also of the showcase

    std::string world_name;  // as typed
    WorldChoice world;
    terrain::ExtractOptions extract;  // borrows the materials of described

    int threads = 0;  // 0: one for each usable core
    terrain::SimdTarget simd{};

    std::vector<OutputChoice> outputs;
    bool welded = false;
    bool collision = false;
    bool check = false;   // look for cracks
    std::string preview;  // empty: no picture
    std::string preview_lods;
    std::string json;

    bool is_octree() const { return std::holds_alternative<terrain::OctreeOptions>(world); }
};

// What --out names, by the end of the name. Throws WrongInput.
OutputChoice checked_output(const std::string& path);

// Throws WrongInput.
BakeOptions check_bake(const BakeArguments& arguments);

// The chunks of the world, in a fixed order; refuses more than `most`. Throws WrongInput.
std::vector<terrain::PlacedChunk> places_of(const BakeOptions& options, std::size_t most);

}  // namespace quarry::app
