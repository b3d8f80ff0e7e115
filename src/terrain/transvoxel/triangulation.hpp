#pragma once

#include <cstdint>
#include <vector>

#include "terrain/transvoxel/cell_shape.hpp"

namespace quarry::terrain::transvoxel {

// Crossed edges of a cell in order around a piece of the surface, counter-clockwise seen from where the density is
// positive; the last is followed by the first.
using Loop = std::vector<std::uint8_t>;

// Crossed edges, three a triangle, counter-clockwise seen from where the density is positive.
using Triangles = std::vector<std::uint8_t>;

// The loops of a case: bit i of inside says that corner i (a corner that copies no other) is inside.
std::vector<Loop> find_loops(const CellShape& shape, std::uint32_t inside);

// The best disc that the loop bounds, without a diagonal that lies in a face of the cell. Throws std::logic_error when
// there is none, which no case of the two shapes runs into.
Triangles fill_disc(const CellShape& shape, const Loop& loop);

// The ring between two loops that run in opposite directions in one plane, the outer of which has twice as many edges.
Triangles fill_ring(const CellShape& shape, const Loop& outer, const Loop& inner);

}  // namespace quarry::terrain::transvoxel
