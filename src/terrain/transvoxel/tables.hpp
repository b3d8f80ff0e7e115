#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace quarry::terrain::transvoxel {

// The triangles of one case: crossed edges of the cell's shape, three a triangle, counter-clockwise seen from outside
// the solid.
template <std::size_t MostTriangles>
struct Case {
    std::uint8_t triangle_count = 0;
    std::array<std::uint8_t, 3 * MostTriangles> edges{};
};

using RegularCase = Case<5>;
using TransitionCase = Case<12>;

// The one case whose surface is a ring: the corners and the middle of the full-resolution face are inside.
inline constexpr std::size_t kRingCase = 0b101010101;

// Bit i of a case says that the cell's corner i is inside (density < 0).
struct Tables {
    std::array<RegularCase, 256> regular;
    std::array<TransitionCase, 512> transition;
};

// Computed when it is first asked for.
const Tables& tables();

}  // namespace quarry::terrain::transvoxel
