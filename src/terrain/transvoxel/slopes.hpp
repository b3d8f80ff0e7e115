#pragma once

#include <cstddef>
#include <span>

#include "quarry/terrain/field.hpp"
#include "terrain/transvoxel/chunk_grid.hpp"
#include "terrain/transvoxel/memory.hpp"

namespace quarry::terrain::transvoxel {

// Gradients at vertices, per cell of their own level, from the samples around the lattice edges that they lie on: along
// the edge the difference of its two ends, across it that of the samples on either side, blended between the ends. So
// they belong to the edge and nothing else: chunks that share a vertex find the same bits. Samples beyond the chunk's
// sides are asked of the field.
//
// level_step is 1 for the chunk's own vertices and 2 for half-resolution ones, whose samples lie two cells apart.
void add_slopes(const ChunkGrid& grid, const SampleBlock& block, const Field& field, std::size_t level_step,
                std::span<const Vector3> vertices, impl::ExtractMemory& memory, Gradient* out);

}  // namespace quarry::terrain::transvoxel
