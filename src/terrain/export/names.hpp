#pragma once

#include <string>

#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/lattice.hpp"
#include "terrain/export/content.hpp"

namespace quarry::terrain::impl {

inline constexpr const char* kWeldedName = "world";

inline std::string chunk_name(const ChunkKey& key) {
    return "chunk_" + std::to_string(key.lod) + "_" + std::to_string(key.x) + "_" + std::to_string(key.y) + "_" +
           std::to_string(key.z);
}

inline std::string part_name(const Part& part) {
    return part.mesh != nullptr ? chunk_name(part.mesh->key) : kWeldedName;
}

inline Position world_corner(const ChunkKey& key, std::int32_t cells, const Lattice& lattice) noexcept {
    const auto coordinate = [&](std::int32_t place) {
        return static_cast<std::int32_t>(place * (static_cast<std::int64_t>(cells) << key.lod));
    };
    return lattice.at({coordinate(key.x), coordinate(key.y), coordinate(key.z)});
}

inline double world_scale(const ChunkKey& key, const Lattice& lattice) noexcept {
    return lattice.voxel_size * static_cast<double>(1 << key.lod);
}

}  // namespace quarry::terrain::impl
