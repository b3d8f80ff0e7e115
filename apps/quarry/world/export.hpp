#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bake/arguments.hpp"
#include "tools/output_files.hpp"

namespace quarry::app {

struct WorldExportArguments : OutputArguments {
    std::string file;
    BakeArguments field;  // of which only the field counts
    std::optional<std::uint64_t> ground;
    std::string json;
};

struct WorldExportOutcome {
    std::uint64_t edits = 0;
    std::uint64_t chunks = 0;
    std::uint64_t surface_chunks = 0;
    std::uint64_t vertices = 0;
    std::uint64_t triangles = 0;
    std::vector<WrittenFile> files;
};

// Meshes all chunks in which something was edited, at full resolution, and writes them. Throws WrongInput.
WorldExportOutcome export_world(const WorldExportArguments& arguments, OutputFiles& files,
                                const std::stop_token& stop_token);

}  // namespace quarry::app
