#pragma once

#include <cstdint>
#include <memory>

#include "quarry/terrain/fwd.hpp"

namespace quarry::terrain {

// The seed of the pictures in the documentation.
inline constexpr std::uint64_t kShowcaseSeed = 42;

// A world worth looking at, made of the library's own fields: warped ridges as mountains, valleys between them, a fjord
// with a bay, caves and a tunnel. Its middle, where a viewer begins, is at 0, near the end of the fjord, which leads
// along -z. Mountains rise about 300 units. Other seeds give other mountains around another fjord: the place is chosen
// so that there is high ground on both sides, which takes some milliseconds.
std::shared_ptr<const Field> showcase_field(std::uint64_t seed = kShowcaseSeed);

// What it is made of: 0 grass, 1 rock where it is steep, 2 snow on the heights, 3 earth along the water.
std::shared_ptr<const Materials> showcase_materials(std::uint64_t seed = kShowcaseSeed);

// Height at which pictures show water. The meshes have none.
inline constexpr double kShowcaseWaterLevel = 3;

}  // namespace quarry::terrain
