#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::impl {

// Vertices lie on multiples of 2^-12 of a lattice edge. Those that have moved to make room for transition cells lie on
// multiples of 2^-14: of their coordinates at most one is no whole number, the shift is a quarter of the distance to
// the next layer (2^-12 / 4 where that is the broken coordinate, 1/4 where not), and if it fades it is multiplied by at
// most one broken coordinate, when its own is whole. Fewer than 64 cells take 6 bits more: 20 bits, which a float
// holds. So every vertex of every LOD has whole coordinates in units of 2^-14 of the finest voxel, up to 2^44.
inline constexpr int kLatticeBits = 14;
inline constexpr double kLatticeUnits = 1 << kLatticeBits;

// A place in units of 2^-14 voxels of LOD 0. Equal for two vertices if and only if they are in one place.
struct LatticeKey {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;

    friend constexpr bool operator==(const LatticeKey&, const LatticeKey&) = default;
};

// The lower corner of a chunk.
inline LatticeKey corner_of(ChunkKey key, std::int32_t cells) noexcept {
    const std::int64_t width = static_cast<std::int64_t>(cells) << (kLatticeBits + key.lod);
    return {key.x * width, key.y * width, key.z * width};
}

inline LatticeKey lattice_key(const LatticeKey& corner, std::int32_t lod, Vector3 at) noexcept {
    const double units = std::ldexp(kLatticeUnits, lod);
    return {corner.x + static_cast<std::int64_t>(at.x * units), corner.y + static_cast<std::int64_t>(at.y * units),
            corner.z + static_cast<std::int64_t>(at.z * units)};
}

inline bool is_on_lattice(Vector3 at) noexcept {
    const auto whole = [](float coordinate) {
        const double units = coordinate * kLatticeUnits;
        return units == std::floor(units);
    };
    return whole(at.x) && whole(at.y) && whole(at.z);
}

// Whether a vertex lies on a side of its chunk. Chunks do not overlap, so no other vertex is in the place of another
// chunk's.
inline bool is_on_side(Vector3 at, float cells) noexcept {
    const auto at_end = [cells](float coordinate) { return coordinate <= 0 || coordinate >= cells; };
    return at_end(at.x) || at_end(at.y) || at_end(at.z);
}

// Gives each place a number: 0, 1, 2 ... in the order in which places are first asked for.
class PlaceNumbers {
  public:
    std::uint32_t number_of(const LatticeKey& key) {
        if (2 * (keys_.size() + 1) > slots_.size()) grow();
        std::uint32_t& slot = slot_of(key);
        if (slot == 0) {
            keys_.push_back(key);
            slot = static_cast<std::uint32_t>(keys_.size());
        }
        return slot - 1;
    }

    std::size_t size() const noexcept { return keys_.size(); }
    const LatticeKey& operator[](std::uint32_t number) const noexcept { return keys_[number]; }

  private:
    static std::uint64_t hash(const LatticeKey& key) noexcept {
        std::uint64_t state = static_cast<std::uint64_t>(key.x) * 0x9e3779b97f4a7c15u;
        state = (state ^ state >> 29 ^ static_cast<std::uint64_t>(key.y)) * 0xbf58476d1ce4e5b9u;
        state = (state ^ state >> 32 ^ static_cast<std::uint64_t>(key.z)) * 0x94d049bb133111ebu;
        return state ^ state >> 31;
    }

    std::uint32_t& slot_of(const LatticeKey& key) noexcept {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = static_cast<std::size_t>(hash(key)) & mask;
        while (slots_[at] != 0 && keys_[slots_[at] - 1] != key) at = (at + 1) & mask;
        return slots_[at];
    }

    void grow() {
        slots_.assign(slots_.empty() ? 1024 : 2 * slots_.size(), 0);
        for (std::uint32_t i = 0; i < keys_.size(); ++i) slot_of(keys_[i]) = i + 1;
    }

    std::vector<LatticeKey> keys_;
    std::vector<std::uint32_t> slots_;  // numbers plus 1; at most half of them are taken
};

}  // namespace quarry::terrain::impl
