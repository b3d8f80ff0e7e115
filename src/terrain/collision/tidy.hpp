#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quarry/terrain/mesh.hpp"

// How triangles that physics engines stumble over are taken out of a simplified mesh without opening it. Meshes of
// chunks have none: their vertices keep away from lattice points.
//
// Only two things are ever done: two vertices become one, and two triangles with a common edge become the two with the
// other diagonal. Neither changes which edges are walked once more one way than the other, so what was closed stays
// closed. Vertices that others have too are `fixed`: they stay where they are.
namespace quarry::terrain::collision {

// Triangles while they are worked on.
struct Surface {
    std::vector<Vector3> positions;
    std::vector<std::uint8_t> fixed;  // one for each position
    std::vector<std::uint32_t> indices;
};

// The smallest of a triangle's three heights; 0 where two corners are in one place.
double height_of(const Vector3& a, const Vector3& b, const Vector3& c) noexcept;

// Takes out triangles lower than kLeastPatchHeight. Returns how many it had to leave: those whose corners are all fixed
// and whose neighbour gives no better pair.
std::size_t remove_slivers(Surface& surface);

// Fixes the vertices of all edges that are not walked as often one way as the other, and no others.
void fix_border(Surface& surface);

}  // namespace quarry::terrain::collision
