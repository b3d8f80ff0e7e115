#pragma once

#include <cstdint>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

// How cellular noise looks.
struct CellularOptions {
    std::uint64_t seed = 42;  // another seed, another world
    double frequency = 0.02;  // cells per world unit, along each axis; 1e-6 .. 1e3
    double amplitude = 16;    // in world units; 0 .. 1e6
    double offset = 0;        // height of the middle, in world units; -1e6 .. 1e6
};

// Throws std::invalid_argument that names the option and its range.
QUARRY_API void check(const CellularOptions& options);

// Cellular noise: every cell of a lattice has a point somewhere in it, and what counts is how far the nearest one is,
// in cells and at most 1. Round hilltops with sharp valleys between them: density = y - offset - amplitude * (1 - 2 *
// distance).
class QUARRY_API CellularField final : public Field {
  public:
    // Throws std::invalid_argument as check does.
    explicit CellularField(const CellularOptions& options = {});

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override;

  private:
    CellularOptions options_;
    std::uint32_t seed_;
};

}  // namespace quarry::terrain
