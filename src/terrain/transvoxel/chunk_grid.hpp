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

    std::size_t at(std::size_t x, std::size_t y, std::size_t z) const noexcept { return x + y * step[1] + z * step[2]; }

    std::size_t cells;    // along each axis
    std::size_t samples;  // along each axis
    std::size_t step[3];
    std::size_t volume;
};

// The edge of a vertex in one word: its axis, whether it lies on one of the chunk's sides, and the place of its lower
// end among the samples.
struct EdgeWord {
    static constexpr std::uint32_t kAxisBit = 30;
    static constexpr std::uint32_t kOnSideBit = 29;
    static constexpr std::uint32_t kPlace = (1u << kOnSideBit) - 1;
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
inline constexpr float kCrossingUnits = 4096;
inline constexpr float kNearestToEnds = 0.02f;

inline float crossing(float first, float second) noexcept {
    const float exact = first / (first - second);
    const float above = exact > kNearestToEnds ? exact : kNearestToEnds;
    const float clamped = above < 1 - kNearestToEnds ? above : 1 - kNearestToEnds;
    // Adding a half rounds right what is positive and below 2^12, and is a fraction of a call of lround.
    const auto whole =
        static_cast<std::int32_t>(clamped * kCrossingUnits + 0.5f);  // NOLINT(bugprone-incorrect-roundings)
    return static_cast<float>(whole) / kCrossingUnits;
}

// The vertex on the edge that begins at (x, y, z) and runs along the axis.
inline Vector3 vertex_at(std::size_t x, std::size_t y, std::size_t z, std::size_t axis, float along) noexcept {
    Vector3 at{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
    (axis == 0 ? at.x : axis == 1 ? at.y : at.z) += along;
    return at;
}

}  // namespace quarry::terrain::transvoxel
