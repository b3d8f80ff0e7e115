#include <algorithm>
#include <limits>

#include "terrain/streaming/keys.hpp"
#include "terrain/streaming/world.hpp"
#include "terrain/world/distance.hpp"

namespace quarry::terrain::streaming {

// The node above that is shown; kNoNode: none.
NodeIndex World::shown_above(NodeIndex index) const {
    for (index = tree_[index].parent; index != kNoNode; index = tree_[index].parent) {
        if (tree_[index].chunk != kNone) return index;
    }
    return kNoNode;
}

bool World::plans_coarser(NodeIndex index, std::int32_t lod) const {
    while (index != kNoNode && !tree_[index].planned) index = tree_[index].parent;
    return index != kNoNode && tree_[index].needs_chunk() && tree_[index].key.lod > lod;
}

// The sides on which what is shown beyond is coarser. Where nothing is shown the plan counts: what will appear there
// then finds the mask right. Towards a place that bounds prove empty any mask is right: no surface reaches that side.
std::uint32_t World::mask_for(const ChunkKey& key) const {
    std::uint32_t mask = 0;
    for (std::uint32_t side = 0; side < side::count; ++side) {
        if (key.lod == options_.max_lod || is_sibling_beyond(key, side)) continue;
        const ChunkKey across = beyond(key, side);
        const NodeIndex found = tree_.find_at_or_above(across, options_.max_lod);
        if (found == kNoNode) continue;
        const Node& node = tree_[found];
        const bool same_level = node.key.lod == key.lod;
        if (same_level && has_something(node)) continue;
        const bool coarser_shown = (!same_level && node.chunk != kNone) || shown_above(found) != kNoNode;
        if (coarser_shown || plans_coarser(found, key.lod)) mask |= 1u << side;
    }
    return mask;
}

bool World::is_undivided(const Node& node) const {
    if (has_something(node)) return false;
    return node.planned ? !node.split : tree_[node.parent].below != 0;
}

bool World::is_missing(NodeIndex index) const {
    const Node& node = tree_[index];
    return is_undivided(node) && !node.rejected && plan_of(index) == Plan::wanted && shown_above(index) == kNoNode;
}

NodeIndex World::planned_at_or_above(NodeIndex index) const {
    while (!tree_[index].planned) index = tree_[index].parent;
    return index;
}

NodeIndex World::missing_below(NodeIndex index, std::uint32_t facing, bool or_begun) const {
    const Node& node = tree_[index];
    if (node.chunk != kNone || node.rejected || node.failed) return kNoNode;
    if (node.needs_chunk() && node.below == 0) return or_begun && node.group != kNone ? kNoNode : index;
    if (node.children == kNoNode) return kNoNode;
    for (std::uint32_t child = 0; child < 8; ++child) {
        if ((facing >> child & 1) == 0) continue;
        const NodeIndex missing = missing_below(node.children + child, facing, or_begun);
        if (missing != kNoNode) return missing;
    }
    return kNoNode;
}

// A part of the plan that lies in the chunk's place, at the side given by the children in `facing`, or around that
// place, and is not shown (and, if told so, has not begun to appear).
NodeIndex World::missing_at(const ChunkKey& key, std::uint32_t facing, bool or_begun) const {
    const NodeIndex found = tree_.find_at_or_above(key, options_.max_lod);
    if (found == kNoNode || shown_above(found) != kNoNode) return kNoNode;
    return missing_below(found, facing, or_begun);
}

// A neighbour on the viewer's side of a chunk that is missing: what is shown grows from the viewer outwards. With
// several viewers there is no such order: chunks between them could wait for each other.
NodeIndex World::missing_towards_viewer(const ChunkKey& key, bool or_begun) const {
    if (places_.size() != 1) return kNoNode;
    const double width = planner_.width(key.lod);
    const LatticePlace& viewer = places_.front();
    const std::array<std::int32_t, 3> at{key.x, key.y, key.z};
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
        const double low = at[axis] * width;
        const bool below = viewer[axis] < low;
        if (!below && viewer[axis] <= low + width) continue;
        const NodeIndex missing = missing_along(key, 2 * axis + (below ? 0 : 1), viewer[axis], or_begun);
        if (missing != kNoNode) return missing;
    }
    return kNoNode;
}

// The same across one side, as far as the viewer's place on that axis: what is empty is passed.
NodeIndex World::missing_along(const ChunkKey& key, std::uint32_t side, double viewer, bool or_begun) const {
    const auto along = [&](ChunkKey& of) -> std::int32_t& { return side < 2 ? of.x : side < 4 ? of.y : of.z; };
    ChunkKey next = beyond(key, side);
    for (;;) {
        const NodeIndex found = tree_.find_at_or_above(next, options_.max_lod);
        if (found == kNoNode) return kNoNode;
        if (!tree_[found].rejected) return missing_at(next, children_at(opposite(side)), or_begun);
        // The first place beyond the empty one.
        ChunkKey empty = tree_[found].key;
        const std::int32_t scale = empty.lod - next.lod;
        along(next) = side % 2 == 0 ? along(empty) * (1 << scale) - 1 : (along(empty) + 1) * (1 << scale);
        const double width = planner_.width(key.lod);
        const double near_face = (along(next) + (side % 2 == 0 ? 1 : 0)) * width;
        if (side % 2 == 0 ? near_face < viewer : near_face > viewer) return kNoNode;
    }
}

// A node because of which the group may not be shown yet: levels of what touches would differ by more than one.
NodeIndex World::obstacle(const Group& group) const {
    if (group.added.empty()) return kNoNode;
    const ChunkKey key = tree_[group.node].key;
    // The level that what touches may have at most, and whether finer things than one level below may touch.
    const std::int32_t coarsest = group.kind == ChangeKind::split ? key.lod : key.lod + 1;
    const bool looks_finer = group.kind != ChangeKind::split;
    NodeIndex found_obstacle = kNoNode;
    for_each_neighbour([&](std::int32_t dx, std::int32_t dy, std::int32_t dz) {
        if (found_obstacle != kNoNode) return;
        const NodeIndex found = tree_.find_at_or_above(moved(key, dx, dy, dz), options_.max_lod);
        if (found == kNoNode) return;
        for (NodeIndex above = found; above != kNoNode; above = tree_[above].parent) {
            if (tree_[above].key.lod > coarsest && tree_[above].chunk != kNone) found_obstacle = above;
        }
        const Node& node = tree_[found];
        if (!looks_finer || node.key.lod != key.lod || node.children == kNoNode) return;
        const std::uint32_t touching = children_touching(dx, dy, dz);
        for (std::uint32_t child = 0; child < 8; ++child) {
            if ((touching >> child & 1) != 0 && tree_[node.children + child].below != 0) {
                found_obstacle = node.children + child;
            }
        }
    });
    return found_obstacle;
}

}  // namespace quarry::terrain::streaming
