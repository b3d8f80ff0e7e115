#pragma once

#include <cstdint>
#include <vector>

#include <quarry/terrain/chunk_key.hpp>
#include <quarry/terrain/field.hpp>

#include "jobs/measure.hpp"

namespace quarry::bench {

// Half the width of R3's world, in units.
inline constexpr double kWorldRadius = 1'024;

// Chunks of 32 cells whose centre lies within R3's world.
std::vector<terrain::ChunkKey> chunks_of_world(std::int32_t lod);

// Surface chunks of R3's world at a LOD, spread evenly over it, and where their normals are taken.
class SurfaceChunks {
  public:
    explicit SurfaceChunks(std::int32_t lod);

    // Chunks a second of extract as lodN, and how the time of a chunk splits up, in microseconds: sampling alone and
    // gradients alone are measured on the same chunks and places, the rest is meshing.
    void measure(Answer& answer) const;

  private:
    struct Normals {
        std::vector<terrain::Position> own;
        std::vector<terrain::Position> half;  // of half-resolution vertices
    };

    void add(const terrain::ChunkKey& key);
    double extract_seconds() const;
    double sampling_seconds() const;
    double normals_seconds() const;

    std::int32_t lod_;
    std::vector<terrain::ChunkKey> keys_;
    std::vector<Normals> normals_;
};

// 64 chunks that the peers mesh too, on so many workers: chunks a second, and triangles a chunk.
void measure_chunks(int workers, Answer& answer);

}  // namespace quarry::bench
