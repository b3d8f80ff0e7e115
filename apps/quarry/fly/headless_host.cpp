#include "fly/headless_host.hpp"

#include <utility>

namespace quarry::app {
namespace {

std::size_t bytes_of_mesh(const terrain::Mesh& mesh) {
    return mesh.positions.size() * sizeof(mesh.positions[0]) + mesh.normals.size() * sizeof(mesh.normals[0]) +
           mesh.materials.size() * sizeof(mesh.materials[0]) + mesh.indices.short_indices().size_bytes() +
           mesh.indices.long_indices().size_bytes();
}

}  // namespace

HeadlessHost::HeadlessHost(const CpuWork& work, double upload_us, bool keeps_meshes)
    : work_(work), upload_(static_cast<std::int64_t>(upload_us * 1'000)), keeps_meshes_(keeps_meshes) {}

void HeadlessHost::mistake(const char* what) {
    if (mistake_.empty()) mistake_ = what;
}

HeadlessHost::Chunk* HeadlessHost::find(terrain::ChunkId id) {
    if (id.slot >= chunks_.size()) return nullptr;
    Chunk& chunk = chunks_[id.slot];
    return chunk.there && chunk.generation == id.generation ? &chunk : nullptr;
}

void HeadlessHost::upload(terrain::StreamEvent& event) {
    if (event.id.slot >= chunks_.size()) chunks_.resize(2 * (event.id.slot + std::size_t{1}));
    Chunk& chunk = chunks_[event.id.slot];
    if (chunk.there) mistake("uploaded into a slot that is in use");
    chunk = {event.id.generation, true, false, event.mask, event.key, bytes_of_mesh(*event.mesh), {}};
    if (keeps_meshes_) chunk.mesh = std::move(*event.mesh);
    bytes_ += chunk.bytes;
    ++uploads_;
    if (upload_.count() > 0) work_.run(upload_);
}

void HeadlessHost::operator()(terrain::StreamEvent& event) {
    using Kind = terrain::StreamEvent::Kind;
    if (event.kind == Kind::changed) return;
    if (event.kind == Kind::upload) return upload(event);
    if (event.kind == Kind::release) {
        Chunk* const chunk = find(event.id);
        if (chunk == nullptr) return mistake("released and not there");
        if (chunk->visible) mistake("released while it is shown");
        bytes_ -= chunk->bytes;
        *chunk = {};
        return;
    }
    const bool visible = event.kind == Kind::show;
    for (const terrain::ChunkId id : event.chunks) {
        Chunk* const chunk = find(id);
        if (chunk == nullptr || chunk->visible == visible) {
            mistake(visible ? "shown and not there, or shown already" : "hidden and not shown");
            continue;
        }
        chunk->visible = visible;
        visible_ += visible ? 1 : std::size_t{0} - 1;
        if (visible) ++shown_;
    }
}

std::string HeadlessHost::difference_to(const terrain::ShownWorld& world) const {
    std::size_t with_mesh = 0;
    for (const terrain::ShownChunk& chunk : world.chunks) {
        if (!chunk.has_mesh) continue;
        ++with_mesh;
        if (chunk.id.slot >= chunks_.size()) return "a chunk is not there";
        const Chunk& there = chunks_[chunk.id.slot];
        const bool same = there.there && there.visible && there.generation == chunk.id.generation &&
                          there.key == chunk.key && there.mask == chunk.mask;
        if (!same) return "a chunk is not there, not visible or another one";
    }
    return with_mesh == visible_ ? "" : "chunks are visible that should not be";
}

std::vector<terrain::Mesh> HeadlessHost::visible_meshes() const {
    std::vector<terrain::Mesh> meshes;
    for (const Chunk& chunk : chunks_) {
        if (chunk.visible) meshes.push_back(chunk.mesh);
    }
    return meshes;
}

}  // namespace quarry::app
