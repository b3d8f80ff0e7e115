#pragma once

#include "quarry/terrain/field.hpp"
#include "values.hpp"

// Between Godot's space and that of a node.
namespace quarry::godot {

terrain::Position to_local(const Transform& transform, const Vec3& global);
Vec3 to_global(const Transform& transform, const terrain::Position& local);
// Of a direction and its length.
terrain::Position vector_to_local(const Transform& transform, const Vec3& global);
// By how much lengths grow from the node's space to Godot's, where that is the same along all axes; never 0.
double scale_of(const Transform& transform);
// The smallest box along Godot's axes that holds one along the node's.
Aabb to_global(const Transform& transform, const terrain::Box& local);

}  // namespace quarry::godot
