#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/extract.hpp"

namespace quarry::terrain::impl {

// Whether a chunk can have so many cells along each axis.
constexpr bool is_number_of_cells(std::int64_t cells) noexcept {
    return cells >= kFewestCells && cells <= kMostCells && cells % 2 == 0;
}

// These throw std::invalid_argument.
inline void require_cells(std::int32_t cells) {
    if (is_number_of_cells(cells)) return;
    throw std::invalid_argument("cells is " + std::to_string(cells) + "; an even number from " +
                                std::to_string(kFewestCells) + " to " + std::to_string(kMostCells) + " is allowed");
}
inline void require_mask(std::uint32_t mask) {
    if (mask <= side::all) return;
    throw std::invalid_argument("mask is " + std::to_string(mask) + "; 0 to " + std::to_string(side::all) +
                                " is allowed: six bits, one for each side");
}

}  // namespace quarry::terrain::impl
