#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quarry/terrain/shown_check.hpp"
#include "quarry/terrain/streamer_options.hpp"
#include "quarry/terrain/streamer_stats.hpp"
#include "terrain/os.hpp"
#include "terrain/streaming/chunk_table.hpp"
#include "terrain/streaming/group.hpp"
#include "terrain/streaming/keys.hpp"
#include "terrain/streaming/mesh_cache.hpp"
#include "terrain/streaming/mesh_jobs.hpp"
#include "terrain/streaming/node_tree.hpp"
#include "terrain/streaming/planner.hpp"
#include "terrain/streaming/swap.hpp"

namespace quarry::terrain::streaming {

// Adds up what the calling thread computes, where that was asked for.
class Laps {
  public:
    void begin(bool wanted) noexcept {
        wanted_ = wanted;
        if (wanted_) last_ = impl::os::thread_time();
    }
    // Since the end of the lap before.
    void end(std::chrono::nanoseconds& sum) noexcept {
        if (!wanted_) return;
        const std::chrono::nanoseconds now = impl::os::thread_time();
        sum += now - std::exchange(last_, now);
    }

  private:
    bool wanted_ = false;
    std::chrono::nanoseconds last_{};
};

// What all worlds of one streamer have in common.
struct Shared {
    ChunkTable table;
    std::unique_ptr<MeshJobs> jobs;
    std::deque<std::uint32_t> releases;  // chunks that are retiring
    StreamerStats stats;                 // what is counted as it happens
    Laps laps;                           // of the update that runs
    std::size_t most_pending = 0;
    std::uint64_t last_group = 0;
    std::function<void(const ChunkError&)> on_error;
};

// Where a viewer is, in lattice units, and seems to be going.
struct ViewerPlace {
    LatticePlace at{};
    LatticePlace predicted{};
    LatticePlace direction{};  // of length 1, or 0

    friend bool operator==(const ViewerPlace&, const ViewerPlace&) = default;
};

// One field seen by viewers: the plan, what is shown of it, and the changes under way from one to the other.
//
// What is shown is at every moment a set of nodes that do not overlap, in which levels differ by at most one where two
// touch. A change takes one step: a leaf appears, a node is split, eight children join, a node vanishes. It has its
// meshes made at once, whatever its neighbours do, and is shown when nothing stands against it: see changes.cpp.
// Changes are shown one after the other, and each looks at what is shown just before: so there are no locks.
class World {
  public:
    World(Shared& shared, std::uint32_t number, std::shared_ptr<const MeshSource> source,
          const StreamerOptions& options, bool visible);
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // Comes before the results that an update takes in.
    void begin_frame() noexcept { baked_here_ = 0; }
    void update(std::span<const ViewerPlace> viewers);
    // Lower is sooner.
    double rank(const ChunkKey& key, double factor) const;

    void came(ChunkRecord& record, std::uint32_t slot, MeshOutcome& outcome);
    // A result that nobody waits for.
    void keep(const MeshOutcome& outcome);

    void begin_delivery();
    // The group that is handed over, if any can be: it stays the same until it is shown or given up. Once a group was
    // shown in this delivery, the search for another ends when must_stop().
    Group* next_to_hand_over(const std::function<bool()>& must_stop);
    // Whether that has to find one.
    bool must_search() const noexcept { return current_ == nullptr; }
    // The member that is to be uploaded next; null: none is left.
    Member* next_upload(Group& group);
    // Ids of the chunks with a mesh that are to be shown and hidden.
    void list_changes(const Group& group, std::vector<ChunkId>& shown, std::vector<ChunkId>& hidden) const;
    void commit(Group& group);
    // Up to so many chunks with a mesh that the plan has left behind; none: nothing is left of them.
    bool list_leaving(std::size_t most, std::vector<ChunkId>& hidden);
    // Those that were listed are no longer shown.
    void leave();

    // swap.cpp: edits. Whether a swap may begin: no other is under way, nor is a group half shown.
    bool can_begin_swap() const noexcept;
    // The field has changed: all that is shown of it there is made anew and exchanged together. False, and nothing is
    // changed: levels around a place that the edits open have to come closer to each other first.
    bool begin_swap(const std::shared_ptr<const MeshSource>& source, const EditNews& news);
    void came_for_swap(ChunkRecord& record, std::uint32_t slot, MeshOutcome& outcome);
    Swap& swap() noexcept { return swap_; }
    void prepare_swap();
    Member* next_swap_upload();
    void list_swap(std::vector<ChunkId>& shown, std::vector<ChunkId>& hidden) const;
    void commit_swap();
    void cancel_swap();

    bool at_rest() const noexcept { return !swap_.alive && waiting_.empty() && leaving_.empty() && groups_alive_ == 0; }
    // At rest, with nothing missing.
    bool complete() const;
    bool ready_around(const LatticePlace& position, double radius) const;
    void list_shown(ShownWorld& world) const;
    template <class Visit>
    void for_each_shown(Visit visit) {
        tree_.for_each([&](NodeIndex node) {
            if (tree_[node].chunk != kNone) visit(tree_[node].chunk);
        });
    }

