#pragma once

#include <memory>
#include <string>

#include <quarry/terrain/fwd.hpp>

#include "terrain/rows.hpp"

namespace quarry::bench {

// Nanoseconds a sample and a gradient of a field: NAME_row, a block of 33^3 samples a unit apart, where noise takes its
// row form; NAME_direct, 128 units apart, where every octave takes its direct form (of fields that hold noise);
// NAME_points, samples at scattered places; NAME_gradient, gradients there.
TerrainMeasure measure_field(const std::string& name, std::shared_ptr<const terrain::Field> field,
                             bool has_noise = false);

}  // namespace quarry::bench
