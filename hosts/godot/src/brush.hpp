#pragma once

#include "quarry/terrain/edit.hpp"
#include "values.hpp"

namespace quarry::godot {

// An edit as scripts describe it: a Dictionary with `kind`, `position` and what that kind needs, in Godot's space.
// Throws quarry::Error for a key, a kind or a shape that there is not, and for a value of a wrong type; the message
// names it.
terrain::Edit edit_from(const Variant& dictionary, const Transform& transform);

}  // namespace quarry::godot
