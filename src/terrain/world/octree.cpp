#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <set>
#include <tuple>

#include "quarry/terrain/world.hpp"
#include "terrain/world/distance.hpp"
#include "terrain/world/limits.hpp"

namespace quarry::terrain {
namespace {

// Which nodes of the octree are split. All lengths are in lattice units.
//
// By distance alone a node of LOD l is split where it comes closer to the viewer than the reach of LOD l - 1, and with
// it all its ancestors, for they come at least as close and their reach is longer. Where the reach is long compared
// with a chunk, nothing is to be done for the balance: if a node N of LOD l is split, a node of LOD l + 1 that touches
// it is at most N's diagonal further away than N, that is closer than reach(l - 1) + sqrt(3) * width(l), which is at
// most reach(l) if lod_distance >= 2 * sqrt(3) * cells. With a shorter reach more nodes are split, from fine to coarse:
// every one that touches or holds a split node of the level below. They are few, because balls of that size have few.
class Cut {
  public:
    explicit Cut(const OctreeOptions& options) : cells_(options.cells), max_lod_(options.max_lod) {
        const double scale = 1 / options.lattice.voxel_size;
        viewers_.push_back(impl::on_lattice(options.viewer, options.lattice));
        for (const Position& viewer : options.more_viewers) {
            viewers_.push_back(impl::on_lattice(viewer, options.lattice));
        }
        radius_ = options.radius * scale;
        lod_distance_ = options.lod_distance * scale;
        for (std::int32_t lod = 0; lod <= kCoarsestLod; ++lod) {
            widths_[static_cast<std::size_t>(lod)] = std::ldexp(cells_, lod);
            reaches_[static_cast<std::size_t>(lod)] = std::ldexp(lod_distance_, lod);
        }
    }

    // No more chunks than the cut has: a place at distance d is in a leaf at most as coarse as the first level that
    // reaches so far.
    double least_chunks() const {
        double chunks = 0;
        double inside = 0;
        for (std::int32_t lod = 0; lod <= max_lod_; ++lod) {
            const double outside = lod == max_lod_ ? radius_ : std::min(radius_, reach(lod));
            const double volume = 4.0 / 3 * std::numbers::pi * (std::pow(outside, 3) - std::pow(inside, 3));
            chunks += volume / std::pow(width(lod), 3);
            inside = outside;
        }
        return chunks;
    }

    // Before leaves are visited; the cut lies within kLatticeLimit, with room for the nodes around it.
    void prepare() {
        for (const std::array<double, 3>& viewer : viewers_) {
            for (const double at : viewer) impl::check_reach(std::abs(at) + radius_ + 2 * width(max_lod_));
        }
        balance();
    }

    template <class Visit>
    void for_each_leaf(Visit visit) const {
        if (viewers_.size() == 1) {
            for_each_around(viewers_.front(), max_lod_, radius_, [&](const ChunkKey& root) { descend(root, visit); });
            return;
        }
        // What two viewers have around them is visited once.
        std::set<std::array<std::int32_t, 3>> roots;
        for (const std::array<double, 3>& viewer : viewers_) {
            for_each_around(viewer, max_lod_, radius_, [&](const ChunkKey& root) {
                roots.insert({root.z, root.y, root.x});
            });
        }
        for (const auto& [z, y, x] : roots) descend({max_lod_, x, y, z}, visit);
    }

    // The sides of a leaf whose neighbour is a coarser leaf.
    std::uint32_t mask(const ChunkKey& leaf) const {
        if (leaf.lod == max_lod_) return 0;
        std::uint32_t mask = 0;
        for (std::uint32_t side = 0; side < side::count; ++side) {
            ChunkKey beyond = leaf;
            std::int32_t& along = side / 2 == 0 ? beyond.x : side / 2 == 1 ? beyond.y : beyond.z;
            // Towards the inside of the parent the neighbour is a sibling.
            if ((along & 1) != static_cast<std::int32_t>(side % 2)) continue;
            along += side % 2 == 0 ? -1 : 1;
            const ChunkKey coarse = parent(beyond);
            const double distance = square_of_distance(coarse);
            if (reaches_in(distance) && !splits(coarse, distance)) mask |= 1u << side;
        }
        return mask;
    }

  private:
    using Node = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

    static ChunkKey parent(const ChunkKey& key) { return {key.lod + 1, key.x >> 1, key.y >> 1, key.z >> 1}; }

    double width(std::int32_t lod) const { return widths_[static_cast<std::size_t>(lod)]; }
    double reach(std::int32_t lod) const { return reaches_[static_cast<std::size_t>(lod)]; }

    // To the nearest viewer.
    double square_of_distance(const ChunkKey& key) const {
        double nearest = impl::square_of_distance(key, width(key.lod), viewers_.front());
        for (std::size_t i = 1; i < viewers_.size(); ++i) {
            nearest = std::min(nearest, impl::square_of_distance(key, width(key.lod), viewers_[i]));
        }
        return nearest;
    }

    bool splits_by_distance(const ChunkKey& key, double distance) const {
        if (key.lod == 0) return false;
        const double near = reach(key.lod - 1);
        return distance < near * near;
    }

