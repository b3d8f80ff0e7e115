#pragma once

#include <span>

#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::impl {

// Where vertices of a chunk with these samples lie in the world; as many as there are vertices.
void to_world(std::span<const Vector3> vertices, const SampleBlock& block, Position* out);

// Gradients at length 1; one that has no direction gives a normal that points up.
void to_normals(std::span<const Gradient> gradients, Vector3* out);

}  // namespace quarry::terrain::impl
