#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "quarry/terrain/impl/noise_sum.hpp"
#include "quarry/terrain/lattice.hpp"
#include "terrain/noise/kernels.hpp"
#include "terrain/noise/noise.hpp"
#include "terrain/rounding.hpp"

// The parts of the block kernels that need no vectors: a block is cut into tiles, so that what a tile needs of the
// noise's lattice fits on the stack. Everything here is static, since it is compiled for each SIMD target.
namespace quarry::terrain::impl {

inline constexpr std::size_t kMostLanes = 16;
inline constexpr std::size_t kTileSamples = 48;
inline constexpr std::size_t kTilePoints = kTileSamples + 2;
inline constexpr std::size_t kPointStride = 64;  // a row of lattice points, rounded up to whole vectors

struct Tile {
    std::size_t x;
    std::size_t y;
    std::size_t nx;
    std::size_t ny;
};

struct AxisPoint {
    std::uint32_t cell;
    float rest;
};

static inline AxisPoint axis_point(double p) {
    const double cell = std::floor(p);
    return {cell_number(cell), static_cast<float>(p - cell)};
}

// From one cell up to another; cells are counted modulo 2^32.
static inline std::uint32_t cells_between(std::int32_t low, std::int32_t high) {
    return static_cast<std::uint32_t>(high) - static_cast<std::uint32_t>(low);
}

// Lattice points under a tile.
struct PointRange {
    std::uint32_t first_x;
    std::uint32_t first_y;
    std::size_t columns;
    std::size_t rows;
    std::size_t stride;
};

static inline PointRange point_range(const std::int32_t* x, std::size_t nx, const std::int32_t* y, std::size_t ny,
                                     std::size_t lanes) {
    const std::size_t columns = std::size_t{cells_between(x[0], x[nx - 1])} + 2;
    const std::size_t rows = std::size_t{cells_between(y[0], y[ny - 1])} + 2;
    return {static_cast<std::uint32_t>(x[0]), static_cast<std::uint32_t>(y[0]), columns, rows,
            (columns + lanes - 1) / lanes * lanes};
}

// Whether each vector of samples lies within as many lattice columns as a vector has lanes.
static inline bool is_dense(const std::int32_t* x, std::size_t nx, std::size_t lanes) {
    for (std::size_t i = 0; i < nx; i += lanes) {
        const std::size_t last = std::min(i + lanes, nx) - 1;
        if (cells_between(x[i], x[last]) >= lanes) return false;
    }
    return true;
}

// Coordinates of the tile's samples; the places up to the next whole vector repeat the last one.
static inline void tile_coordinates(const SampleBlock& block, const Tile& tile, double* x, double* y) {
    for (std::size_t i = 0; i < tile.nx + kMostLanes; ++i) {
        const auto at = static_cast<std::int32_t>(tile.x + std::min(i, tile.nx - 1));
        x[i] = block.lattice.x(block.first.x + at * block.step);
    }
    for (std::size_t i = 0; i < tile.ny + kMostLanes; ++i) {
        const auto at = static_cast<std::int32_t>(tile.y + std::min(i, tile.ny - 1));
        y[i] = block.lattice.y(block.first.y + at * block.step);
    }
}

static inline double cells_per_sample(const Octave& octave, const SampleBlock& block) {
    return octave.frequency * block.lattice.voxel_size * block.step;
}

// Up to a cell a sample, a lattice point serves many samples; from two cells on it would serve one. Where coordinates
// are so far out that samples no longer lie at even distances, a tile could touch more points than it has room for.
static inline bool use_rows(const Octave& octave, const SampleBlock& block, NoiseForm form) {
    if (!(farthest(box_of(block)) * octave.frequency <= kMostCellsFromZero)) return false;
    if (form == NoiseForm::automatic) return cells_per_sample(octave, block) <= 1;
    return form == NoiseForm::rows;
}

// So many samples along x and y that no octave in row form has more than kTilePoints lattice points along either.
static inline std::size_t tile_width(const NoiseSum& sum, const SampleBlock& block, NoiseForm form) {
    double cells = 0;
    for (int i = 0; i < sum.count; ++i) {
        const Octave& octave = sum.octaves[static_cast<std::size_t>(i)];
        if (use_rows(octave, block, form)) cells = std::max(cells, cells_per_sample(octave, block));
    }
    const double most = static_cast<double>(kTilePoints - 3);
    if (cells * static_cast<double>(kTileSamples - 1) <= most) return kTileSamples;
    return std::max<std::size_t>(1, static_cast<std::size_t>(most / cells) + 1);
}

}  // namespace quarry::terrain::impl
