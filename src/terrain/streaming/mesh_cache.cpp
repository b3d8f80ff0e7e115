#include "terrain/streaming/mesh_cache.hpp"

#include <iterator>
#include <utility>

namespace quarry::terrain::streaming {

void MeshCache::put(const std::shared_ptr<KeptMesh>& kept) {
    if (kept == nullptr || kept->outdated) return;
    const std::size_t bytes = bytes_of(*kept);
    if (bytes > most_bytes_) return;
    if (const auto found = by_key_.find(kept->mesh.key); found != by_key_.end()) drop(found->second);
    entries_.push_front(kept);
    by_key_[kept->mesh.key] = entries_.begin();
    bytes_ += bytes;
    while (bytes_ > most_bytes_) drop(std::prev(entries_.end()));
}

std::shared_ptr<KeptMesh> MeshCache::take(const ChunkKey& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) {
        ++misses_;
        return nullptr;
    }
    ++hits_;
    std::shared_ptr<KeptMesh> kept = *found->second;
    drop(found->second);
    return kept;
}

void MeshCache::clear() {
    entries_.clear();
    by_key_.clear();
    bytes_ = 0;
}

void MeshCache::drop(Entries::iterator entry) {
    bytes_ -= bytes_of(**entry);
    by_key_.erase((*entry)->mesh.key);
    entries_.erase(entry);
}

}  // namespace quarry::terrain::streaming
