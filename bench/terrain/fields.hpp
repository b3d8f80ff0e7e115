#pragma once

#include <string_view>

#include "jobs/measure.hpp"

namespace quarry::bench {

// Nanoseconds a sample and a gradient of the field that the row is named after: NAME_row, a block of 33^3 samples a
// unit apart, where noise takes its row form; NAME_direct, 128 units apart, where every octave takes its direct form
// (of fields that hold noise); NAME_points, samples at scattered places; NAME_gradient, gradients there.
void measure_field(std::string_view name, Answer& answer);

}  // namespace quarry::bench
