#include <algorithm>
#include <utility>

#include "terrain/streaming/keys.hpp"
#include "terrain/streaming/swap.hpp"
#include "terrain/streaming/world.hpp"

namespace quarry::terrain::streaming {

// Places that bounds had proven empty and that may have a surface now. Those that count as shown must not be missing
// from now on: they are covered by the swap.
void World::find_opened(const std::vector<LatticeBox>& boxes, std::vector<NodeIndex>& covered,
                        std::vector<NodeIndex>& others) {
    for (const NodeIndex index : nodes_near(boxes)) {
        const Node& node = tree_[index];
        if (!node.rejected || !planner_.options().may_have_surface(node.key)) continue;
        (counts_as_shown(index) ? covered : others).push_back(index);
    }
}

// Of a place that is empty: whether it would be missing if it were not.
bool World::counts_as_shown(NodeIndex index) const {
    return is_undivided(tree_[index]) && plan_of(index) == Plan::wanted && shown_above(index) == kNoNode;
}

NodeIndex World::opened_above(NodeIndex index) const {
    while (!tree_[index].opened) index = tree_[index].parent;
    return index;
}

void World::admit_to_plan(const std::vector<NodeIndex>& nodes) {
    for (const NodeIndex index : nodes) {
        Node& node = tree_[index];
        node.rejected = false;
        node.opened = false;
        // A join that would have left nothing there.
        if (node.group != kNone) {
            cancel(groups_[node.group]);
            review(index);
        }
    }
    planner_.look_again(nodes);
}

// Finds chunks for all places that the edits open, so that levels of what touches differ by at most one: as fine as
// the plan is going to want them, or as coarse as they can be. They are taken as shown until all is found. What turns
// out to be empty is not opened.
bool World::cover_all(std::vector<NodeIndex>& opened, bool finely) {
    std::vector<NodeIndex> covered;
    for (const NodeIndex index : opened) {
        const Cover found = cover(index, finely);
        if (found == Cover::conflict) {
            take_covers_back(0);
            return false;
        }
        if (found == Cover::found) covered.push_back(index);
    }
    opened = std::move(covered);
    return true;
}

World::Cover World::cover(NodeIndex index, bool finely) {
    const ChunkKey key = tree_[index].key;
    const std::size_t before = swap_.members.size();
    if (finely && planner_.is_near(key)) {
        const Cover found = cover_children(index, finely);
        if (found != Cover::conflict) return found;
        take_covers_back(before);
    }
    Group alone;
    alone.kind = ChangeKind::appear;
    alone.node = index;
    alone.added.push_back({index, kNone});
    const NodeIndex in_the_way = obstacle(alone);
    if (in_the_way == kNoNode) {
        add_cover(index);
        return Cover::found;
    }
    if (tree_[in_the_way].key.lod < key.lod) return cover_children(index, finely);
    // Where what is too coarse will stay so, the place is given up with it when the plan has it.
    return will_stay(in_the_way) ? Cover::found : Cover::conflict;
}

World::Cover World::cover_children(NodeIndex index, bool finely) {
    if (tree_[index].children == kNoNode) {
        tree_.add_children(index);
        planner_.may_be_unused(index);
    }
    const NodeIndex first = tree_[index].children;
    Cover all = Cover::nothing;
    for (NodeIndex child = first; child < first + 8; ++child) {
        tree_[child].rejected = !planner_.options().may_have_surface(tree_[child].key);
        if (tree_[child].rejected) continue;
        const Cover found = cover(child, finely);
        if (found == Cover::conflict) return found;
        // Bounds of its parts prove that it is empty.
        if (found == Cover::nothing) tree_[child].rejected = true;
        if (found == Cover::found) all = found;
    }
    return all;
}

void World::add_cover(NodeIndex index) {
    Node& node = tree_[index];
    const std::uint32_t chunk = shared_.table.add(node.key, 0);
    shared_.table[chunk].appears = true;
    node.chunk = chunk;
    node.in_swap = true;
    presence_changed(index, false);
    swap_.members.push_back({index, chunk});
}

void World::take_covers_back(std::size_t from) {
    while (swap_.members.size() > from) {
        const Member member = swap_.members.back();
        swap_.members.pop_back();
        tree_[member.node].chunk = kNone;
        tree_[member.node].in_swap = false;
        presence_changed(member.node, true);
        shared_.table.move(member.chunk, ChunkState::retired);
        if (tree_[member.node].parent != kNoNode) planner_.may_be_unused(tree_[member.node].parent);
    }
}

// What is shown beside opened places, is not touched, and needs another mask.
void World::add_beside_covers(std::vector<std::pair<NodeIndex, std::uint32_t>>& beside) const {
    for (const Member& member : swap_.members) {
        if (member.chunk == kNone) continue;
        const ChunkKey key = tree_[member.node].key;
        for_each_shown_beside(key, [&](NodeIndex node, std::uint32_t side) {
            if (tree_[node].in_swap || !shared_.table[tree_[node].chunk].has_mesh) return;
            const auto found =
                std::find_if(beside.begin(), beside.end(), [&](const auto& each) { return each.first == node; });
            const std::uint32_t mask = found != beside.end() ? found->second : shared_.table[tree_[node].chunk].mask;
            const std::uint32_t back = 1u << opposite(side);
            const std::uint32_t wanted = tree_[node].key.lod < key.lod ? mask | back : mask & ~back;
            if (found != beside.end()) {
                found->second = wanted;
            } else if (wanted != mask) {
                beside.emplace_back(node, wanted);
            }
        });
    }
}

}  // namespace quarry::terrain::streaming
