#pragma once

#include <cstddef>
#include <cstdint>

#include "quarry/export.hpp"

namespace quarry::terrain {

// A place in world units. Lattice points times the voxel size are exact or rounded once, the same way everywhere.
struct Position {
    // World units; y is up.
    double x = 0;
    double y = 0;
    double z = 0;

    friend constexpr bool operator==(const Position&, const Position&) = default;
};

// No lattice coordinate lies further from 0 than this, so that differences of coordinates fit 32 bits too.
inline constexpr std::int32_t kLatticeLimit = std::int32_t{1} << 30;

// No sample block is coarser than this: LOD 7.
inline constexpr std::int32_t kLargestStep = 128;

// The address of a sample, in units of the finest voxel: the coarse sample at 2 * p is the fine sample at 2 * p.
struct LatticePoint {
    // Units of the finest voxel.
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    friend constexpr bool operator==(const LatticePoint&, const LatticePoint&) = default;
};

// Where lattice points lie in the world: coordinate * voxel_size + origin, in double, per axis. Two blocks that share
// samples have equal lattices; only then do the samples have equal bits. The origin is how a field is moved.
struct Lattice {
    // World units of the finest voxel, and where coordinate 0 lies.
    double voxel_size = 1;
    Position origin{};

    // World units of a lattice coordinate.
    constexpr double x(std::int32_t coordinate) const noexcept { return coordinate * voxel_size + origin.x; }
    constexpr double y(std::int32_t coordinate) const noexcept { return coordinate * voxel_size + origin.y; }
    constexpr double z(std::int32_t coordinate) const noexcept { return coordinate * voxel_size + origin.z; }
    constexpr Position at(LatticePoint point) const noexcept { return {x(point.x), y(point.y), z(point.z)}; }

    friend constexpr bool operator==(const Lattice&, const Lattice&) = default;
};

// nx * ny * nz samples, step lattice units apart on each axis, from first upwards; in memory x runs fastest, then y.
struct SampleBlock {
    // The sample with the lowest coordinates.
    LatticePoint first{};
    std::int32_t step = 1;  // a power of two, at most kLargestStep
    // How many samples along each axis, on which lattice.
    std::int32_t nx = 1;
    std::int32_t ny = 1;
    std::int32_t nz = 1;
    Lattice lattice{};

    // How many samples it has.
    constexpr std::size_t size() const noexcept {
        return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
    }
    // Where a sample lies in the output.
    constexpr std::size_t index(std::int32_t x, std::int32_t y, std::int32_t z) const noexcept {
        const auto row = static_cast<std::size_t>(z) * static_cast<std::size_t>(ny) + static_cast<std::size_t>(y);
        return row * static_cast<std::size_t>(nx) + static_cast<std::size_t>(x);
    }
    // Where it lies in the world.
    constexpr Position at(std::int32_t x, std::int32_t y, std::int32_t z) const noexcept {
        return lattice.at({first.x + x * step, first.y + y * step, first.z + z * step});
    }

    friend constexpr bool operator==(const SampleBlock&, const SampleBlock&) = default;
};

// Throws std::invalid_argument unless the block has at least one sample, a step that is a power of two in
// 1..kLargestStep, all its points within kLatticeLimit, and a finite lattice with a positive voxel size.
QUARRY_API void check(const SampleBlock& block);

// All points between two corners, in world units, borders included.
struct Box {
    // Corners, both included.
    Position low{};
    Position high{};

    friend constexpr bool operator==(const Box&, const Box&) = default;
};

// The smallest box that holds all samples of the block, hence every point between them.
constexpr Box box_of(const SampleBlock& block) noexcept {
    return {block.at(0, 0, 0), block.at(block.nx - 1, block.ny - 1, block.nz - 1)};
}

// All densities from low to high, both included.
struct Interval {
    // Ends, both included.
    float low = 0;
    float high = 0;

    // Whether some densities may be solid (negative) and others not. Without that there is no surface.
    constexpr bool may_have_surface() const noexcept { return low < 0 && !(high < 0); }

    friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

// How fast the density grows along each axis, per world unit.
struct Gradient {
    // Change of density per world unit.
    float x = 0;
    float y = 0;
    float z = 0;

    friend constexpr bool operator==(const Gradient&, const Gradient&) = default;
};

}  // namespace quarry::terrain
