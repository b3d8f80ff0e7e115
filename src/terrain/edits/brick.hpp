#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::edits {

inline constexpr std::int32_t kBrickShift = 4;
inline constexpr std::int32_t kBrickSize = 1 << kBrickShift;  // lattice points along each axis

// A brick holds the lattice points from kBrickSize * key up.
struct BrickKey {
    std::int32_t z = 0;
    std::int32_t y = 0;
    std::int32_t x = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the default for a comparison with 0
    friend constexpr auto operator<=>(const BrickKey&, const BrickKey&) = default;
};

constexpr BrickKey key_of(LatticePoint point) noexcept {
    return {point.z >> kBrickShift, point.y >> kBrickShift, point.x >> kBrickShift};
}
constexpr LatticePoint first_of(const BrickKey& key) noexcept {
    return {key.x * kBrickSize, key.y * kBrickSize, key.z * kBrickSize};
}

// Lattice points from low to high, both included.
struct LatticeBox {
    LatticePoint low{};
    LatticePoint high{};

    constexpr bool empty() const noexcept { return low.x > high.x || low.y > high.y || low.z > high.z; }
    constexpr void include(LatticePoint p) noexcept {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    constexpr void include(const LatticeBox& box) noexcept {
        if (box.empty()) return;
        include(box.low);
        include(box.high);
    }
    static constexpr LatticeBox nothing() noexcept {
        return {{kLatticeLimit, kLatticeLimit, kLatticeLimit}, {-kLatticeLimit, -kLatticeLimit, -kLatticeLimit}};
    }
};

constexpr LatticeBox common(const LatticeBox& a, const LatticeBox& b) noexcept {
    return {{std::max(a.low.x, b.low.x), std::max(a.low.y, b.low.y), std::max(a.low.z, b.low.z)},
            {std::min(a.high.x, b.high.x), std::min(a.high.y, b.high.y), std::min(a.high.z, b.high.z)}};
}
constexpr LatticeBox box_of(const BrickKey& key) noexcept {
    const LatticePoint low = first_of(key);
    return {low, {low.x + kBrickSize - 1, low.y + kBrickSize - 1, low.z + kBrickSize - 1}};
}

// Stored densities, lowest to highest.
struct ValueRange {
    std::int16_t low = 32767;
    std::int16_t high = -32767;

    constexpr bool empty() const noexcept { return low > high; }
    constexpr bool holds(ValueRange other) const noexcept {
        return other.empty() || (low <= other.low && high >= other.high);
    }
    constexpr void include(ValueRange other) noexcept {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

// Densities in steps of 1/128 voxel. 32,767 steps, 255.99 voxels, are more than the diagonal of a cell of LOD 7: what
// lies further from the surface never decides where a coarse edge meets it.
struct DensityBrick {
    using Value = std::int16_t;
    static constexpr Value kUntouched = -32768;  // the point has the field's own density
    static constexpr std::int32_t kSpacing = 1;  // lattice points from sample to sample
    static constexpr std::size_t kValues = 16 * 16 * 16;

    std::uint64_t epoch = 0;
    ValueRange range;
    std::array<Value, kValues> values;

    DensityBrick() { values.fill(kUntouched); }

    // Ranges are kept as values change; false: nothing is left in it.
    bool look_through() noexcept;
};

// Paint on every second point along each axis: the share of each of four materials in bytes, together at most 255; the
// rest is what lies below.
struct PaintBrick {
    using Value = std::uint32_t;
    static constexpr Value kUntouched = 0;
    static constexpr std::int32_t kSpacing = 2;
    static constexpr std::size_t kValues = 8 * 8 * 8;

    std::uint64_t epoch = 0;
    ValueRange range;
    std::array<Value, kValues> values{};

    bool look_through() noexcept {
        return std::any_of(values.begin(), values.end(), [](Value value) { return value != kUntouched; });
    }
};

// Where a point's value lies in its brick. The point is one that has a value: for paint, all coordinates are even.
template <class Brick>
constexpr std::size_t index_of(LatticePoint point) noexcept {
    constexpr std::int32_t kMask = kBrickSize - 1;
    constexpr std::int32_t kAlong = kBrickSize / Brick::kSpacing;
    const std::int32_t x = (point.x & kMask) / Brick::kSpacing;
    const std::int32_t y = (point.y & kMask) / Brick::kSpacing;
    const std::int32_t z = (point.z & kMask) / Brick::kSpacing;
    return static_cast<std::size_t>((z * kAlong + y) * kAlong + x);
}

template <class Brick>
constexpr LatticePoint point_of(const BrickKey& key, std::size_t index) noexcept {
    constexpr std::int32_t kAlong = kBrickSize / Brick::kSpacing;
    const auto at = static_cast<std::int32_t>(index);
    const LatticePoint first = first_of(key);
    return {first.x + at % kAlong * Brick::kSpacing, first.y + at / kAlong % kAlong * Brick::kSpacing,
            first.z + at / (kAlong * kAlong) * Brick::kSpacing};
}

}  // namespace quarry::terrain::edits
