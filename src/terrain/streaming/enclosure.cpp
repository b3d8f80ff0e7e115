#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "terrain/streaming/keys.hpp"
#include "terrain/streaming/world.hpp"

namespace quarry::terrain::streaming {
namespace {

// Whether two chunks have a point in common.
bool touch(const ChunkKey& a, const ChunkKey& b) {
    const ChunkKey& fine = a.lod < b.lod ? a : b;
    const ChunkKey& coarse = a.lod < b.lod ? b : a;
    const auto along = [&](std::int64_t low, std::int64_t other) {
        const std::int64_t scale = std::int64_t{1} << (coarse.lod - fine.lod);
        return low <= (other + 1) * scale && low + 1 >= other * scale;
    };
    return along(fine.x, coarse.x) && along(fine.y, coarse.y) && along(fine.z, coarse.z);
}

}  // namespace

void World::list_missing_below(NodeIndex index, std::uint32_t touching, MissingAround& around) const {
    const Node& node = tree_[index];
    if (node.planned && !node.inside) around.touches_outside = true;
    if (is_missing(node)) around.nodes.push_back(index);
    if (!node.split || node.chunk != kNone) return;
    for (std::uint32_t child = 0; child < 8; ++child) {
        if ((touching >> child & 1) != 0) list_missing_below(node.children + child, touching, around);
    }
}

// What is missing and touches the chunk, and whether it touches the outside of the plan.
void World::list_missing_around(const ChunkKey& key, MissingAround& around) const {
    around.nodes.clear();
    around.touches_outside = false;
    for_each_neighbour([&](std::int32_t dx, std::int32_t dy, std::int32_t dz) {
        const NodeIndex found = tree_.find_at_or_above(moved(key, dx, dy, dz), options_.max_lod);
        if (found == kNoNode) {
            around.touches_outside = true;
        } else if (around.nodes.empty() || around.nodes.back() != found) {
            list_missing_below(found, children_touching(dx, dy, dz), around);
        }
    });
}

// Whether all of them, and the outside if it is among them, are connected without a detour.
bool World::hang_together(const MissingAround& around) const {
    const std::vector<NodeIndex>& nodes = around.nodes;
    const std::size_t outside = nodes.size();
    std::vector<std::size_t> leader(nodes.size() + 1);
    std::iota(leader.begin(), leader.end(), std::size_t{0});
    const auto find = [&](std::size_t i) {
        while (leader[i] != i) i = leader[i];
        return i;
    };
    MissingAround beyond_it;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (touch(tree_[nodes[i]].key, tree_[nodes[j]].key)) leader[find(i)] = find(j);
        }
        if (!around.touches_outside) continue;
        list_missing_around(tree_[nodes[i]].key, beyond_it);
        if (beyond_it.touches_outside) leader[find(i)] = find(outside);
    }
    const std::size_t all = find(around.touches_outside ? outside : 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (find(i) != all) return false;
    }
    return true;
}

// Whether something missing would no longer be connected with the outside of the plan if the node were shown. Then that
// has to appear first.
bool World::would_enclose_something(NodeIndex index) {
    MissingAround around;
    list_missing_around(tree_[index].key, around);
    if (around.nodes.empty() || hang_together(around)) return false;
    std::vector<NodeIndex> enclosed;
    std::vector<NodeIndex> reached;
    MissingAround next;
    bool any_open = around.touches_outside;
    for (const NodeIndex start : around.nodes) {
        reached.assign(1, start);
        const std::uint32_t search = ++last_search_;
        tree_[start].visited = tree_[index].visited = search;
        bool is_open = false;
        for (std::size_t i = 0; i < reached.size() && !is_open; ++i) {
            list_missing_around(tree_[reached[i]].key, next);
            is_open = next.touches_outside;
            for (const NodeIndex node : next.nodes) {
                if (tree_[node].visited == search) continue;
                tree_[node].visited = search;
                reached.push_back(node);
            }
        }
        any_open = any_open || is_open;
        if (!is_open) enclosed.insert(enclosed.end(), reached.begin(), reached.end());
    }
    // Where empty space lies all around, nothing was connected before.
    if (!any_open) return false;
    for (const NodeIndex node : enclosed) tree_[node].first = tree_[node].urgent = true;
    return !enclosed.empty();
}

}  // namespace quarry::terrain::streaming
