#pragma once

#include <cstddef>
#include <cstdint>

#include "quarry/terrain/field.hpp"
#include "terrain/transvoxel/chunk_grid.hpp"
#include "terrain/transvoxel/memory.hpp"

namespace quarry::terrain::transvoxel {

// Where two sides of a chunk meet and one of them is not active, transition cells have no width: a vertex there and the
// half-resolution one beside it stay where they are. If they are in two places, what is between them is a sliver, which
// faces either way. So on the lines along which chunks meet, vertices of all levels lie where the finest level has
// them: a crossed edge is cut in halves, and the half that is crossed again, down to level 0.
//
// Near a lattice point that would come too close to it at coarser levels. There a vertex lies where the next level has
// its own, if that is no further away than kFarthestSettled, else at least kLeastApart from it.
//
// The place follows from the vertex's lattice edge and level alone, so every chunk that has the vertex, as its own or
// as a half-resolution one, finds the same bits. It depends on samples of finer levels on the line, but on none beyond
// the chunk, so that an edit that changes one of them meets the chunk. This is done for chunks of kSettledCells cells
// and for no others.
inline constexpr std::size_t kSettledCells = 32;
inline constexpr float kFarthestSettled = 0.07f;
inline constexpr float kLeastApart = 0.0625f;

// Moves the chunk's own vertices on such lines along their edges: where two sides meet, and in the middle of sides,
// where finer chunks meet.
void settle_own_vertices(const ChunkGrid& grid, const SampleBlock& block, const Field& field,
                         impl::ExtractMemory& memory);

// The half-resolution vertices where two sides meet, once the chunk's own are settled.
void settle_half_vertices(const ChunkGrid& grid, const SampleBlock& block, impl::ExtractMemory& memory);

}  // namespace quarry::terrain::transvoxel
