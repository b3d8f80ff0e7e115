#pragma once

#include <cstddef>
#include <span>

#include "quarry/terrain/lattice.hpp"

// Distances of shapes, each operation as the shapes' own functions have it: the same bits on every target.
namespace quarry::terrain::impl {

// For a block of samples, x fastest: the squares of their distances from the middle along each axis.
struct BallSquares {
    std::span<const double> x;
    std::span<const double> y;
    std::span<const double> z;
};

// Rows begin `row` values apart, planes `plane`.
void distances_from_ball(const BallSquares& squares, double radius, float* out, std::size_t row, std::size_t plane);

struct CapsuleLine {
    Position first;
    Position along;
    double square;  // of its length
    double radius;
};

void distances_from_capsule(const CapsuleLine& line, std::span<const Position> points, float* out);

struct TorusRing {
    Position centre;
    double ring;
    double tube;
};

void distances_from_torus(const TorusRing& torus, std::span<const Position> points, float* out);

}  // namespace quarry::terrain::impl
