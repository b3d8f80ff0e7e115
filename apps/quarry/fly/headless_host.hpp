#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <quarry/terrain/mesh.hpp>
#include <quarry/terrain/shown_check.hpp>
#include <quarry/terrain/stream_event.hpp>

#include "tools/cpu_work.hpp"

namespace quarry::app {

// Plays a host's part in streaming: keeps what it is handed over, and spends the time that a real one would. Notes what
// a real host would stumble over.
class HeadlessHost {
  public:
    HeadlessHost(const CpuWork& work, double upload_us, bool keeps_meshes);

    void operator()(terrain::StreamEvent& event);

    // Whether it draws exactly what the streamer says. The first difference; empty: none.
    std::string difference_to(const terrain::ShownWorld& world) const;
    std::vector<terrain::Mesh> visible_meshes() const;

    std::uint64_t uploads() const { return uploads_; }
    std::uint64_t shown() const { return shown_; }
    std::size_t bytes() const { return bytes_; }
    const std::string& first_mistake() const { return mistake_; }

  private:
    struct Chunk {
        std::uint32_t generation = 0;
        bool there = false;
        bool visible = false;
        std::uint32_t mask = 0;
        terrain::ChunkKey key{};
        std::size_t bytes = 0;
        terrain::Mesh mesh;
    };

    Chunk* find(terrain::ChunkId id);
    void mistake(const char* what);
    void upload(terrain::StreamEvent& event);

    CpuWork work_;
    std::chrono::nanoseconds upload_;
    bool keeps_meshes_;
    std::vector<Chunk> chunks_;  // by slot
    std::uint64_t uploads_ = 0;
    std::uint64_t shown_ = 0;
    std::size_t visible_ = 0;
    std::size_t bytes_ = 0;
    std::string mistake_;
};

}  // namespace quarry::app
