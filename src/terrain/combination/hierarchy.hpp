#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::impl {

// How far two boxes are apart, less what roundings could add to it. 0 where they touch.
inline double gap_between(const Box& a, const Box& b) noexcept {
    const auto along = [](double low, double high, double other_low, double other_high) {
        return std::max({other_low - high, low - other_high, 0.0});
    };
    const double x = along(a.low.x, a.high.x, b.low.x, b.high.x);
    const double y = along(a.low.y, a.high.y, b.low.y, b.high.y);
    const double z = along(a.low.z, a.high.z, b.low.z, b.high.z);
    return std::max(std::sqrt(x * x + y * y + z * z) * (1 - 2e-6) - 1e-5, 0.0);
}

inline Box hull_of(const Box& a, const Box& b) noexcept {
    return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
            {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

// Parts by where they lie: a tree of boxes, so that those near a box are found without a look at the others.
class Hierarchy {
  public:
    struct Entry {
        Box extent;
        std::uint32_t part;
    };

    Hierarchy() = default;
    explicit Hierarchy(std::vector<Entry> entries);

    // Calls visit(part) for entries whose extent is at most reach() away from the box, the nearer half of the tree
    // first; reach is asked again and again and may shrink. Stops when visit returns false.
    template <class Reach, class Visit>
    void find(const Box& box, const Reach& reach, const Visit& visit) const {
        if (nodes_.empty()) return;
        // A tree of halves is at most 32 levels deep, and each level leaves one node behind.
        std::pair<std::uint32_t, double> open[kMostLevels];
        std::size_t count = 0;
        open[count++] = {0, gap_between(box, nodes_[0].extent)};
        while (count > 0) {
            const auto [at, gap] = open[--count];
            if (gap > 0 && gap > reach()) continue;
            const Node& node = nodes_[at];
            if (node.entries > 0) {
                for (std::uint32_t i = node.first; i < node.first + node.entries; ++i) {
                    const double distance = gap_between(box, entries_[i].extent);
                    if (distance > 0 && distance > reach()) continue;
                    if (!visit(entries_[i].part)) return;
                }
                continue;
            }
            std::pair<std::uint32_t, double> near{at + 1, gap_between(box, nodes_[at + 1].extent)};
            std::pair<std::uint32_t, double> far{node.first, gap_between(box, nodes_[node.first].extent)};
            if (far.second < near.second) std::swap(near, far);
            open[count++] = far;
            open[count++] = near;
        }
    }

  private:
    static constexpr std::size_t kMostLevels = 64;

    // The first child follows its parent; first is the second child's place, or that of a leaf's first entry.
    struct Node {
        Box extent;
        std::uint32_t first = 0;
        std::uint32_t entries = 0;
    };

    void build(std::size_t first, std::size_t count);

    std::vector<Entry> entries_;
    std::vector<Node> nodes_;
};

}  // namespace quarry::terrain::impl
