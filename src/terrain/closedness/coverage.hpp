#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>

#include "quarry/terrain/chunk_key.hpp"
#include "terrain/export/lattice_key.hpp"

namespace quarry::terrain::impl {

// The part of space that some chunks fill.
class Coverage {
  public:
    Coverage(std::span<const ChunkKey> places, std::int32_t cells)
        : width_(static_cast<std::int64_t>(cells) << (kLatticeBits + 1)) {
        places_.reserve(places.size());
        for (const ChunkKey& key : places) {
            places_.insert(key);
            if (key.lod >= 0 && key.lod < 32) levels_ |= 1u << key.lod;
        }
    }

    // Whether there is a place without a chunk next to the middle of the edge from a to b. Edges lie within a chunk,
    // which is convex: if the middle is on a side of it, so are both ends.
    bool is_on_rim(const LatticeKey& a, const LatticeKey& b) const {
        // Twice the middle is whole. A point on the border between chunks belongs to those on both sides.
        const std::array<std::int64_t, 3> twice{a.x + b.x, a.y + b.y, a.z + b.z};
        for (unsigned choice = 0; choice < 8; ++choice) {
            std::array<std::int64_t, 3> at{};
            bool is_new = true;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const bool below = (choice >> axis & 1) != 0;
                at[axis] = chunk_of(twice[axis] - (below ? 1 : 0));
                if (below && at[axis] == chunk_of(twice[axis])) is_new = false;
            }
            if (is_new && !covers(at)) return true;
        }
        return false;
    }

  private:
    struct Hash {
        std::size_t operator()(const ChunkKey& key) const noexcept {
            const auto part = [](std::int32_t value) {
                return static_cast<std::uint64_t>(static_cast<std::uint32_t>(value));
            };
            std::uint64_t state = (part(key.x) << 32 | part(key.y)) * 0x9e3779b97f4a7c15u;
            state = (state ^ state >> 32 ^ part(key.z) << 8 ^ part(key.lod)) * 0xbf58476d1ce4e5b9u;
            return static_cast<std::size_t>(state ^ state >> 32);
        }
    };

    // Rounded down, for the border between two chunks belongs to the upper one.
    std::int64_t chunk_of(std::int64_t twice) const noexcept {
        return (twice >= 0 ? twice : twice - width_ + 1) / width_;
    }

    bool covers(const std::array<std::int64_t, 3>& chunk) const {
        for (std::int32_t lod = 0; (levels_ >> lod) != 0; ++lod) {
            if ((levels_ >> lod & 1) == 0) continue;
            const ChunkKey key{lod, static_cast<std::int32_t>(chunk[0] >> lod),
                               static_cast<std::int32_t>(chunk[1] >> lod), static_cast<std::int32_t>(chunk[2] >> lod)};
            if (places_.contains(key)) return true;
        }
        return false;
    }

    std::int64_t width_;  // of a chunk of LOD 0, in halves of a lattice key's units
    std::uint32_t levels_ = 0;
    std::unordered_set<ChunkKey, Hash> places_;
};

}  // namespace quarry::terrain::impl
