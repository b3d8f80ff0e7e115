#pragma once

#include <cstddef>

namespace quarry::terrain::impl {

// out[i] = sqrt(squares[i] + y_square + z_square) - radius, added in this order in double, rounded once to float.
void distances_from_ball(const double* squares, std::size_t count, double y_square, double z_square, double radius,
                         float* out);

}  // namespace quarry::terrain::impl
