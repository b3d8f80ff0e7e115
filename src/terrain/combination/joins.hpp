#pragma once

#include <cstddef>

#include "terrain/combination/join.hpp"

namespace quarry::terrain::impl {

// so_far[i] = join(so_far[i], part[i]).
void join_all(const Join& join, float* so_far, const float* part, std::size_t count);

// A part of a block: nz planes of ny rows of nx values, and how far apart rows and planes begin.
struct BrickShape {
    std::size_t nx, ny, nz;
    std::size_t row;
    std::size_t plane;
};

// The highest of sign * value in a brick that begins there.
float highest(float sign, const float* values, const BrickShape& shape);

}  // namespace quarry::terrain::impl
