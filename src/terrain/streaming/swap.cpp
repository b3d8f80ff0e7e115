#include "terrain/streaming/swap.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "quarry/terrain/field.hpp"
#include "terrain/streaming/keys.hpp"
#include "terrain/streaming/world.hpp"
#include "terrain/transvoxel/chunk_edges.hpp"

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

// Whether the box meets a line along which chunks of this level, or of the next finer one, meet. Vertices there lie
// where the finest level has them (transvoxel/chunk_edges.hpp), and depend on samples between those of their own level.
bool meets_line(const LatticeBox& box, std::int32_t step) {
    const std::int32_t apart = static_cast<std::int32_t>(transvoxel::kSettledCells) / 2 * step;
    const auto has = [&](std::int32_t low, std::int32_t high) { return first_at_or_after(low, apart) <= high; };
    const int planes = (has(box.low.x, box.high.x) ? 1 : 0) + (has(box.low.y, box.high.y) ? 1 : 0) +
                       (has(box.low.z, box.high.z) ? 1 : 0);
    return planes >= 2;
}

}  // namespace

// Vertices and their normals depend on samples up to two steps beyond the chunk. A level of which no sample has changed
// stays as it is, but for paint, which lies between samples, too.
bool World::is_touched(const ChunkKey& key, const LatticeBox& box) const {
    const std::int32_t step = std::int32_t{1} << key.lod;
    const bool is_settled = options_.cells == static_cast<std::int32_t>(transvoxel::kSettledCells);
    const bool has_changed = has_sample(box, step) || (is_settled && meets_line(box, step));
    if (source_->materials == nullptr && !has_changed) return false;
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

bool World::begin_swap(const std::shared_ptr<const MeshSource>& source, const EditNews& news) {
    admit_to_plan(std::exchange(opened_, {}));
    const std::shared_ptr<const MeshSource> before = std::exchange(source_, source);
    swap_ = {};
    std::vector<NodeIndex> others;
    find_opened(news.boxes, swap_.opened, others);
    if (!cover_all(swap_.opened, true) && !cover_all(swap_.opened, false)) {
        source_ = before;
        swap_ = {};
        ++shared_.stats.edits_held;
        return false;
    }
    swap_.alive = true;
    swap_.news = news;
    ++shared_.stats.edit_swaps;
    for (const NodeIndex index : swap_.opened) tree_[index].opened = true;
    add_touched();
    std::vector<std::uint32_t> masks;
    for (const Member& member : swap_.members) masks.push_back(mask_for(tree_[member.node].key));
    std::vector<std::pair<NodeIndex, std::uint32_t>> beside;
    add_beside_covers(beside);
    // Nothing of it is shown yet.
    for (const Member& member : swap_.members) {
        if (member.chunk == kNone) continue;
        tree_[member.node].chunk = kNone;
        presence_changed(member.node, true);
    }
    // Workers begin while the rest is looked after.
    for (const std::size_t i : largest_first()) request_for_swap(swap_.members[i], masks[i], nullptr);
    // In this order: a group that is given up leaves its meshes to the cache, one that is made anew takes some from it.
    admit_to_plan(others);
    cache_.drop_if([&](const ChunkKey& key) { return is_touched(key, news.boxes); });
    renew_groups(news.boxes);
    for (const auto& [node, mask] : beside) {
        tree_[node].in_swap = true;
        swap_.members.push_back({node, kNone});
        request_for_swap(swap_.members.back(), mask, shared_.table[tree_[node].chunk].kept.get());
    }
    return true;
}

// All that is shown and touched, beside what covers opened places.
void World::add_touched() {
    double nearest = std::numeric_limits<double>::infinity();
    for (const NodeIndex index : nodes_near(swap_.news.boxes)) {
        Node& node = tree_[index];
        if (node.chunk == kNone || node.in_swap || !is_touched(node.key, swap_.news.boxes)) continue;
        node.in_swap = true;
        swap_.members.push_back({index, kNone});
        make_outdated(node.chunk);
    }
    for (const Member& member : swap_.members) {
        nearest = std::min(nearest, planner_.square_of_distance(tree_[member.node].key));
    }
    swap_.is_near = nearest <= planner_.options().lod_distance * planner_.options().lod_distance;
}

// Members by the size of what is shown of them: the last to end should be small ones.
std::vector<std::size_t> World::largest_first() const {
    std::vector<std::size_t> order(swap_.members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto size_of = [&](std::size_t member) -> std::size_t {
        const std::uint32_t shown = tree_[swap_.members[member].node].chunk;
        if (shown == kNone || !shared_.table[shown].kept) return 0;
        return shared_.table[shown].kept->mesh.positions.size();
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size_of(a) > size_of(b); });
    return order;
}

void World::request_for_swap(Member& member, std::uint32_t mask, std::shared_ptr<KeptMesh> kept) {
    const ChunkKey key = tree_[member.node].key;
    if (member.chunk == kNone) member.chunk = shared_.table.add(key, mask);
    ChunkRecord& record = shared_.table[member.chunk];
    record.mask = mask;
    record.world = number_;
    record.in_swap = true;
    ++swap_.outstanding;
    ++shared_.stats.requested;
    ++shared_.stats.edit_chunks;
    shared_.table.move(member.chunk, ChunkState::queued);
    MeshJob job{shared_.table.id(member.chunk), key, mask, source_, std::move(kept), key, 1};
    job.urgent = swap_.is_near;
    shared_.jobs->submit(std::move(job), swap_.is_near ? kUrgentRank : rank(key, 1));
}

// Whatever groups have of chunks that are touched is made anew. What they had made of shown ones, too: also of one that
// was hidden since, whose node may be another's by now.
void World::renew_groups(const std::vector<LatticeBox>& boxes) {
    const auto touched = [&](const Member& member) {
        return member.chunk != kNone && is_touched(shared_.table[member.chunk].key, boxes);
    };
    for (Group& group : groups_) {
        if (!group.alive) continue;
        for (const std::vector<Member>* members : {&group.added, &group.rebaked}) {
            for (const Member& member : *members) {
                if (touched(member)) make_outdated(member.chunk);
            }
        }
        bool renewed = false;
        for (Member& member : group.added) {
            if (!touched(member)) continue;
            discard(member.chunk);
            member.chunk = kNone;
            renewed = true;
        }
        if (renewed) refresh_added(group);
        forget_rebaked(group, touched, renewed);
    }
}

void World::make_outdated(std::uint32_t chunk) {
    const HeldMesh& kept = shared_.table[chunk].kept;
    if (kept) kept->outdated = true;
}

template <class Which>
void World::forget_rebaked(Group& group, Which which, bool renewed) {
    for (std::size_t i = 0; i < group.rebaked.size();) {
        if (!which(group.rebaked[i])) {
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
        ++shared_.stats.failed;
        const ChunkError error{record.key, outcome.error};
        const auto member = std::find_if(swap_.members.begin(), swap_.members.end(),
                                         [&](const Member& each) { return each.chunk == slot; });
        if (record.appears) {
            // The place stays empty.
            record.failed = true;
            shared_.table.move(slot, ChunkState::ready);
        } else {
            // What is shown stays.
            tree_[member->node].in_swap = false;
            swap_.members.erase(member);
            shared_.table.move(slot, ChunkState::retired);
        }
        if (shared_.on_error) shared_.on_error(error);
        return;
    }
    record.kept = std::move(outcome.kept);
    record.has_mesh = outcome.baked != nullptr;
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
    if (tree_[member.node].parent != kNoNode) planner_.may_be_unused(tree_[member.node].parent);
}

// What is shown of the node was hidden before its new version came.
void World::leave_swap(NodeIndex index) {
    const auto member = std::find_if(swap_.members.begin(), swap_.members.end(),
                                     [&](const Member& each) { return each.node == index; });
    drop_from_swap(*member);
    swap_.members.erase(member);
}

// Opened places that are missing meanwhile, because the plan has changed, or no part of it any more, are left out.
// Before the host is told anything.
void World::prepare_swap() {
    if (swap_.started_told) return;
    std::erase_if(swap_.members, [&](const Member& member) {
        if (!shared_.table[member.chunk].appears || counts_as_shown(opened_above(member.node))) return false;
        drop_from_swap(member);
        return true;
    });
    // Nothing counts them as shown now: from here on they are as any other place.
    for (const NodeIndex index : swap_.opened) {
        if (!counts_as_shown(index)) tree_[index].rejected = false;
    }
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
        if (record.kept && !std::exchange(record.kept->was_used, true)) ++shared_.stats.used;
        show_or_hold(member.chunk);
    }
    count_shown_edits();
    const std::vector<Member> swapped = std::exchange(swap_.members, {});
    opened_.insert(opened_.end(), swap_.opened.begin(), swap_.opened.end());
    swap_ = {};
    for (Group& group : groups_) {
        if (!group.alive) continue;
        forget_rebaked(
            group,
            [&](const Member& rebaked) {
                return std::any_of(swapped.begin(), swapped.end(),
                                   [&](const Member& member) { return member.node == rebaked.node; });
            },
            false);
    }
    for (const Member& member : swapped) {
        review_up(member.node);
        // The plan may have gone on below a place while it was on its way.
        review_all_below(member.node);
    }
}

void World::count_shown_edits() const {
    StreamerStats& stats = shared_.stats;
    for (const std::uint64_t told : swap_.news.told) {
        ++stats.edits_shown;
        if (swap_.is_near) ++(told == stats.updates ? stats.edits_in_frame : stats.edits_late);
    }
}

void World::cancel_swap() {
    if (!swap_.alive) return;
    for (const Member& member : swap_.members) drop_from_swap(member);
    for (const NodeIndex index : swap_.opened) tree_[index].opened = false;
    swap_ = {};
}

}  // namespace quarry::terrain::streaming
