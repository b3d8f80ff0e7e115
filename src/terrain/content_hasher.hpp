#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::impl {

// Hashes numbers in the order in which they are added. Works on values, not on bytes in memory, so that the byte order
// does not matter. Not meant to withstand someone who wants a collision.
class ContentHasher {
  public:
    void add(std::uint64_t number) noexcept {
        state_ = (state_ ^ number) * 0x9e3779b97f4a7c15u;
        state_ ^= state_ >> 32;
    }

    void add(const ChunkKey& key) noexcept {
        add(pair(static_cast<std::uint32_t>(key.lod), static_cast<std::uint32_t>(key.x)));
        add(pair(static_cast<std::uint32_t>(key.y), static_cast<std::uint32_t>(key.z)));
    }

    void add(const IndexRange& range) noexcept { add(pair(range.first, range.count)); }

    void add(std::span<const Vector3> vectors) noexcept {
        add(std::uint64_t{vectors.size()});
        for (const Vector3& vector : vectors) {
            add(pair(std::bit_cast<std::uint32_t>(vector.x), std::bit_cast<std::uint32_t>(vector.y)));
            add(std::uint64_t{std::bit_cast<std::uint32_t>(vector.z)});
        }
    }

    void add(std::span<const MaterialWeights> materials) noexcept {
        add(std::uint64_t{materials.size()});
        for (const MaterialWeights& weights : materials) {
            std::uint64_t number = 0;
            for (const std::uint8_t weight : weights.of) number = number << 8 | weight;
            add(number);
        }
    }

    // Nothing for meshes that have none.
    void add(std::span<const MaterialIndices> materials) noexcept {
        for (const MaterialIndices& indices : materials) {
            std::uint64_t number = 0;
            for (const std::uint8_t index : indices.of) number = number << 8 | index;
            add(number);
        }
    }

    void add(const IndexList& indices) noexcept {
        add(std::uint64_t{indices.size()});
        std::size_t i = 0;
        for (; i + 1 < indices.size(); i += 2) add(pair(indices[i], indices[i + 1]));
        if (i < indices.size()) add(std::uint64_t{indices[i]});
    }

    std::uint64_t value() const noexcept { return state_; }

  private:
    static std::uint64_t pair(std::uint32_t high, std::uint32_t low) noexcept {
        return std::uint64_t{high} << 32 | low;
    }

    std::uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace quarry::terrain::impl
