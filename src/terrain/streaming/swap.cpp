#include "terrain/streaming/swap.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "quarry/terrain/field.hpp"
#include "terrain/streaming/keys.hpp"
#include "terrain/streaming/world.hpp"

namespace quarry::terrain::streaming {
namespace {

std::int32_t first_at_or_after(std::int32_t at, std::int32_t step) {
    return (at + step - 1) & ~(step - 1);
}

bool has_sample(const LatticeBox& box, std::int32_t step) {
    return first_at_or_after(box.low.x, step) <= box.high.x && first_at_or_after(box.low.y, step) <= box.high.y &&
           first_at_or_after(box.low.z, step) <= box.high.z;
}

// Whether a chunk's box, widened by so many lattice units, holds a part of the other.
bool meets(const ChunkKey& key, std::int64_t cells, std::int64_t wider, const LatticeBox& box) {
    const std::int64_t width = cells << key.lod;
    const auto along = [&](std::int32_t place, std::int32_t low, std::int32_t high) {
        return place * width - wider <= high && (place + std::int64_t{1}) * width + wider >= low;
    };
    return along(key.x, box.low.x, box.high.x) && along(key.y, box.low.y, box.high.y) &&
           along(key.z, box.low.z, box.high.z);
}

}  // namespace

// Vertices and their normals depend on samples up to two steps beyond the chunk. A level of which no sample has changed
// stays as it is, but for paint, which lies between samples, too.
bool World::is_touched(const ChunkKey& key, const LatticeBox& box) const {
    const std::int32_t step = std::int32_t{1} << key.lod;
    if (source_->materials == nullptr && !has_sample(box, step)) return false;
    return meets(key, options_.cells, 2 * step, box);
}

bool World::is_touched(const ChunkKey& key, const std::vector<LatticeBox>& boxes) const {
    return std::any_of(boxes.begin(), boxes.end(), [&](const LatticeBox& box) { return is_touched(key, box); });
}

// All nodes that the boxes may touch, parents first.
std::vector<NodeIndex> World::nodes_near(const std::vector<LatticeBox>& boxes) const {
    std::vector<NodeIndex> found;
    const auto is_near = [&](const ChunkKey& key) {
        const std::int64_t wider = std::int64_t{2} << key.lod;
        return std::any_of(boxes.begin(), boxes.end(),
                           [&](const LatticeBox& box) { return meets(key, options_.cells, wider, box); });
    };
    const auto walk = [&](const auto& self, NodeIndex index) -> void {
        if (!is_near(tree_[index].key)) return;
        found.push_back(index);
        const NodeIndex first = tree_[index].children;
        if (first == kNoNode) return;
        for (NodeIndex child = first; child < first + 8; ++child) self(self, child);
    };
    for (const NodeIndex root : tree_.roots()) walk(walk, root);
    return found;
}

bool World::can_begin_swap() const noexcept {
    return !swap_.alive && (current_ == nullptr || !current_->show_told);
}

void World::begin_swap(std::shared_ptr<const MeshSource> source, EditNews news) {
    source_ = std::move(source);
    cache_.drop_if([&](const ChunkKey& key) { return is_touched(key, news.boxes); });
    admit_to_plan(news.boxes);
    renew_groups(news.boxes);
    swap_ = {};
    swap_.alive = true;
    swap_.news = std::move(news);
    swap_.since = shared_.stats.updates;
    ++shared_.stats.edit_swaps;
    for (const NodeIndex index : nodes_near(swap_.news.boxes)) {
        Node& node = tree_[index];
        const bool changes = node.chunk != kNone ? is_touched(node.key, swap_.news.boxes) : appears_with_swap(index);
        if (!changes) continue;
        node.in_swap = true;
        swap_.members.push_back({index, kNone});
    }
    double nearest = 1e300;
    for (const Member& member : swap_.members) {
        nearest = std::min(nearest, planner_.square_of_distance(tree_[member.node].key));
    }
    swap_.is_near = nearest <= planner_.options().lod_distance * planner_.options().lod_distance;
    for (Member& member : swap_.members) request_for_swap(member);
}

// Places that bounds had proven empty may have a surface now.
void World::admit_to_plan(const std::vector<LatticeBox>& boxes) {
    std::vector<NodeIndex> admitted;
    for (const NodeIndex index : nodes_near(boxes)) {
        Node& node = tree_[index];
        if (!node.rejected || !planner_.options().may_have_surface(node.key)) continue;
        node.rejected = false;
        admitted.push_back(index);
        // A join that would have left nothing there.
        if (node.group != kNone) {
            cancel(groups_[node.group]);
            review(index);
        }
    }
    planner_.look_again(admitted);
}

// A leaf that the plan has got just now, in the midst of what is shown: without it there would be a gap until it comes.
bool World::appears_with_swap(NodeIndex index) const {
    const Node& node = tree_[index];
    if (!node.needs_chunk() || node.failed || node.below != 0 || node.group != kNone || node.planned_since != 0) {
        return false;
    }
    if (shown_above(index) != kNoNode) return false;
    Group alone;
    alone.kind = ChangeKind::appear;
    alone.node = index;
    alone.added.push_back({index, kNone});
    return obstacle(alone) == kNoNode;
}

void World::request_for_swap(Member& member) {
    const ChunkKey key = tree_[member.node].key;
    const std::uint32_t mask = mask_for(key);
    member.chunk = shared_.table.add(key, mask);
    ChunkRecord& record = shared_.table[member.chunk];
    record.world = number_;
    record.in_swap = true;
    record.appears = tree_[member.node].chunk == kNone;
    ++swap_.outstanding;
    ++shared_.stats.requested;
    ++shared_.stats.edit_chunks;
    shared_.table.move(member.chunk, ChunkState::queued);
    MeshJob job{shared_.table.id(member.chunk), key, mask, source_, nullptr, key, 1};
    job.urgent = swap_.is_near;
    shared_.jobs->submit(std::move(job), swap_.is_near ? kUrgentRank : rank(key, 1));
}

// Whatever groups have of chunks that are touched is made anew. What they had made of shown ones, too.
void World::renew_groups(const std::vector<LatticeBox>& boxes) {
    for (Group& group : groups_) {
        if (!group.alive) continue;
        bool renewed = false;
        for (Member& member : group.added) {
            if (member.chunk == kNone || !is_touched(tree_[member.node].key, boxes)) continue;
            shared_.table[member.chunk].kept.reset();
            discard(member.chunk);
            member.chunk = kNone;
            renewed = true;
        }
        if (renewed) refresh_added(group);
        forget_rebaked(
            group, [&](NodeIndex node) { return is_touched(tree_[node].key, boxes); }, renewed);
    }
}

template <class Which>
void World::forget_rebaked(Group& group, Which which, bool renewed) {
    for (std::size_t i = 0; i < group.rebaked.size();) {
        if (!which(group.rebaked[i].node)) {
            ++i;
            continue;
        }
        discard(group.rebaked[i].chunk);
        group.rebaked.erase(group.rebaked.begin() + static_cast<std::ptrdiff_t>(i));
        renewed = true;
    }
    if (!renewed) return;
    group.checked_at = 0;
    if (current_ == &group) current_ = nullptr;
    if (group.outstanding == 0) {
        list_as_ready(group);
    } else if (group.ready) {
        group.ready = false;
        std::erase(ready_, index_of(group));
    }
}

void World::came_for_swap(ChunkRecord& record, std::uint32_t slot, MeshOutcome& outcome) {
    if (outcome.was_extracted) ++shared_.stats.meshed;
    --swap_.outstanding;
    if (outcome.error != nullptr) {
        // What is shown stays.
        ++shared_.stats.failed;
        const ChunkError error{record.key, outcome.error};
        const auto member = std::find_if(swap_.members.begin(), swap_.members.end(),
                                         [&](const Member& each) { return each.chunk == slot; });
        tree_[member->node].in_swap = false;
        review(member->node);
        swap_.members.erase(member);
        shared_.table.move(slot, ChunkState::retired);
        if (shared_.on_error) shared_.on_error(error);
        return;
    }
    record.kept = std::move(outcome.kept);
    record.has_mesh = record.kept->mesh.content == ChunkContent::surface;
    record.baked = std::move(outcome.baked);
    shared_.table.move(slot, ChunkState::ready);
}

Member* World::next_swap_upload() {
    for (Member& member : swap_.members) {
        const ChunkRecord& record = shared_.table[member.chunk];
        if (record.state == ChunkState::ready && record.has_mesh) return &member;
    }
    return nullptr;
}

// Gives up the version of a member that is not going to be shown.
void World::drop_from_swap(const Member& member) {
    ChunkRecord& record = shared_.table[member.chunk];
    record.kept.reset();
    switch (record.state) {
        case ChunkState::queued:
        case ChunkState::meshing:
            --swap_.outstanding;
            if (shared_.jobs->cancel(shared_.table.id(member.chunk))) ++shared_.stats.cancelled;
            shared_.table.move(member.chunk, ChunkState::retired);
            break;
        case ChunkState::handed_over:
            shared_.table.move(member.chunk, ChunkState::retiring);
            shared_.releases.push_back(member.chunk);
            break;
        default:
            shared_.table.move(member.chunk, ChunkState::retired);
            break;
    }
    tree_[member.node].in_swap = false;
}

// Nodes that were hidden meanwhile are left out. Before the host is told anything.
void World::prepare_swap() {
    if (swap_.started_told) return;
    std::erase_if(swap_.members, [&](const Member& member) {
        const Node& node = tree_[member.node];
        const bool was_shown = !shared_.table[member.chunk].appears;
        if (!was_shown || node.chunk != kNone) return false;
        drop_from_swap(member);
        return true;
    });
}

void World::list_swap(std::vector<ChunkId>& shown, std::vector<ChunkId>& hidden) const {
    const auto add = [&](std::uint32_t chunk, std::vector<ChunkId>& list) {
        if (chunk != kNone && shared_.table[chunk].has_mesh) list.push_back(shared_.table.id(chunk));
    };
    for (const Member& member : swap_.members) {
        add(member.chunk, shown);
        add(tree_[member.node].chunk, hidden);
    }
}

void World::commit_swap() {
    ++shown_version_;
    round_showed_ = true;
    showed_ = true;
    for (const Member& member : swap_.members) {
        Node& node = tree_[member.node];
        const std::uint32_t old = node.chunk;
        const bool had = has_something(node);
        node.chunk = member.chunk;
        node.in_swap = false;
        if (old != kNone) {
            const bool had_mesh = shared_.table[old].has_mesh;
            shared_.table.move(old, had_mesh ? ChunkState::retiring : ChunkState::retired);
            if (had_mesh) shared_.releases.push_back(old);
        } else {
            node.first = false;
            presence_changed(member.node, had);
            // Changes above did not know of it when they began.
            for (NodeIndex above = node.parent; above != kNoNode; above = tree_[above].parent) {
                if (tree_[above].group != kNone) cancel(groups_[tree_[above].group]);
            }
        }
        ChunkRecord& record = shared_.table[member.chunk];
        record.in_swap = false;
        if (!std::exchange(record.kept->was_used, true)) ++shared_.stats.used;
        if (visible_ || !record.has_mesh) shared_.table.move(member.chunk, ChunkState::shown);
    }
    shared_.stats.edits_shown += swap_.news.edits;
    if (swap_.is_near && swap_.since == shared_.stats.updates) shared_.stats.edits_in_frame += swap_.news.edits;
    std::vector<Member> swapped;
    swapped.swap(swap_.members);
    swap_ = {};
    for (Group& group : groups_) {
        if (!group.alive) continue;
        forget_rebaked(
            group,
            [&](NodeIndex node) {
                return std::any_of(swapped.begin(), swapped.end(),
                                   [&](const Member& member) { return member.node == node; });
            },
            false);
    }
    for (const Member& member : swapped) {
        review_up(member.node);
        // The plan may have gone on below a place while it was on its way.
        review_all_below(member.node);
    }
}

void World::cancel_swap() {
    if (!swap_.alive) return;
    for (const Member& member : swap_.members) drop_from_swap(member);
    swap_ = {};
}

}  // namespace quarry::terrain::streaming