    bool splits(const ChunkKey& key, double distance) const {
        if (splits_by_distance(key, distance)) return true;
        return !for_balance_.empty() && for_balance_.contains({key.lod, key.x, key.y, key.z});
    }

    template <class Visit>
    void descend(const ChunkKey& key, Visit& visit) const {
        const double distance = square_of_distance(key);
        if (!reaches_in(distance)) return;
        if (!splits(key, distance)) return visit(key);
        for (std::int32_t child = 0; child < 8; ++child) {
            descend({key.lod - 1, 2 * key.x + (child & 1), 2 * key.y + (child >> 1 & 1), 2 * key.z + (child >> 2)},
                    visit);
        }
    }

    // The nodes of a level that may come that close to a viewer, x before y before z.
    template <class Visit>
    void for_each_around(const std::array<double, 3>& viewer, std::int32_t lod, double distance, Visit visit) const {
        std::array<std::int32_t, 3> low{};
        std::array<std::int32_t, 3> high{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // One more on either side, for what is rounded here may not be rounded the same way in the distance.
            low[axis] = static_cast<std::int32_t>(std::floor((viewer[axis] - distance) / width(lod))) - 1;
            high[axis] = static_cast<std::int32_t>(std::floor((viewer[axis] + distance) / width(lod))) + 1;
        }
        for (std::int32_t z = low[2]; z <= high[2]; ++z) {
            for (std::int32_t y = low[1]; y <= high[1]; ++y) {
                for (std::int32_t x = low[0]; x <= high[0]; ++x) visit(ChunkKey{lod, x, y, z});
            }
        }
    }

    void balance() {
        constexpr double kAlwaysBalanced = 3.47;  // 2 * sqrt(3), and some more for rounding
        if (lod_distance_ >= kAlwaysBalanced * cells_) return;
        for (std::int32_t lod = 1; lod < max_lod_; ++lod) {
            for (const std::array<double, 3>& viewer : viewers_) {
                for_each_around(viewer, lod, std::min(reach(lod - 1), radius_), [&](const ChunkKey& key) {
                    const double distance = square_of_distance(key);
                    if (reaches_in(distance) && splits_by_distance(key, distance)) split_coarser_around(key);
                });
            }
            const auto first = for_balance_.lower_bound({lod, kLowest, kLowest, kLowest});
            const auto last = for_balance_.lower_bound({lod + 1, kLowest, kLowest, kLowest});
            for (const auto& [level, x, y, z] : std::vector<Node>(first, last)) split_coarser_around({level, x, y, z});
        }
    }

    // Nodes beyond the ball are no part of the cut.
    bool reaches_in(double distance) const { return distance < radius_ * radius_; }

    void split_coarser_around(const ChunkKey& split) {
        for (std::int32_t place = 0; place < 27; ++place) {
            const ChunkKey coarse =
                parent({split.lod, split.x + place % 3 - 1, split.y + place / 3 % 3 - 1, split.z + place / 9 - 1});
            const double distance = square_of_distance(coarse);
            if (reaches_in(distance) && !splits_by_distance(coarse, distance)) {
                for_balance_.insert({coarse.lod, coarse.x, coarse.y, coarse.z});
            }
        }
    }

    static constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();

    std::int32_t cells_;
    std::int32_t max_lod_;
    std::vector<std::array<double, 3>> viewers_;
    double radius_;
    double lod_distance_;
    std::array<double, kCoarsestLod + 1> widths_{};
    std::array<double, kCoarsestLod + 1> reaches_{};
    std::set<Node> for_balance_;
};

void check_options(const OctreeOptions& options) {
    impl::require_cells(options.cells);
    impl::check_voxel_size(options.lattice.voxel_size);
    impl::check_size("radius", options.radius);
    impl::check_size("lod_distance", options.lod_distance);
    const auto check_place = [](const char* name, const Position& at) {
        for (const double along : {at.x, at.y, at.z}) {
            impl::require_range(name, along, -impl::kLargestWorld, impl::kLargestWorld);
        }
    };
    check_place("viewer", options.viewer);
    for (const Position& viewer : options.more_viewers) check_place("viewer", viewer);
    check_place("origin", options.lattice.origin);
    if (options.max_lod < 0 || options.max_lod > kCoarsestLod) {
        throw std::invalid_argument("max_lod is " + std::to_string(options.max_lod) + "; 0 to " +
                                    std::to_string(kCoarsestLod) + " is allowed");
    }
}

}  // namespace

std::vector<PlacedChunk> octree_world(const OctreeOptions& options) {
    check_options(options);
    Cut cut(options);
    impl::check_count("at least ", cut.least_chunks(), options.most_chunks);
    cut.prepare();
    std::size_t count = 0;
    cut.for_each_leaf([&](const ChunkKey&) {
        if (++count > options.most_chunks) {
            impl::check_count("at least ", static_cast<double>(count), options.most_chunks);
        }
    });
    std::vector<PlacedChunk> places;
    places.reserve(count);
    cut.for_each_leaf([&](const ChunkKey& key) { places.push_back({key, cut.mask(key)}); });
    return places;
}

}  // namespace quarry::terrain
