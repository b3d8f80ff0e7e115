#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::impl {

// What an extraction works in. Vectors only ever grow, so that the next extraction finds them large enough.
struct ExtractMemory {
    std::vector<float> samples;
    std::vector<std::uint64_t> signs;  // a word for each row of samples along x: bit i says that sample i is inside

    // Which vertex lies on a lattice edge: one block for each axis, addressed by the edge's lower end. Only entries of
    // crossed edges are ever written or read, so nothing has to be cleared.
    std::vector<std::uint32_t> full_vertex_on;
    std::vector<std::uint32_t> half_vertex_on;

    std::vector<Vector3> positions;
    std::vector<std::uint32_t> indices;
    std::vector<BorderVertex> border;
    std::vector<Vector3> moved_positions;

    std::vector<Position> points;
    std::vector<Gradient> gradients;
};

}  // namespace quarry::terrain::impl
