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

// As join_all, for a brick that begins at so_far; those of the part lie one row after the other.
void join_brick(const Join& join, float* so_far, const BrickShape& shape, const float* part);

// The lowest and the highest value of a brick that begins there.
Interval extremes(const float* values, const BrickShape& shape);

}  // namespace quarry::terrain::impl
