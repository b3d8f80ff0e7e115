#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::transvoxel {

// Addresses in a chunk's samples, x fastest. Steps are those to the next sample along x, y, z.
struct ChunkGrid {
    explicit ChunkGrid(std::size_t cell_count)
        : cells(cell_count), samples(cell_count + 1), step{1, samples, samples * samples}, volume(samples * step[2]) {}

    // Whether an edge along the axis, of a level whose cells are `level_step` of these wide, lies on a line where
    // chunks of two levels may meet: one of every fourth row of every fourth layer, counted from the lattice's origin,
    // so that all chunks agree. With a multiple of 8 cells a chunk has its own edges and those of the finer chunks
    // among them.
    bool is_on_line(std::size_t x, std::size_t y, std::size_t z, std::size_t axis,
                    std::size_t level_step) const noexcept {
        const std::size_t place[3] = {origin[0] / level_step + x, origin[1] / level_step + y,
                                      origin[2] / level_step + z};
        return (place[axis == 0 ? 1 : 0] % 4 | place[axis == 2 ? 1 : 2] % 4) == 0;
    }

    std::size_t at(std::size_t x, std::size_t y, std::size_t z) const noexcept { return x + y * step[1] + z * step[2]; }

    std::size_t cells;    // along each axis
    std::size_t samples;  // along each axis
    std::size_t step[3];
    std::size_t volume;
    std::size_t origin[3] = {0, 0, 0};  // the first sample's place in the lattice, in cells, modulo 8
};

// The lowest count bits.
constexpr std::uint64_t low_bits(std::size_t count) noexcept {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Calls visit(i) for every bit that is set, lowest first.
template <class Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

// How far along an edge its vertex lies, from the end with the lower address (density first) to the other. Stays off
// the ends, where it would make slivers, and is a multiple of 2^-12, so that positions are exact in the frame of every
// chunk. Densities that are infinite or no number end up somewhere on the edge too.
//
// On lines where chunks of two levels may meet, vertices of both levels lie next to each other. There they are
// multiples of 1/32: in one place, or far enough apart for no triangle between them to be a sliver.
inline constexpr float kFineUnits = 4096;
inline constexpr float kLineUnits = 32;

inline float crossing(float first, float second, float units) noexcept {
    constexpr float kNearest = 0.02f;
    const float exact = first / (first - second);
    const float above = exact > kNearest ? exact : kNearest;
    const float clamped = above < 1 - kNearest ? above : 1 - kNearest;
    // Adding a half rounds right what is positive and below 2^12, and is a fraction of a call of lround.
    const auto whole = static_cast<std::int32_t>(clamped * units + 0.5f);  // NOLINT(bugprone-incorrect-roundings)
    return static_cast<float>(whole) / units;
}

// The vertex on the edge that begins at (x, y, z) and runs along the axis.
inline Vector3 vertex_at(std::size_t x, std::size_t y, std::size_t z, std::size_t axis, float along) noexcept {
    Vector3 at{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
    (axis == 0 ? at.x : axis == 1 ? at.y : at.z) += along;
    return at;
}

}  // namespace quarry::terrain::transvoxel
