#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/lattice.hpp"
#include "terrain/chunk_options.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain::impl {

inline constexpr double kLargestWorld = 1e9;  // in world units

inline void check_voxel_size(double voxel_size) {
    require_range("voxel_size", voxel_size, 1e-6, 1e6);
}

// Above 0, because a world of no size is a mistake.
inline void check_size(const char* option, double size) {
    if (size > 0 && size <= kLargestWorld) return;
    std::ostringstream message;
    message << option << " is " << size << "; above 0 to " << kLargestWorld << " is allowed";
    throw std::invalid_argument(message.str());
}

// So far may chunks of that width (in lattice units) be from lattice point 0.
inline void check_reach(double lattice_units) {
    if (lattice_units <= kLatticeLimit) return;
    std::ostringstream message;
    message << "the world reaches " << lattice_units << " voxels from the lattice's origin; at most " << kLatticeLimit
            << " is allowed";
    throw std::invalid_argument(message.str());
}

inline void check_count(const char* about, double chunks, std::size_t most) {
    if (chunks <= static_cast<double>(most)) return;
    std::ostringstream message;
    message.precision(chunks < 1e15 ? 15 : 3);
    message << "the world has " << about << std::floor(chunks) << " chunks; at most " << most << " are allowed";
    throw std::invalid_argument(message.str());
}

}  // namespace quarry::terrain::impl
