#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/lattice.hpp"
#include "terrain/edits/brick_kernel.hpp"
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
    FixedSteps steps() const noexcept {
        int exponent = 0;
        return {step_, steps_, std::frexp(step_, &exponent) == 0.5};
    }

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

// Finds coordinates along the axes of a lattice, between points that are a step apart.
class LatticeFinder {
  public:
    LatticeFinder(const Lattice& lattice, std::int32_t step) noexcept
        : lattice_(lattice), step_(step), limit_(kLatticeLimit / step), inverse_(1 / (lattice.voxel_size * step)) {}

    std::array<Between, 3> find(Position p) const noexcept {
        return {along(p.x, lattice_.origin.x), along(p.y, lattice_.origin.y), along(p.z, lattice_.origin.z)};
    }

  private:
    Between along(double coordinate, double origin) const noexcept {
        const double at = (coordinate - origin) * inverse_;
        // Beyond the lattice, and where it is no number, nothing is edited.
        if (!(std::abs(at) < limit_)) return {kLatticeLimit, 0};
        const auto towards_zero = static_cast<std::int32_t>(at);
        const std::int32_t low = towards_zero - (towards_zero > at ? 1 : 0);
        // Points of the lattice are found by their own coordinate, whatever the product above has rounded.
        const std::int32_t point = (at - low < 0.5 ? low : low + 1) * step_;
        if (point * lattice_.voxel_size + origin == coordinate) return {point, 0};
        return {low * step_, std::min(static_cast<float>(at - low), 0.99999994F)};
    }

    Lattice lattice_;
    std::int32_t step_;
    std::int32_t limit_;
    double inverse_;
};

// All lattice points whose values matter anywhere in the box, and one more on each side; clipped to the lattice.
LatticeBox points_around(const Box& box, const Lattice& lattice) noexcept;

}  // namespace quarry::terrain::edits
