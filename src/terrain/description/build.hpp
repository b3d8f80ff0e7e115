#pragma once

#include <memory>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/material_look.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "terrain/description/node.hpp"

namespace quarry::terrain::impl {

inline constexpr double kFarthestPlace = 1e9;

std::shared_ptr<const Field> build_field(const Node& node);
// Also fills what the materials look like.
std::shared_ptr<const Materials> build_materials(const Node& node, std::vector<MaterialLook>& looks);

// Which options of noise an object has: where one is not used, it is not a key.
enum class NoiseKeys { all, without_offset, shape_only };

NoiseOptions read_noise(Object& object, NoiseKeys keys);

}  // namespace quarry::terrain::impl
