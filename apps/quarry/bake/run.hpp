#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <quarry/jobs/fwd.hpp>
#include <quarry/terrain/closedness.hpp>
#include <quarry/terrain/world.hpp>

#include "bake/options.hpp"
#include "preview/image.hpp"
#include "tools/output_files.hpp"
#include "tools/progress.hpp"

namespace quarry::app {

struct BakeSeconds {
    double placing = 0;     // the list of chunks
    double estimating = 0;  // what memory and files it will take
    double rejecting = 0;   // by bounds
    double meshing = 0;
    double hashing = 0;
    double checking = 0;
    double writing = 0;
    double drawing = 0;

    double to_mesh() const { return rejecting + meshing; }
    double total() const { return placing + estimating + to_mesh() + hashing + checking + writing + drawing; }
};

struct BakeOutcome {
    terrain::WorldCounts counts;
    std::vector<std::uint64_t> surface_by_lod;
    std::uint64_t vertices = 0;
    std::uint64_t triangles = 0;
    std::uint64_t hash = 0;
    std::vector<std::uint64_t> surface_by_worker;
    BakeSeconds seconds;
    double estimated_bytes = 0;  // of the meshes in memory, before the start
    std::uint64_t peak_bytes = 0;
    int threads = 0;
    std::string simd;
    std::vector<WrittenFile> files;
    std::optional<terrain::Closedness> closedness;  // of --check
    std::optional<preview::Image> picture;          // of --preview

    std::size_t levels() const;
    // Of the chunks with a surface that one worker has meshed, 0 to 1.
    double share(std::size_t worker) const;
};

// What a bake works with.
struct BakeTools {
    Pool& pool;
    OutputFiles& files;
    Progress& progress;
    std::stop_token stop_token{};
    std::function<void()> before_drawing{};  // called when all that is measured has been done, and pictures follow
};

// Opens each output, before any work is done. Throws WrongInput, also for one that the field was read from.
void add_outputs(const BakeOptions& options, OutputFiles& files, const std::stop_token& stop_token);

// All but the report: the outputs are filled, and have not got their names yet. Throws WrongInput for a world that
// does not fit into memory or its files, Cancelled when stop was requested.
BakeOutcome run_bake(const BakeOptions& options, const BakeTools& tools);

// The hash of the world's meshes alone: no outputs, no progress.
std::uint64_t hash_of_world(const BakeOptions& options, const BakeTools& tools);

}  // namespace quarry::app
