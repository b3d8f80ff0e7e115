#include <algorithm>
#include <utility>

#include "terrain/streaming/keys.hpp"
#include "terrain/streaming/world.hpp"

namespace quarry::terrain::streaming {
namespace {

// Nobody waits for a coarser mesh as for a finer one.
constexpr double kJoinRank = 1.5;

}  // namespace

Group& World::new_group(NodeIndex node, ChangeKind kind) {
    if (free_groups_.empty()) {
        free_groups_.push_back(static_cast<std::uint32_t>(groups_.size()));
        groups_.emplace_back();
    }
    const std::uint32_t index = free_groups_.back();
    free_groups_.pop_back();
    Group& group = groups_[index];
    group.alive = true;
    group.kind = kind;
    group.number = ++shared_.last_group;
    group.node = node;
    tree_[node].group = index;
    ++groups_alive_;
    return group;
}

std::uint32_t World::index_of(const Group& group) const noexcept {
    return tree_[group.node].group;
}

// Begins a version of a member's chunk.
void World::request(Group& group, Member& member, std::uint32_t mask, std::shared_ptr<KeptMesh> kept) {
    const ChunkKey key = tree_[member.node].key;
    const std::uint32_t slot = shared_.table.add(key, mask);
    member.chunk = slot;
    ChunkRecord& record = shared_.table[slot];
    record.world = number_;
    record.group = index_of(group);
    if (kept != nullptr && kept->mesh.content != ChunkContent::surface) {
        record.kept = std::move(kept);
        shared_.table.move(slot, ChunkState::ready);
        return;
    }
    record.kept = kept;
    if (kept != nullptr && kept->can_bake(mask) && baked_here_ < most_baked_here_ && bake_here(record)) {
        shared_.table.move(slot, ChunkState::ready);
        return;
    }
    ++group.outstanding;
    ++shared_.stats.requested;
    shared_.table.move(slot, ChunkState::queued);
    const double factor = group.kind == ChangeKind::join ? kJoinRank : 1;
    const ChunkKey rank_key = tree_[group.node].key;
    shared_.jobs->submit({shared_.table.id(slot), key, mask, source_, std::move(kept), rank_key, factor},
                         rank(rank_key, factor));
}

// Has made whatever the group needs to be shown beside what is shown now. As long as the host's thread has baked less
// than that in this frame, it bakes what was extracted before.
void World::refresh(Group& group, std::size_t most_baked_here) {
    most_baked_here_ = most_baked_here;
    refresh_added(group);
    refresh_neighbours(group);
    most_baked_here_ = 0;
    group.checked_at = shown_version_;
    if (group.outstanding == 0) list_as_ready(group);
}

void World::list_as_ready(Group& group) {
    if (group.ready) return;
    group.ready = true;
    ready_.push_back(index_of(group));
}

// What has changed around it meanwhile is made by workers at once, if there is room, and else when it is its turn. Next
// to a viewer the host's thread makes some of that when it is its turn, which is sooner.
void World::all_came(Group& group) {
    if (!is_next_to_viewer(group) && has_room(kMostNewInGroup)) return refresh(group, 0);
    group.checked_at = 0;
    list_as_ready(group);
}

void World::refresh_added(Group& group) {
    for (Member& member : group.added) {
        const std::uint32_t mask = mask_for(tree_[member.node].key);
        if (member.chunk == kNone) {
            request(group, member, mask, cache_.take(tree_[member.node].key));
            continue;
        }
        // One that is not back yet is looked at when it is; of an empty one any mask is right.
        const ChunkRecord& record = shared_.table[member.chunk];
        const bool is_there = record.state == ChunkState::ready || record.state == ChunkState::handed_over;
        if (record.mask == mask || !is_there || !record.has_mesh) continue;
        // Held, so that it does not go to the cache.
        HeldMesh kept;
        kept = record.kept.get();
        ++shared_.stats.baked_again;
        discard(member.chunk);
        request(group, member, mask, kept.get());
    }
}

// Those that are shown across a side of the group's node. Only their bit towards the node can change: it is set where
// they will be finer than what is shown there.
void World::refresh_neighbours(Group& group) {
    std::vector<Member>& kept = kept_members_;
    kept.clear();
    const ChunkKey key = tree_[group.node].key;
    if (!group.added.empty()) {
        for_each_shown_beside(key, [&](NodeIndex beside, std::uint32_t side) {
            const std::uint32_t back = 1u << opposite(side);
            const std::uint32_t mask = shared_.table[tree_[beside].chunk].mask;
            if (tree_[beside].key.lod >= key.lod) return want_rebaked(group, beside, mask & ~back, kept);
            if (group.kind != ChangeKind::split) return want_rebaked(group, beside, mask | back, kept);
            // The child of the node that will lie beside it, if it is not empty.
            const NodeIndex child = tree_.find(beyond(tree_[beside].key, opposite(side)));
            const bool is_added = std::any_of(group.added.begin(), group.added.end(),
                                              [&](const Member& member) { return member.node == child; });
            want_rebaked(group, beside, is_added ? mask & ~back : mask, kept);
        });
    }
    for (const Member& member : group.rebaked) discard(member.chunk);
    std::swap(group.rebaked, kept);
}

void World::want_rebaked(Group& group, NodeIndex node, std::uint32_t mask, std::vector<Member>& kept) {
    const ChunkRecord& shown = shared_.table[tree_[node].chunk];
    if (!shown.has_mesh || shown.mask == mask) return;
    // By key: a version may be there for a node that was dropped since, and whose place another one has.
    const auto before = std::find_if(group.rebaked.begin(), group.rebaked.end(), [&](const Member& member) {
        return member.node == node && shared_.table[member.chunk].key == shown.key;
    });
    if (before != group.rebaked.end() && shared_.table[before->chunk].mask == mask) {
        kept.push_back(*before);
        group.rebaked.erase(before);
        return;
    }
    Member member{node, kNone};
    std::shared_ptr<KeptMesh> mesh = shown.kept.get();
    ++shared_.stats.rebaked;
    request(group, member, mask, std::move(mesh));
    kept.push_back(member);
}

// A version that was never shown. What it was made from goes to the cache, unless something shown still has it.
void World::discard(std::uint32_t chunk) {
    ChunkRecord& record = shared_.table[chunk];
    Group& group = groups_[record.group];
    switch (record.state) {
        case ChunkState::queued:
        case ChunkState::meshing:
            --group.outstanding;
            if (shared_.jobs->cancel(shared_.table.id(chunk))) ++shared_.stats.cancelled;
            shared_.table.move(chunk, ChunkState::retired);
            break;
        case ChunkState::handed_over:
            if (record.kept.is_held_by_nobody_else()) cache_.put(record.kept.get());
            shared_.table.move(chunk, ChunkState::retiring);
            shared_.releases.push_back(chunk);
            break;
        default:
            if (record.kept.is_held_by_nobody_else()) cache_.put(record.kept.get());
            shared_.table.move(chunk, ChunkState::retired);
            break;
    }
}

void World::give_up_members(Group& group) {
    for (std::vector<Member>* members : {&group.added, &group.rebaked}) {
        for (const Member& member : *members) {
            if (member.chunk != kNone) discard(member.chunk);
        }
        members->clear();
    }
}

void World::cancel(Group& group) {
    give_up_members(group);
    end_group(group);
}

void World::end_group(Group& group) {
    const std::uint32_t index = index_of(group);
    const NodeIndex node = group.node;
    tree_[node].group = kNone;
    planner_.may_be_unused(node);
    if (tree_[node].parent != kNoNode) planner_.may_be_unused(tree_[node].parent);
    if (current_ == &group) current_ = nullptr;
    if (group.ready) std::erase(ready_, index);
    group.added.clear();
    group.rebaked.clear();
    group.removed.clear();
    group.alive = group.ready = group.show_told = false;
    group.outstanding = 0;
    group.ranked_for = 0;
    --groups_alive_;
    free_groups_.push_back(index);
}

void World::came(ChunkRecord& record, std::uint32_t slot, MeshOutcome& outcome) {
    if (record.in_swap) return came_for_swap(record, slot, outcome);
    Group& group = groups_[record.group];
    if (outcome.was_extracted) ++shared_.stats.meshed;
    if (outcome.error != nullptr) {
        ++shared_.stats.failed;
        const ChunkError error{record.key, outcome.error};
        if (group.kind != ChangeKind::appear) return fail(group, error);
        // Where nothing was shown before, the place stays empty: others must not wait for it.
        record.failed = true;
        shared_.table.move(slot, ChunkState::ready);
        if (--group.outstanding == 0) all_came(group);
        if (shared_.on_error) shared_.on_error(error);
        return;
    }
    record.kept = std::move(outcome.kept);
    record.has_mesh = outcome.baked != nullptr;
    record.baked = std::move(outcome.baked);
    shared_.table.move(slot, ChunkState::ready);
    if (--group.outstanding == 0) all_came(group);
}

void World::keep(const MeshOutcome& outcome) {
    if (outcome.error == nullptr && outcome.kept != nullptr && outcome.kept->held == 0) cache_.put(outcome.kept);
}

// What is shown stays. The change is tried again when the plan changes at that node.
void World::fail(Group& group, const ChunkError& error) {
    give_up_group(group);
    if (shared_.on_error) shared_.on_error(error);
}

void World::freeze() {
    cancel_swap();
    for (Group& group : groups_) {
        if (group.alive) cancel(group);
    }
    for (const NodeIndex node : waiting_) tree_[node].waiting = false;
    waiting_.clear();
    for (const NodeIndex node : leaving_) tree_[node].leaving = false;
    leaving_.clear();
}

void World::give_up() {
    freeze();
    tree_.for_each([&](NodeIndex node) {
        if (tree_[node].chunk != kNone) drop_shown(node);
    });
    cache_.clear();
}

}  // namespace quarry::terrain::streaming
