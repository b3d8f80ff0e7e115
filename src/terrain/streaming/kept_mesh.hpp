#pragma once

#include <cstddef>

#include "quarry/terrain/chunk_mesh.hpp"

namespace quarry::terrain::streaming {

// What an extraction gave: any mask can be baked from it.
struct KeptMesh {
    ChunkMesh mesh;
    bool outdated = false;  // edits have changed the ground since
    bool was_used = false;  // something baked from it was shown
};

inline std::size_t bytes_of(const KeptMesh& kept) noexcept {
    const ChunkMesh& mesh = kept.mesh;
    const auto bytes = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    return sizeof(KeptMesh) + bytes(mesh.positions) + bytes(mesh.normals) + bytes(mesh.materials) + bytes(mesh.border) +
           mesh.indices.short_indices().size_bytes() + mesh.indices.long_indices().size_bytes();
}

}  // namespace quarry::terrain::streaming
