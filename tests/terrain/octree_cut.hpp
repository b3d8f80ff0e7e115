#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "quarry/terrain/chunk_key.hpp"

namespace quarry::terrain::test_support {

// A random cut through an octree of one root: leaves that touch, be it in a corner, differ by at most one level.
class OctreeCut {
  public:
    explicit OctreeCut(std::int32_t root_lod) : root_lod_(root_lod) { leaves_.insert({root_lod, 0, 0, 0}); }

    // Splits where random points fall, all of them in the eighth of the width next to a corner, so that all levels
    // occur.
    void split_at_random(std::size_t leaves, std::uint32_t seed) {
        std::mt19937 random(seed);
        const std::uint32_t width = std::max(1u, (1u << root_lod_) / 8);
        const auto place = [&] { return static_cast<std::int32_t>(random() % width); };
        while (leaves_.size() < leaves) {
            Leaf leaf{0, place(), place(), place()};
            while (!leaves_.contains(leaf)) leaf = parent(leaf);
            if (std::get<0>(leaf) > 0) split(leaf);
        }
    }

    std::vector<ChunkKey> leaves() const {
        std::vector<ChunkKey> keys;
        for (const auto& [lod, x, y, z] : leaves_) keys.push_back({lod, x, y, z});
        return keys;
    }

    // The sides whose neighbour is a coarser leaf.
    std::uint32_t mask(ChunkKey key) const {
        std::uint32_t mask = 0;
        for (std::uint32_t side = 0; side < side::count; ++side) {
            Leaf beyond{key.lod, key.x, key.y, key.z};
            std::int32_t& along = side / 2 == 0   ? std::get<1>(beyond)
                                  : side / 2 == 1 ? std::get<2>(beyond)
                                                  : std::get<3>(beyond);
            along += side % 2 == 0 ? -1 : 1;
            if (is_inside(beyond) && leaves_.contains(parent(beyond))) mask |= 1u << side;
        }
        return mask;
    }

  private:
    using Leaf = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

    static Leaf parent(const Leaf& leaf) {
        const auto [lod, x, y, z] = leaf;
        return {lod + 1, x >> 1, y >> 1, z >> 1};
    }

    bool is_inside(const Leaf& leaf) const {
        const auto [lod, x, y, z] = leaf;
        const std::int32_t width = 1 << (root_lod_ - lod);
        return x >= 0 && y >= 0 && z >= 0 && x < width && y < width && z < width;
    }

    void split(Leaf leaf) {
        const auto [lod, x, y, z] = leaf;
        for (std::int32_t place = 0; place < 27; ++place) {
            const Leaf beside{lod, x + place % 3 - 1, y + place / 3 % 3 - 1, z + place / 9 - 1};
            if (is_inside(beside) && leaves_.contains(parent(beside))) split(parent(beside));
        }
        leaves_.erase(leaf);
        for (std::int32_t child = 0; child < 8; ++child) {
            leaves_.insert({lod - 1, 2 * x + (child & 1), 2 * y + (child >> 1 & 1), 2 * z + (child >> 2)});
        }
    }

    std::int32_t root_lod_;
    std::set<Leaf> leaves_;
};

}  // namespace quarry::terrain::test_support
