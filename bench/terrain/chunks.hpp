#pragma once

#include <cstdint>
#include <vector>

#include <quarry/terrain/chunk_key.hpp>
#include <quarry/terrain/field.hpp>

#include "jobs/rows/context.hpp"

namespace quarry::bench {

// Half the width of the benchmark world, in units.
inline constexpr double kWorldRadius = 1'024;

// Surface chunks of the benchmark world at a LOD, spread evenly over it.
class SurfaceChunks {
  public:
    explicit SurfaceChunks(std::int32_t lod);

    // Chunks a second of extract as lodN, and how the time of a chunk splits up, in microseconds: sampling alone is
    // measured on the same chunks, the rest is meshing with normals (and the allocation of the mesh).
    void measure(RowContext& context) const;

  private:
    void add(const terrain::ChunkKey& key);
    void extract_all() const;
    void sample_all(std::vector<float>& samples) const;

    std::int32_t lod_;
    std::vector<terrain::ChunkKey> keys_;
};

// 64 chunks that the peers mesh too: chunks a second, and triangles a chunk.
void measure_chunks(RowContext& context);

}  // namespace quarry::bench
