#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::impl {

// A place in lattice units, which need not be whole.
inline std::array<double, 3> on_lattice(const Position& at, const Lattice& lattice) {
    const double scale = 1 / lattice.voxel_size;
    return {(at.x - lattice.origin.x) * scale, (at.y - lattice.origin.y) * scale, (at.z - lattice.origin.z) * scale};
}

// From a place to the nearest point of a chunk that is `width` lattice units wide. Whoever cuts the octree by distance
// takes it from here: the bits decide which of two cuts it is.
inline double square_of_distance(const ChunkKey& key, double width, const std::array<double, 3>& from) {
    const auto along = [&](std::int32_t place, double at) {
        const double low = place * width;
        return std::max({low - at, at - (low + width), 0.0});
    };
    const double x = along(key.x, from[0]), y = along(key.y, from[1]), z = along(key.z, from[2]);
    return x * x + y * y + z * z;
}

}  // namespace quarry::terrain::impl
