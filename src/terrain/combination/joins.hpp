#pragma once

#include <cstddef>

#include "terrain/combination/join.hpp"

namespace quarry::terrain::impl {

// so_far[i] = join(so_far[i], part[i]).
void join_all(const Join& join, float* so_far, const float* part, std::size_t count);

// The highest of sign * values[i], or of `most`, if that is higher.
float highest(float sign, const float* values, std::size_t count, float most);

}  // namespace quarry::terrain::impl
