#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "quarry/terrain/collision_patch.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain::collision {

// What chunks are made with; workers hold on to it. A later one has a higher number.
struct Source {
    std::uint64_t number = 0;
    std::shared_ptr<const Field> field;
    ExtractOptions extract;
    double simplify = 0;                                                  // voxels
    std::function<std::shared_ptr<void>(const CollisionPatch&)> prepare;  // may be empty
};

// All patches of a chunk, by their part.
struct PatchSet {
    std::vector<std::shared_ptr<const CollisionPatch>> patches;
};

// Meshes a chunk and cuts its surface into patches. Those that equal one of `before` (which may be null) are taken from
// there. A patch depends on nothing but the triangles in its part of the chunk, so an edit elsewhere leaves it as it
// is.
PatchSet make_patches(const Source& source, const ChunkKey& key, const PatchSet* before);

// Of memory, without what was prepared.
std::size_t bytes_of(const CollisionPatch& patch) noexcept;

}  // namespace quarry::terrain::collision
