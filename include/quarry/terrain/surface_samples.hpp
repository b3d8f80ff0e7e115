#pragma once

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

// Fills a block like field.sample, but samples only the layers of cells, four cells high, in which the field's bounds
// leave room for a surface, by Field::sample_surface. Other samples get some density of their own sign, so every cell
// finds the same signs at its corners, and every cell that has a surface the same densities, as after field.sample.
// Returns how many rows of samples were computed: 0 where the block has no surface, block.ny * block.nz where nothing
// was left out.
QUARRY_API std::size_t sample_near_surface(const Field& field, const SampleBlock& block, float* out);

}  // namespace quarry::terrain
