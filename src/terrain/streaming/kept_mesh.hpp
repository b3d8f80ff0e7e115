#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::streaming {

// What an extraction gave: any mask can be baked from it, unless it was made in a hurry.
struct KeptMesh {
    ChunkMesh mesh;
    bool has_seams = true;   // false: only mask 0 can be baked
    bool outdated = false;   // edits have changed the ground since
    bool was_used = false;   // something baked from it was shown
    std::uint32_t held = 0;  // by how many versions; for the host's thread, as the two above

    bool can_bake(std::uint32_t mask) const noexcept {
        return has_seams || mask == 0 || mesh.content != ChunkContent::surface;
    }
};

// What a version of a chunk is baked from. Counts who holds it beside workers and the cache: what becomes of a mesh
// must not depend on when a worker lets go of it.
class HeldMesh {
  public:
    HeldMesh() = default;
    HeldMesh(HeldMesh&& other) noexcept : mesh_(std::exchange(other.mesh_, nullptr)) {}
    HeldMesh& operator=(HeldMesh&& other) noexcept {
        if (this != &other) hold(std::exchange(other.mesh_, nullptr), 0);
        return *this;
    }
    HeldMesh& operator=(std::shared_ptr<KeptMesh> mesh) noexcept {
        hold(std::move(mesh), 1);
        return *this;
    }
    ~HeldMesh() { hold(nullptr, 0); }

    const std::shared_ptr<KeptMesh>& get() const noexcept { return mesh_; }
    KeptMesh* operator->() const noexcept { return mesh_.get(); }
    explicit operator bool() const noexcept { return mesh_ != nullptr; }
    bool is_held_by_nobody_else() const noexcept { return mesh_ != nullptr && mesh_->held == 1; }
    void reset() noexcept { hold(nullptr, 0); }

  private:
    void hold(std::shared_ptr<KeptMesh> mesh, std::uint32_t more) noexcept {
        if (mesh != nullptr) mesh->held += more;
        if (mesh_ != nullptr) --mesh_->held;
        mesh_ = std::move(mesh);
    }

    std::shared_ptr<KeptMesh> mesh_;
};

// What is handed over to the host. Stays where the worker has made it: until then nobody else touches its memory, which
// is in that worker's cache.
struct BakedMesh {
    Mesh mesh;
    std::shared_ptr<void> prepared;  // what the host's function made of it
};

inline std::size_t bytes_of(const KeptMesh& kept) noexcept {
    const ChunkMesh& mesh = kept.mesh;
    const auto bytes = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    return sizeof(KeptMesh) + bytes(mesh.positions) + bytes(mesh.normals) + bytes(mesh.materials) + bytes(mesh.border) +
           mesh.indices.short_indices().size_bytes() + mesh.indices.long_indices().size_bytes();
}

}  // namespace quarry::terrain::streaming
