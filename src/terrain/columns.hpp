#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::impl {

// Points of which several lie above each other, as the samples beyond a chunk's side: heights(columns, out) is asked
// once for each x and z, at y = 0, and out[i] is what it gave for the column of points[i].
template <class Heights>
void for_columns(std::span<const Position> points, std::span<float> out, const Heights& heights) {
    constexpr std::size_t kAtOnce = 256;
    constexpr std::size_t kPlaces = 2 * kAtOnce;
    std::array<Position, kAtOnce> columns;
    std::array<float, kAtOnce> found;
    std::array<std::uint16_t, kAtOnce> column_of;
    std::array<std::uint16_t, kPlaces> table;  // the number of a column + 1, or 0
    for (std::size_t first = 0; first < points.size(); first += kAtOnce) {
        const std::size_t count = std::min(kAtOnce, points.size() - first);
        table.fill(0);
        std::size_t known = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const Position& p = points[first + i];
            // By their bits: 0 and -0 may be two columns, and what is no number equals itself.
            const auto x = std::bit_cast<std::uint64_t>(p.x), z = std::bit_cast<std::uint64_t>(p.z);
            std::size_t at = ((x * 0x9E3779B97F4A7C15U) ^ (z * 0xC2B2AE3D27D4EB4FU)) >> 55;
            const auto is_other = [&](std::size_t column) {
                return std::bit_cast<std::uint64_t>(columns[column].x) != x ||
                       std::bit_cast<std::uint64_t>(columns[column].z) != z;
            };
            while (table[at] != 0 && is_other(table[at] - 1U)) at = (at + 1) % kPlaces;
            if (table[at] == 0) {
                columns[known] = {p.x, 0, p.z};
                table[at] = static_cast<std::uint16_t>(++known);
            }
            column_of[i] = static_cast<std::uint16_t>(table[at] - 1);
        }
        heights(std::span<const Position>(columns).first(known), std::span(found).first(known));
        for (std::size_t i = 0; i < count; ++i) out[first + i] = found[column_of[i]];
    }
}

}  // namespace quarry::terrain::impl
