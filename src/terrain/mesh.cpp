#include "quarry/terrain/mesh.hpp"

#include <algorithm>

#include "quarry/terrain/chunk_mesh.hpp"
#include "terrain/content_hasher.hpp"

namespace quarry::terrain {

MeshBounds bounds_of(std::span<const Vector3> positions) noexcept {
    if (positions.empty()) return {};
    MeshBounds bounds{positions.front(), positions.front()};
    for (const Vector3& at : positions) {
        bounds.low = {std::min(bounds.low.x, at.x), std::min(bounds.low.y, at.y), std::min(bounds.low.z, at.z)};
        bounds.high = {std::max(bounds.high.x, at.x), std::max(bounds.high.y, at.y), std::max(bounds.high.z, at.z)};
    }
    return bounds;
}

IndexList::IndexList(std::span<const std::uint32_t> indices, std::size_t vertices) {
    if (vertices > kMostShortVertices) {
        long_.assign(indices.begin(), indices.end());
        return;
    }
    short_.resize(indices.size());
    std::transform(indices.begin(), indices.end(), short_.begin(),
                   [](std::uint32_t index) { return static_cast<std::uint16_t>(index); });
}

std::uint64_t content_hash(const Mesh& mesh) noexcept {
    impl::ContentHasher hasher;
    hasher.add(mesh.key);
    hasher.add(mesh.positions);
    hasher.add(mesh.normals);
    hasher.add(mesh.materials);
    hasher.add(mesh.material_indices);
    hasher.add(mesh.indices);
    hasher.add(std::uint64_t{mesh.regular_indices});
    return hasher.value();
}

std::uint64_t content_hash(const ChunkMesh& mesh) noexcept {
    impl::ContentHasher hasher;
    hasher.add(mesh.key);
    hasher.add(static_cast<std::uint64_t>(mesh.content));
    hasher.add(static_cast<std::uint64_t>(mesh.cells));
    hasher.add(mesh.positions);
    hasher.add(mesh.normals);
    hasher.add(mesh.materials);
    hasher.add(mesh.material_indices);
    hasher.add(std::uint64_t{mesh.full_vertices});
    hasher.add(mesh.indices);
    hasher.add(mesh.regular);
    for (const IndexRange& range : mesh.transitions) hasher.add(range);
    for (const BorderVertex& vertex : mesh.border) hasher.add(std::uint64_t{vertex.vertex} << 32 | vertex.sides);
    return hasher.value();
}

}  // namespace quarry::terrain
