#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <unordered_map>

#include "terrain/streaming/kept_mesh.hpp"
#include "terrain/streaming/keys.hpp"

namespace quarry::terrain::streaming {

// Meshes of one world that are not shown, by key; those that were put last stay longest. Bounded by bytes.
class MeshCache {
  public:
    explicit MeshCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    void put(const std::shared_ptr<KeptMesh>& kept);
    // Takes it out; null: there is none.
    std::shared_ptr<KeptMesh> take(const ChunkKey& key);
    void clear();
    // Those whose key says so.
    template <class Which>
    void drop_if(Which which) {
        for (auto entry = entries_.begin(); entry != entries_.end();) {
            const auto next = std::next(entry);
            if (which((*entry)->mesh.key)) drop(entry);
            entry = next;
        }
    }

    std::size_t bytes() const noexcept { return bytes_; }
    std::uint64_t hits() const noexcept { return hits_; }
    std::uint64_t misses() const noexcept { return misses_; }

  private:
    using Entries = std::list<std::shared_ptr<KeptMesh>>;  // newest first

    void drop(Entries::iterator entry);

    const std::size_t most_bytes_;
    Entries entries_;
    std::unordered_map<ChunkKey, Entries::iterator, KeyHash> by_key_;
    std::size_t bytes_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
};

}  // namespace quarry::terrain::streaming