    // Gives up all changes under way.
    void freeze();
    // The same, and all that is shown.
    void give_up();
    void become_visible() noexcept { visible_ = true; }
    bool is_visible() const noexcept { return visible_; }
    // Groups that could be shown, or nearly.
    std::size_t ready() const noexcept { return ready_.size(); }

    std::uint32_t number() const noexcept { return number_; }
    const StreamerOptions& options() const noexcept { return options_; }
    const std::shared_ptr<const MeshSource>& source() const noexcept { return source_; }
    const MeshCache& cache() const noexcept { return cache_; }
    std::size_t nodes() const noexcept { return tree_.size(); }
    std::size_t tree_bytes() const noexcept { return tree_.bytes(); }
    std::size_t looked_at() const noexcept { return planner_.looked_at(); }
    std::size_t waiting() const noexcept { return waiting_.size(); }
    std::size_t groups() const noexcept { return groups_alive_; }

  private:
    // world.cpp: which changes there have to be.
    void note_change(NodeIndex index);
    ChangeKind wanted(NodeIndex index) const;
    bool plan_covers(NodeIndex index) const;
    void review(NodeIndex index);
    void review_all_below(NodeIndex index);
    void review_up(NodeIndex index);
    void begin_waiting();
    // A change begins only where a second one would have room: what neighbours need anew is taken from that.
    bool has_room(std::size_t chunks) const { return shared_.table.pending() + chunks <= shared_.most_pending; }
    bool may_begin(NodeIndex index, ChangeKind kind) const;
    void begin(NodeIndex index, ChangeKind kind);
    bool make_room();

    // neighbours.cpp: what is shown around a place.
    bool has_something(const Node& node) const noexcept { return node.chunk != kNone || node.below != 0; }
    NodeIndex shown_above(NodeIndex index) const;
    bool plans_coarser(NodeIndex index, std::int32_t lod) const;
    std::uint32_t mask_for(const ChunkKey& key) const;
    // A place that is not divided further: of the plan, or left over beside something shown.
    bool is_undivided(const Node& node) const;
    bool is_missing(NodeIndex index) const;
    NodeIndex planned_at_or_above(NodeIndex index) const;
    NodeIndex missing_at(const ChunkKey& key, std::uint32_t facing, bool or_begun) const;
    NodeIndex missing_below(NodeIndex index, std::uint32_t facing, bool or_begun) const;
    NodeIndex missing_along(const ChunkKey& key, std::uint32_t side, double viewer, bool or_begun) const;
    NodeIndex missing_towards_viewer(const ChunkKey& key, bool or_begun) const;
    NodeIndex obstacle(const Group& group) const;

    // enclosure.cpp: what would be missing inside.
    enum class Plan : std::uint8_t { outside, wanted, given_up };
    struct Surroundings {
        std::vector<NodeIndex> missing;
        bool touches_outside = false;
        void clear() {
            missing.clear();
            touches_outside = false;
        }
    };
    void look_below(NodeIndex index, Plan plan, std::uint32_t facing, Surroundings& found) const;
    Plan plan_of(NodeIndex index) const;
    void look_into(const ChunkKey& key, std::uint32_t facing, Surroundings& found) const;
    void look_across_sides(const ChunkKey& key, Surroundings& found) const;
    bool hang_together(const ChunkKey& key, const std::vector<NodeIndex>& beside);
    bool reaches_outside(NodeIndex start, std::uint32_t blocked, std::uint32_t open);
    bool would_cut_off(NodeIndex place);

    // changes.cpp: groups.
    Group& new_group(NodeIndex node, ChangeKind kind);
    std::uint32_t index_of(const Group& group) const noexcept;
    void request(Group& group, Member& member, std::uint32_t mask, std::shared_ptr<KeptMesh> kept);
    void refresh(Group& group, std::size_t most_baked_here);
    void all_came(Group& group);
    void list_as_ready(Group& group);
    void refresh_added(Group& group);
    void refresh_neighbours(Group& group);
    template <class Visit>
    void for_each_shown_beside(const ChunkKey& key, Visit visit) const;
    void want_rebaked(Group& group, NodeIndex node, std::uint32_t mask, std::vector<Member>& kept);
    void discard(std::uint32_t chunk);
    void give_up_members(Group& group);
    void cancel(Group& group);
    void end_group(Group& group);
    void fail(Group& group, const ChunkError& error);

    // showing.cpp: which group is shown next, and what is shown then.
    bool can_be_shown(Group& group);
    bool is_stuck() const;
    Group* give_way();
    bool give_up_one();
    void give_up_group(const Group& group);
    void give_up_place(NodeIndex index);
    void give_up_leaf(NodeIndex leaf);
    bool will_stay(NodeIndex index) const;
    bool is_next_to_viewer(const Group& group) const;
    std::uint32_t frames_since_planned(const Node& node) const noexcept {
        return static_cast<std::uint32_t>(shared_.stats.updates) - node.planned_since;
    }
    bool is_last_frame_in_time(const Group& group) const;
    bool bake_here(ChunkRecord& record);
    void drop_shown(NodeIndex index);
    void show_or_hold(std::uint32_t chunk);
    void presence_changed(NodeIndex index, bool had);

