#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <quarry/terrain/world.hpp>

#include "harness/engine_process.hpp"
#include "harness/run.hpp"

namespace quarry::app {

// Meshes a list of chunks of the noise field with the Rust crates transvoxel and rayon, in a process of its own.
class StreamPeer {
  public:
    // Null: cargo, or what it needs, is not there; a line on standard error says so.
    static std::unique_ptr<StreamPeer> find();

    explicit StreamPeer(const bench::EngineCommand& peer);
    ~StreamPeer();
    StreamPeer(const StreamPeer&) = delete;
    StreamPeer& operator=(const StreamPeer&) = delete;

    struct Figures {
        double triangles = 0;
        double ms = 0;
        double meshing_ms = 0;  // with all samples at hand
    };
    // Chunks with a surface. Throws quarry::Error where the peer gives no figures.
    Figures mesh(std::span<const terrain::PlacedChunk> surface, int workers);

  private:
    std::filesystem::path list_path_;
    std::string list_;
    bench::EngineProcess process_;
};

// One line a chunk: level, x, y, z, and a bit for each side with finer neighbours. There the crate wants its transition
// cells; Quarry has them in the finer chunks.
std::string chunk_list(std::span<const terrain::PlacedChunk> surface);

}  // namespace quarry::app
