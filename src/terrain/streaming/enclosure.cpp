#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "terrain/streaming/keys.hpp"
#include "terrain/streaming/world.hpp"

namespace quarry::terrain::streaming {
namespace {

// Whether two chunks have a face, or part of one, in common.
bool share_a_face(const ChunkKey& a, const ChunkKey& b) {
    const ChunkKey& fine = a.lod < b.lod ? a : b;
    const ChunkKey& coarse = a.lod < b.lod ? b : a;
    int touching = 0;
    const auto apart = [&](std::int64_t low, std::int64_t other) {
        const std::int64_t begin = other << (coarse.lod - fine.lod);
        const std::int64_t end = (other + 1) << (coarse.lod - fine.lod);
        if (low == end || low + 1 == begin) ++touching;
        return low > end || low + 1 < begin;
    };
    if (apart(fine.x, coarse.x) || apart(fine.y, coarse.y) || apart(fine.z, coarse.z)) return false;
    return touching == 1;
}

}  // namespace

void World::look_below(NodeIndex index, Plan plan, std::uint32_t facing, Surroundings& found) const {
    const Node& node = tree_[index];
    if (node.chunk != kNone) return;
    if (node.planned && !node.split) {
        plan = !node.inside ? Plan::outside : node.failed ? Plan::given_up : Plan::wanted;
    }
    if (node.below != 0 || (node.planned && node.split)) {
        for (std::uint32_t child = 0; child < 8; ++child) {
            if ((facing >> child & 1) != 0) look_below(node.children + child, plan, facing, found);
        }
        return;
    }
    if (plan == Plan::outside) {
        found.touches_outside = true;
    } else if (plan == Plan::wanted && !node.rejected) {
        found.missing.push_back(index);
    }
}

// The part of the plan that a node belongs to.
World::Plan World::plan_of(NodeIndex index) const {
    const Node& node = tree_[planned_at_or_above(index)];
    if (!node.is_leaf()) return Plan::outside;
    return node.failed ? Plan::given_up : Plan::wanted;
}

// What is missing in the place of a chunk, at the side of the children in `facing`, or around that place.
void World::look_into(const ChunkKey& key, std::uint32_t facing, Surroundings& found) const {
    NodeIndex node = tree_.find_at_or_above(key, options_.max_lod);
    if (node == kNoNode) {
        found.touches_outside = true;
        return;
    }
    if (shown_above(node) != kNoNode) return;
    // Up to the place that the plan has, or that is left over beside something shown.
    while (!tree_[node].planned && tree_[tree_[node].parent].below == 0) node = tree_[node].parent;
    look_below(node, plan_of(node), facing, found);
}

// What is missing across the sides of a chunk, and whether one of them lies at the outside of the plan.
void World::look_across_sides(const ChunkKey& key, Surroundings& found) const {
    for (std::uint32_t side = 0; side < side::count; ++side) {
        look_into(beyond(key, side), children_at(opposite(side)), found);
    }
}

// Whether what is missing across the sides of a chunk is connected by what is missing along its edges.
bool World::hang_together(const ChunkKey& key, const std::vector<NodeIndex>& beside) {
    Surroundings& ring = ring_;
    ring.clear();
    ring.missing = beside;
    for_each_neighbour([&](std::int32_t dx, std::int32_t dy, std::int32_t dz) {
        if (dx * dx + dy * dy + dz * dz == 2) look_into(moved(key, dx, dy, dz), children_touching(dx, dy, dz), ring);
    });
    std::sort(ring.missing.begin() + static_cast<std::ptrdiff_t>(beside.size()), ring.missing.end());
    ring.missing.erase(
        std::unique(ring.missing.begin() + static_cast<std::ptrdiff_t>(beside.size()), ring.missing.end()),
        ring.missing.end());
    leaders_.resize(ring.missing.size());
    std::iota(leaders_.begin(), leaders_.end(), std::uint32_t{0});
    const auto leader_of = [&](std::uint32_t i) {
        while (leaders_[i] != i) i = leaders_[i] = leaders_[leaders_[i]];
        return i;
    };
    for (std::uint32_t i = 0; i < ring.missing.size(); ++i) {
        for (std::uint32_t j = 0; j < i; ++j) {
            const bool same = ring.missing[i] == ring.missing[j];
            if (same || share_a_face(tree_[ring.missing[i]].key, tree_[ring.missing[j]].key)) {
                leaders_[leader_of(i)] = leader_of(j);
            }
        }
    }
    for (std::uint32_t i = 1; i < beside.size(); ++i) {
        if (leader_of(i) != leader_of(0)) return false;
    }
    return true;
}

// Whether one comes from a missing part to the outside of the plan, through missing parts that share faces. Those that
// were visited by `blocked` are not passed. What is reached is left in reached_, and marked as visited by `open` if so.
bool World::reaches_outside(NodeIndex start, std::uint32_t blocked, std::uint32_t open) {
    const auto further = [](const auto& a, const auto& b) { return a.first < b.first; };
    // Those that are furthest from viewers first: the outside is there.
    std::vector<std::pair<double, NodeIndex>>& next = search_;
    next.assign(1, {0, start});
    reached_.assign(1, start);
    tree_[start].visited = blocked;
    bool is_open = false;
    while (!next.empty() && !is_open) {
        std::pop_heap(next.begin(), next.end(), further);
        const NodeIndex node = next.back().second;
        next.pop_back();
        across_.clear();
        look_across_sides(tree_[node].key, across_);
        is_open = across_.touches_outside;
        for (const NodeIndex beside : across_.missing) {
            if (tree_[beside].visited == open) is_open = true;
            if (tree_[beside].visited == open || tree_[beside].visited == blocked) continue;
            tree_[beside].visited = blocked;
            reached_.push_back(beside);
            next.emplace_back(planner_.square_of_distance(tree_[beside].key), beside);
            std::push_heap(next.begin(), next.end(), further);
        }
    }
    if (is_open) {
        for (const NodeIndex node : reached_) tree_[node].visited = open;
    }
    return is_open;
}

// Whether a part that is missing, and connected with the outside of the plan, would no longer be so if a place were
// filled, or given up. Then that part has to appear first.
bool World::would_cut_off(NodeIndex place) {
    filled_.clear();
    look_below(place, plan_of(place), 255, filled_);
    if (filled_.missing.empty()) return false;
    const std::uint32_t blocked = ++last_search_;
    const std::uint32_t open = ++last_search_;
    for (const NodeIndex node : filled_.missing) tree_[node].visited = blocked;
    beside_.clear();
    for (const NodeIndex node : filled_.missing) look_across_sides(tree_[node].key, beside_);
    std::erase_if(beside_.missing, [&](NodeIndex node) { return tree_[node].visited == blocked; });
    if (beside_.missing.empty()) return false;
    if (!beside_.touches_outside && filled_.missing.size() == 1 &&
        hang_together(tree_[filled_.missing.front()].key, beside_.missing)) {
        return false;
    }
    bool any_open = beside_.touches_outside;
    cut_off_.clear();
    for (const NodeIndex start : beside_.missing) {
        if (tree_[start].visited == open || tree_[start].visited == blocked) continue;
        if (reaches_outside(start, blocked, open)) {
            any_open = true;
        } else {
            cut_off_.insert(cut_off_.end(), reached_.begin(), reached_.end());
        }
    }
    // Where empty space or what is shown lies all around already, nothing was connected before.
    if (!any_open || cut_off_.empty()) return false;
    for (const NodeIndex node : cut_off_) {
        const NodeIndex step = planned_at_or_above(node);
        tree_[step].first = tree_[step].urgent = true;
    }
    return true;
}

}  // namespace quarry::terrain::streaming
