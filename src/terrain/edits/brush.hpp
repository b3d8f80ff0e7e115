#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "quarry/terrain/edit.hpp"
#include "quarry/terrain/field.hpp"
#include "terrain/edits/brick_kernel.hpp"

namespace quarry::terrain::edits {

// A field that may serve as a brush.
struct Stamp {
    std::shared_ptr<const Field> field;
    double radius = 1;
};

// So many voxels beyond a brush, added and dug ground has the brush's own distances: an edge of LOD 0 or 1 that crosses
// its surface then finds the right place from both ends.
inline constexpr double kMarginVoxels = 2;

// Throws std::invalid_argument that says what is out of range. `stamps`: those that are known.
void check(const Edit& edit, std::span<const Stamp> stamps, const Lattice& lattice);

// What an edit reaches, and by how much. The edit has been checked.
class Brush {
  public:
    Brush(const Edit& edit, std::span<const Stamp> stamps, const Lattice& lattice) noexcept;

    // All lattice points that the edit may change. Throws std::invalid_argument for more than kMostEditSamples.
    LatticeBox reach() const;

    // Distances to the brush's surface, negative inside, for a row of lattice points step apart along x. Those of a
    // stamp are its densities.
    void distances(LatticePoint first, std::int32_t step, std::span<float> out) const;

    // Where the points of a brick lie, seen from the middle.
    void place(LatticePoint corner, BrickPart& part) const noexcept;

    // The edit for the loops over bricks. Not for paint.
    DensityChange change(FixedSteps fixed) const noexcept;

    // How much of an edit arrives at a sample with that distance: 0 .. strength.
    float share(float distance) const noexcept;

    // Signed distances to flatten's plane.
    void heights(LatticePoint first, std::int32_t step, std::span<float> out) const noexcept;

    bool is_stamp() const noexcept { return stamp_ != nullptr; }

  private:
    Position half_size() const noexcept;
    BrushForm form() const noexcept;
    void stamp_distances(LatticePoint first, std::int32_t step, std::span<float> out) const;

    const Edit& edit_;
    const Stamp* stamp_;
    const Lattice& lattice_;
    double margin_;  // world units
};

}  // namespace quarry::terrain::edits
