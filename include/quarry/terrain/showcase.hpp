#pragma once

#include <cstdint>
#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/fwd.hpp"

namespace quarry::terrain {

// The seed of the pictures in the documentation.
inline constexpr std::uint64_t kShowcaseSeed = 42;

// A world worth looking at, made of the library's own fields: ridged mountains, warped so that they overhang, valleys
// between them, caves, and a dug tunnel. Its middle, where a viewer begins, is at 0. Mountains rise about 300 units.
// Other seeds give other mountains around the same valley.
QUARRY_API std::shared_ptr<const Field> showcase_field(std::uint64_t seed = kShowcaseSeed);

// What it is made of: 0 grass, 1 rock where it is steep, 2 snow on the heights, 3 earth along the water.
QUARRY_API std::shared_ptr<const Materials> showcase_materials(std::uint64_t seed = kShowcaseSeed);

// Height at which pictures show water. The meshes have none.
inline constexpr double kShowcaseWaterLevel = 3;

}  // namespace quarry::terrain
