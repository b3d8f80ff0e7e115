#pragma once

#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

// The field as it is in a box: the same bits at every place of it, without what does not matter there. This is how
// meshing looks at a field, chunk by chunk; it pays for anything else that asks for many places of one region. A field
// of your own comes back as it is, unless it overrides Field::within.
QUARRY_API std::shared_ptr<const Field> compile(const std::shared_ptr<const Field>& field, const Box& box);

}  // namespace quarry::terrain
