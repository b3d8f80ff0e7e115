#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/lattice.hpp"
#include "terrain/edits/brick_tree.hpp"

namespace quarry::terrain::edits {

// Densities as they are stored: whole steps of 1/128 voxel.
class FixedPoint {
  public:
    explicit FixedPoint(double voxel_size) noexcept : step_(voxel_size / kSteps), steps_(kSteps / voxel_size) {}

    float density(std::int16_t stored) const noexcept { return static_cast<float>(stored * step_); }
    // The nearest step, those half-way between two to the even one; what is further than the range, its end.
    std::int16_t stored(float density) const noexcept {
        const double steps = std::clamp(static_cast<double>(density) * steps_, -32767.0, 32767.0);
        return static_cast<std::int16_t>(std::nearbyint(steps));
    }
    double step() const noexcept { return step_; }

  private:
    static constexpr double kSteps = 128;

    double step_;
    double steps_;
};

// Edits at one moment, over a field. Never changes.
struct Snapshot {
    std::shared_ptr<const Field> ground;
    Lattice lattice;
    FixedPoint fixed;
    BrickTree<DensityBrick> densities;
    BrickTree<PaintBrick> paint;
};

// Densities of the field with edits, at points of the edits' lattice.
void sample_edited(const Field& ground, const BrickTree<DensityBrick>& densities, FixedPoint fixed,
                   const SampleBlock& block, float* out);

// Where a coordinate lies between the points that are multiples of a step: share 0 is exactly the lower one.
struct Between {
    std::int32_t low = 0;  // lattice units
    float share = 0;       // towards low + step, below 1
};
Between between(double coordinate, double origin, double voxel_size, std::int32_t step) noexcept;

// All lattice points whose values matter anywhere in the box, and one more on each side; clipped to the lattice.
LatticeBox points_around(const Box& box, const Lattice& lattice) noexcept;

}  // namespace quarry::terrain::edits
