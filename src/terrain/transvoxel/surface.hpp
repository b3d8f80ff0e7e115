#pragma once

#include "terrain/transvoxel/chunk_grid.hpp"
#include "terrain/transvoxel/memory.hpp"

namespace quarry::terrain::transvoxel {

// memory.samples may be read this far beyond the last sample.
inline constexpr std::size_t kSamplePadding = 64;

// Fills memory.signs from memory.samples; says whether there are both inside and outside samples.
bool find_signs(const ChunkGrid& grid, impl::ExtractMemory& memory);

// Appends the full-resolution vertices to memory.positions and the regular cells' triangles to memory.indices.
void mesh_regular_cells(const ChunkGrid& grid, impl::ExtractMemory& memory);

// Appends the half-resolution vertices of all sides to memory.positions.
void add_half_vertices(const ChunkGrid& grid, impl::ExtractMemory& memory);

// Appends the triangles of one side's transition cells to memory.indices. Sides count in the order of their bits.
void mesh_transition_cells(const ChunkGrid& grid, std::size_t side, impl::ExtractMemory& memory);

}  // namespace quarry::terrain::transvoxel
