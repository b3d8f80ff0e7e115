#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "quarry/terrain/edit.hpp"
#include "quarry/terrain/mesh.hpp"
#include "terrain/edits/brick.hpp"

// Loops over whole rows of bricks, with the same bits on every SIMD target.
namespace quarry::terrain::edits {

inline constexpr std::size_t kBrickRows = std::size_t{kBrickSize} * kBrickSize;

// Densities and their stored form; see FixedPoint.
struct FixedSteps {
    double step = 1;        // world units
    double steps = 1;       // a world unit
    bool is_exact = false;  // a power of two: floats hold every stored density
};

// A sphere, box or capsule.
struct BrushForm {
    BrushShape shape = BrushShape::sphere;
    float radius = 0;
    Vector3 extent{};
    float square = 0;  // of the length of a capsule's line
};

// How an edit changes a density.
struct DensityChange {
    enum class Towards : std::uint8_t {
        brush,     // add
        hollow,    // dig
        mean,      // smooth
        lower,     // raise: by `amount`
        a_target,  // flatten: those of BrickPart
    };

    Towards towards = Towards::brush;
    BrushForm form;
    float inside = 0;  // without falloff, all below that distance changes
    float strength = 1;
    float falloff = 0;
    float amount = 0;
    float least = 0;  // samples without a stored value change by that much or keep their bits
    FixedSteps fixed;
};

// Those samples of a brick that an edit may change.
struct BrickPart {
    // Within the brick, both ends included.
    LatticePoint first{};
    LatticePoint last{};

    // From the brush's middle, for each plane of points in the brick.
    alignas(64) std::array<float, kBrickSize> x{};
    std::array<float, kBrickSize> y{};
    std::array<float, kBrickSize> z{};

    // The density at column 0 of the row first.y, first.z. A whole row may be read. Of samples with a stored value, it
    // matters for the mean of their neighbours only.
    const float* ground = nullptr;
    std::ptrdiff_t row = 0;    // to the next row
    std::ptrdiff_t slice = 0;  // to the next z

    // Whole rows, by their number z * kBrickSize + y within the brick; null: not needed.
    const float* distances = nullptr;
    const float* targets = nullptr;

    const DensityBrick::Value* stored = nullptr;  // of the whole brick; null: none is
};

// Rows by their number.
struct ChangedRows {
    std::array<std::uint16_t, kBrickRows> columns;                        // a bit for each sample that changes
    alignas(64) std::array<DensityBrick::Value, 16 * kBrickRows> values;  // whole rows where any does
};

// Fills changed.columns for rows within the part; returns whether any bit is set.
bool change_densities(const DensityChange& change, const BrickPart& part, ChangedRows& changed);

// Distances to a brush's surface of points that differ in x. A whole row is read and written.
void row_distances(const BrushForm& form, const float* x, float y, float z, float* out);

// Densities where there are stored values: columns of some rows, row_step values and out_step densities apart.
struct StoredRows {
    const DensityBrick::Value* values = nullptr;
    std::ptrdiff_t row_step = 0;
    float* out = nullptr;
    std::ptrdiff_t out_step = 0;
    std::int32_t columns = 0;
    std::int32_t rows = 0;
};
void overlay_rows(FixedSteps fixed, const StoredRows& rows);

}  // namespace quarry::terrain::edits
