#include <algorithm>
#include <utility>

#include "terrain/streaming/keys.hpp"
#include "terrain/streaming/world.hpp"

namespace quarry::terrain::streaming {
namespace {

// Meshes that the host's thread bakes in a frame rather than wait another one for a worker: of groups next to a viewer.
constexpr std::size_t kMostBakedHere = 8;
// With those of groups that are shown in this frame or too late.
constexpr std::size_t kMostBakedInTime = 32;
// Frames that a chunk next to a viewer may take from the plan to what is shown.
constexpr std::uint32_t kLastFrameInTime = 2;

}  // namespace

// As long as viewers stay where they are, what was in order still is, and what came since is behind it: then thousands
// that are ready cost little.
void World::begin_delivery() {
    const auto is_nearer = [](const auto& a, const auto& b) { return a.first < b.first; };
    order_.clear();
    for (const std::uint32_t index : ready_) {
        Group& group = groups_[index];
        if (std::exchange(group.ranked_for, viewers_version_) != viewers_version_) {
            group.rank = rank(tree_[group.node].key, 1);
        }
        order_.emplace_back(is_last_frame_in_time(group) ? kUrgentRank : group.rank, index);
    }
    const auto first_new = std::is_sorted_until(order_.begin(), order_.end(), is_nearer);
    if (first_new != order_.end()) {
        std::stable_sort(first_new, order_.end(), is_nearer);
        std::inplace_merge(order_.begin(), first_new, order_.end(), is_nearer);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) ready_[i] = order_[i].second;
    next_ready_ = 0;
    round_showed_ = showed_ = false;
}

// Rounds over all that is ready: what was in the way of one may be gone later in the round.
Group* World::next_to_hand_over(const std::function<bool()>& must_stop) {
    if (swap_.alive) return nullptr;
    if (current_ != nullptr && (current_checked_ == shown_version_ || can_be_shown(*current_))) {
        current_checked_ = shown_version_;
        return current_;
    }
    current_ = nullptr;
    for (;;) {
        if (next_ready_ >= ready_.size()) {
            if (!std::exchange(round_showed_, false)) {
                if (!is_stuck()) return nullptr;
                if (Group* const group = give_way()) return group;
                if (!give_up_one()) return nullptr;
            }
            next_ready_ = 0;
            continue;
        }
        Group& group = groups_[ready_[next_ready_]];
        const std::size_t before = ready_.size();
        if (can_be_shown(group)) {
            current_checked_ = shown_version_;
            return current_ = &group;
        }
        // One that was given up, or has to wait for a mesh again, has left the list.
        if (ready_.size() == before) ++next_ready_;
        if (showed_ && must_stop()) return nullptr;
    }
}

// Nothing can be shown, and no worker is at anything that could change that.
bool World::is_stuck() const {
    return !showed_ && !ready_.empty() && shared_.table.count(ChunkState::queued) == 0 &&
           shared_.table.count(ChunkState::meshing) == 0;
}

// Where a part of a node's children is missing, to join the others may cut something off which in turn waits for them,
// or the node would touch one that is too coarse. Then they are hidden: the node appears when nothing is against it.
Group* World::give_way() {
    for (const bool beside_coarser : {false, true}) {
        for (const std::uint32_t index : ready_) {
            Group& group = groups_[index];
            if (group.kind != ChangeKind::join || (obstacle(group) != kNoNode) != beside_coarser) continue;
            filled_.clear();
            look_below(group.node, Plan::wanted, 255, filled_);
            if (beside_coarser ? filled_.missing.empty() : !would_cut_off(group.node)) continue;
            give_up_members(group);
            group.checked_at = current_checked_ = shown_version_;
            return current_ = &group;
        }
    }
    return nullptr;
}

// Whether what is shown in a node, or below it, will not change before the plan does: something failed there.
bool World::will_stay(NodeIndex index) const {
    const Node& node = tree_[index];
    if (node.failed) return true;
    if (node.below == 0) return false;
    for (NodeIndex child = node.children; child < node.children + 8; ++child) {
        if (tree_[child].below != 0 && will_stay(child)) return true;
    }
    return false;
}

void World::give_up_place(NodeIndex index) {
    tree_[index].failed = true;
    if (tree_[index].group != kNone) cancel(groups_[tree_[index].group]);
}

// Nothing more will appear in a leaf of the plan. What would be cut off by that goes with it.
void World::give_up_leaf(NodeIndex leaf) {
    std::vector<NodeIndex> with_it;
    if (would_cut_off(leaf)) {
        for (const NodeIndex cut_off : cut_off_) with_it.push_back(planned_at_or_above(cut_off));
    }
    give_up_place(leaf);
    for (const NodeIndex other : with_it) {
        if (!tree_[other].failed) give_up_leaf(other);
    }
}

// The leaf around children that cannot join will never be whole: others must not wait for what is missing of it.
void World::give_up_group(const Group& group) {
    const NodeIndex node = group.node;
    const bool is_split = group.kind == ChangeKind::split;
    if (!is_split) give_up_leaf(planned_at_or_above(node));
    give_up_place(node);
}

// Nothing goes on, because a group waits for what has failed.
bool World::give_up_one() {
    for (const std::uint32_t index : ready_) {
        const Group& group = groups_[index];
        const NodeIndex in_the_way = obstacle(group);
        if (in_the_way == kNoNode || !will_stay(in_the_way)) continue;
        give_up_group(group);
        return true;
    }
    return false;
}

bool World::can_be_shown(Group& group) {
    const NodeIndex in_the_way = obstacle(group);
    if (in_the_way != kNoNode) {
        tree_[in_the_way].urgent = true;
        if (!will_stay(in_the_way)) return false;
        if (!would_cut_off(planned_at_or_above(group.node))) give_up_group(group);
        return false;
    }
    if (group.kind == ChangeKind::appear) {
        const Node& node = tree_[group.node];
        const NodeIndex missing = node.first ? kNoNode : missing_towards_viewer(node.key, false);
        if (missing != kNoNode) {
            tree_[missing].urgent = true;
            return false;
        }
    }
    if (group.kind != ChangeKind::split && !group.added.empty() && would_cut_off(group.node)) return false;
    if (group.checked_at == shown_version_) return true;
    const bool must_wait = !has_room(kMostNewInGroup) && shared_.table.count(ChunkState::queued) != 0;
    if (must_wait && !group.added.empty()) return false;
    refresh(group, is_last_frame_in_time(group) ? kMostBakedInTime : is_next_to_viewer(group) ? kMostBakedHere : 0);
    if (group.outstanding == 0) return true;
    group.ready = false;
    std::erase(ready_, index_of(group));
    return false;
}

bool World::is_next_to_viewer(const Group& group) const {
    return group.kind == ChangeKind::split && tree_[group.node].key.lod == 1;
}

// Whether it would be late if a worker had to bake something for it again.
bool World::is_last_frame_in_time(const Group& group) const {
    if (!is_next_to_viewer(group) || group.added.empty()) return false;
    const NodeIndex node = group.added.front().node;
    return tree_[node].planned_since != 0 && frames_since_planned(tree_[node]) == kLastFrameInTime;
}

// On the host's thread. False: a worker will meet the error that was met here, and report it.
bool World::bake_here(ChunkRecord& record) {
    auto baked = std::make_unique<BakedMesh>(BakedMesh{bake(record.kept->mesh, record.mask), nullptr});
    try {
        if (source_->prepare) baked->prepared = source_->prepare(baked->mesh);
    } catch (...) {
        return false;
    }
    record.baked = std::move(baked);
    record.has_mesh = true;
    ++baked_here_;
    ++shared_.stats.baked_by_host;
    return true;
}

Member* World::next_upload(Group& group) {
    const std::size_t members = group.added.size() + group.rebaked.size();
    for (std::size_t i = 0; i < members; ++i) {
        Member& member = i < group.added.size() ? group.added[i] : group.rebaked[i - group.added.size()];
        const ChunkRecord& record = shared_.table[member.chunk];
        if (record.state == ChunkState::ready && record.has_mesh) return &member;
    }
    return nullptr;
}

void World::list_changes(const Group& group, std::vector<ChunkId>& shown, std::vector<ChunkId>& hidden) const {
    const auto add = [&](std::uint32_t chunk, std::vector<ChunkId>& list) {
        if (shared_.table[chunk].has_mesh) list.push_back(shared_.table.id(chunk));
    };
    for (const Member& member : group.added) add(member.chunk, shown);
    for (const Member& member : group.rebaked) {
        add(member.chunk, shown);
        add(tree_[member.node].chunk, hidden);
    }
    for (const NodeIndex node : group.removed) add(tree_[node].chunk, hidden);
}

// The host has done its part: from now on this is what is shown.
void World::show_or_hold(std::uint32_t chunk) {
    if (visible_ || !shared_.table[chunk].has_mesh) {
        shared_.table.move(chunk, ChunkState::shown);
    } else {
        shared_.table.hold(chunk);
    }
}

void World::commit(Group& group) {
    ++shown_version_;
    round_showed_ = showed_ = true;
    if (!group.added.empty()) ++shared_.stats.groups_shown;
    const auto show = [&](std::uint32_t chunk) {
        ChunkRecord& record = shared_.table[chunk];
        record.group = kNone;
        if (record.kept && !std::exchange(record.kept->was_used, true)) ++shared_.stats.used;
        show_or_hold(chunk);
    };
    for (const NodeIndex node : group.removed) drop_shown(node);
    for (const Member& member : group.rebaked) {
        const std::uint32_t old = std::exchange(tree_[member.node].chunk, member.chunk);
        shared_.table.move(old, ChunkState::retiring);
        shared_.releases.push_back(old);
        show(member.chunk);
    }
    for (const Member& member : group.added) {
        Node& node = tree_[member.node];
        const bool had = has_something(node);
        node.chunk = member.chunk;
        node.first = false;
        show(member.chunk);
        presence_changed(member.node, had);
        if (group.kind == ChangeKind::split && node.key.lod == 0 && node.planned_since != 0) {
            const std::size_t last = shared_.stats.late.size() - 1;
            ++shared_.stats.late[std::min<std::size_t>(frames_since_planned(node), last)];
        }
    }
    const NodeIndex node = group.node;
    const bool was_split = group.kind == ChangeKind::split;
    end_group(group);
    review_up(node);
    if (!was_split) return;
    for (NodeIndex child = tree_[node].children; child < tree_[node].children + 8; ++child) review(child);
}

bool World::list_leaving(std::size_t most, std::vector<ChunkId>& hidden) {
    leaving_listed_ = 0;
    while (leaving_listed_ < leaving_.size() && hidden.size() < most) {
        const NodeIndex node = leaving_[leaving_.size() - ++leaving_listed_];
        if (wanted(node) != ChangeKind::vanish) continue;
        const std::uint32_t chunk = tree_[node].chunk;
        if (shared_.table[chunk].has_mesh) hidden.push_back(shared_.table.id(chunk));
    }
    return leaving_listed_ != 0;
}

void World::leave() {
    ++shown_version_;
    for (; leaving_listed_ > 0; --leaving_listed_) {
        const NodeIndex node = leaving_.back();
        leaving_.pop_back();
        tree_[node].leaving = false;
        const NodeIndex parent = tree_[node].parent;
        if (wanted(node) == ChangeKind::vanish) {
            drop_shown(node);
            review_up(parent);
        } else if (parent != kNoNode) {
            planner_.may_be_unused(parent);
        }
    }
}

void World::drop_shown(NodeIndex index) {
    Node& node = tree_[index];
    const std::uint32_t chunk = std::exchange(node.chunk, kNone);
    ChunkRecord& record = shared_.table[chunk];
    if (!record.failed) cache_.put(record.kept.get());
    if (node.in_swap) leave_swap(index);
    if (record.has_mesh) {
        shared_.table.move(chunk, ChunkState::retiring);
        shared_.releases.push_back(chunk);
    } else {
        shared_.table.move(chunk, ChunkState::retired);
    }
    presence_changed(index, true);
    if (node.parent != kNoNode) planner_.may_be_unused(node.parent);
    planner_.may_be_unused(index);
}

void World::presence_changed(NodeIndex index, bool had) {
    while (index != kNoNode) {
        const bool has = has_something(tree_[index]);
        if (has == had) return;
        const NodeIndex parent = tree_[index].parent;
        if (parent == kNoNode) return;
        had = has_something(tree_[parent]);
        tree_[parent].below = static_cast<std::uint8_t>(tree_[parent].below + (has ? 1 : -1));
        index = parent;
    }
}

}  // namespace quarry::terrain::streaming