    // swap.cpp
    bool is_touched(const ChunkKey& key, const LatticeBox& box) const;
    bool is_touched(const ChunkKey& key, const std::vector<LatticeBox>& boxes) const;
    std::vector<NodeIndex> nodes_near(const std::vector<LatticeBox>& boxes) const;
    void add_touched();
    std::vector<std::size_t> largest_first() const;
    void request_for_swap(Member& member, std::uint32_t mask, std::shared_ptr<KeptMesh> kept);
    void make_outdated(std::uint32_t chunk);
    void renew_groups(const std::vector<LatticeBox>& boxes);
    template <class Which>
    void forget_rebaked(Group& group, Which which, bool renewed);
    void drop_from_swap(const Member& member);
    void leave_swap(NodeIndex index);
    void count_shown_edits() const;

    // opened.cpp: places that edits open.
    void find_opened(const std::vector<LatticeBox>& boxes, std::vector<NodeIndex>& covered,
                     std::vector<NodeIndex>& others);
    bool counts_as_shown(NodeIndex index) const;
    NodeIndex opened_above(NodeIndex index) const;
    void admit_to_plan(const std::vector<NodeIndex>& nodes);
    bool cover_all(std::vector<NodeIndex>& opened, bool finely);
    enum class Cover : std::uint8_t { nothing, found, conflict };
    Cover cover(NodeIndex index, bool finely);
    Cover cover_children(NodeIndex index, bool finely);
    void add_cover(NodeIndex index);
    void take_covers_back(std::size_t from);
    void add_beside_covers(std::vector<std::pair<NodeIndex, std::uint32_t>>& beside) const;

    Shared& shared_;
    const std::uint32_t number_;
    std::shared_ptr<const MeshSource> source_;  // another one with each edit
    const StreamerOptions options_;
    bool visible_;
    NodeTree tree_;
    Planner planner_;
    MeshCache cache_;
    std::vector<ViewerPlace> viewers_;
    std::vector<LatticePlace> places_;
    std::uint64_t viewers_version_ = 1;  // grows when one of them has moved or turned

    std::deque<Group> groups_;  // stay where they are
    std::vector<std::uint32_t> free_groups_;
    std::size_t groups_alive_ = 0;
    std::vector<NodeIndex> waiting_;    // nodes that need a change which has not begun
    std::vector<NodeIndex> leaving_;    // nodes that the plan has left behind
    std::size_t leaving_listed_ = 0;    // of these, from the end on
    std::vector<std::uint32_t> ready_;  // groups whose meshes are all there, in the order of this delivery
    std::vector<std::pair<double, std::uint32_t>> order_;  // of these, for begin_delivery; kept for its memory
    std::size_t next_ready_ = 0;                           // the first one that was not tried in this round
    bool round_showed_ = false;                            // something, in this round over what is ready
    bool showed_ = false;                                  // something, in this delivery
    std::uint32_t last_search_ = 0;
    // For would_cut_off, kept for their memory.
    Surroundings filled_, beside_, ring_, across_;
    std::vector<std::pair<double, NodeIndex>> search_;
    std::vector<NodeIndex> reached_, cut_off_;
    std::vector<std::uint32_t> leaders_;
    std::vector<Member> kept_members_;  // for refresh_neighbours
    Swap swap_;
    std::vector<NodeIndex> opened_;  // by what was shown last, and not yet known to the plan
    Group* current_ = nullptr;
    std::size_t baked_here_ = 0;         // in this frame
    std::size_t most_baked_here_ = 0;    // while a group is refreshed
    std::uint64_t current_checked_ = 0;  // what was shown when nothing stood against the current one
    std::uint64_t shown_version_ = 1;    // grows with every change of what is shown
};

// Calls visit(node, side) for all that is shown across a side of a place and is at most one level finer.
template <class Visit>
void World::for_each_shown_beside(const ChunkKey& key, Visit visit) const {
    for (std::uint32_t side = 0; side < side::count; ++side) {
        const NodeIndex found = tree_.find_at_or_above(beyond(key, side), options_.max_lod);
        if (found == kNoNode) continue;
        const NodeIndex coarse = tree_[found].chunk != kNone ? found : shown_above(found);
        if (coarse != kNoNode) {
            visit(coarse, side);
            continue;
        }
        const Node& node = tree_[found];
        if (node.key.lod != key.lod || node.children == kNoNode) continue;
        for (std::uint32_t child = 0; child < 8; ++child) {
            if ((child >> side / 2 & 1) != opposite(side) % 2) continue;
            if (tree_[node.children + child].chunk != kNone) visit(node.children + child, side);
        }
    }
}

}  // namespace quarry::terrain::streaming
