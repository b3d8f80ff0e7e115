#pragma once

#include <bit>
#include <cstdint>

// What defines the noise, shared by the SIMD kernels, the bounds and the tests; README.md has the formulas.
namespace quarry::terrain::impl {

// Gradients are (+-long, +-long, +-short) in any order: 24 directions of length 1.149.
inline constexpr float kLongComponent = 0.766F;
inline constexpr float kShortComponent = 0.383F;

inline constexpr std::uint32_t kHashX = 0x9E3779B1U;
inline constexpr std::uint32_t kHashY = 0x85EBCA77U;
inline constexpr std::uint32_t kHashZ = 0xC2B2AE3DU;
inline constexpr std::uint32_t kMixFirst = 0x7FEB352DU;
inline constexpr std::uint32_t kMixSecond = 0x846CA68BU;

// The hash's low 16 bits say which component is the short one: x below the first, z from the second on, else y.
inline constexpr std::uint32_t kShortY = 21846;
inline constexpr std::uint32_t kShortZ = 43691;

// Cells are counted modulo 2^32. Up to this many from 0, a place within a cell still has 16 binary digits; worlds that
// go further are refused.
inline constexpr double kMostCellsFromZero = 68719476736.0;

// An integer in a double, modulo 2^32. Beyond 2^51 it is some number: no cell is told from the next there.
inline std::uint32_t cell_number(double cell) noexcept {
    // Added to this, a whole number stands in the low bits of the sum, as two's complement.
    constexpr double kWhole = 6755399441055744.0;
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(cell + kWhole));
}

constexpr std::uint32_t mix(std::uint32_t h) noexcept {
    h = (h ^ (h >> 16)) * kMixFirst;
    h = (h ^ (h >> 15)) * kMixSecond;
    return h ^ (h >> 16);
}

constexpr std::uint32_t octave_seed(std::uint64_t seed, int octave) noexcept {
    const auto low = static_cast<std::uint32_t>(seed);
    const auto high = static_cast<std::uint32_t>(seed >> 32);
    return mix(mix(mix(low) + high) + static_cast<std::uint32_t>(octave));
}

constexpr std::uint32_t hash(std::uint32_t seed, std::uint32_t x, std::uint32_t y, std::uint32_t z) noexcept {
    return mix(x * kHashX + y * kHashY + z * kHashZ + seed);
}

struct LatticeGradient {
    float x;
    float y;
    float z;
};

// Bits 31, 30 and 29 are the signs of x, y and z.
constexpr LatticeGradient lattice_gradient(std::uint32_t h) noexcept {
    const std::uint32_t low = h & 0xFFFFU;
    const float x = low < kShortY ? kShortComponent : kLongComponent;
    const float z = low >= kShortZ ? kShortComponent : kLongComponent;
    const float y = low >= kShortY && low < kShortZ ? kShortComponent : kLongComponent;
    return {(h >> 31) != 0 ? -x : x, ((h >> 30) & 1U) != 0 ? -y : y, ((h >> 29) & 1U) != 0 ? -z : z};
}

}  // namespace quarry::terrain::impl
