#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "quarry/terrain/extract.hpp"
#include "terrain/streaming/due_queue.hpp"
#include "terrain/streaming/node_tree.hpp"

namespace quarry::terrain::streaming {

using LatticePlace = std::array<double, 3>;

struct PlanOptions {
    std::int32_t cells = 32;
    std::int32_t max_lod = kCoarsestLod;
    double radius = 0;  // this and lod_distance in lattice units
    double lod_distance = 0;
    double hysteresis = 0;  // 0 to kMostHysteresis
    std::function<bool(const ChunkKey&)> may_have_surface;
};

// Beyond it a node's child might have to stay split when the node itself need not.
inline constexpr double kMostHysteresis = 0.4;

// Keeps the part of each node that is the plan up to date: which cut through the octree the viewers should see.
//
// By distance a node is split when it comes closer than the reach of the level below divided by f = 1 + hysteresis, and
// no longer when it is further away than that reach times f. It belongs to the plan from when it comes closer than the
// radius until it is further away than the radius times f. For the balance, nodes that touch or hold a split node of
// the level below are split as well. Nodes that bounds prove empty are leaves, whatever the distance: they need no
// chunk, and no seam.
//
// Between two looks at a node it cannot change before viewers have travelled as far as it was from its thresholds.
// A calendar of these distances finds the few nodes that have to be looked at in an update.
class Planner {
  public:
    Planner(NodeTree& tree, PlanOptions options);

    // Where the viewers are now, at least one.
    void update(std::span<const LatticePlace> viewers);

    // These are no longer rejected: the plan goes on below them.
    void look_again(std::span<const NodeIndex> nodes);

    // Nodes that came, left, split or joined since the last clear_changed(), in order. Each is marked as changed.
    std::vector<NodeIndex>& changed() noexcept { return changed_; }
    void clear_changed();
    // Frees what neither the plan nor what is shown needs. Not while changed nodes are listed.
    void collect();
    // To be asked again by collect(): a node that lost something shown.
    void may_be_unused(NodeIndex node);

    double distance(const ChunkKey& key) const;
    // Whether a node there would be split, because of its distance alone.
    bool is_near(const ChunkKey& key) const;
    double square_of_distance(const ChunkKey& key) const;
    double width(std::int32_t lod) const noexcept { return widths_[static_cast<std::size_t>(lod)]; }
    const PlanOptions& options() const noexcept { return options_; }
    // Nodes that were looked at in the last update.
    std::size_t looked_at() const noexcept { return looked_at_; }

  private:
    bool is_old(const DueQueue::Due& due) const noexcept {
        const Node& node = tree_[due.node];
        return node.stamp != due.stamp || !node.planned || node.due != due.at;
    }
    double reach(std::int32_t lod) const noexcept { return reaches_[static_cast<std::size_t>(lod)]; }
    void look_at_all();
    void look_at_fresh();
    void find_roots();
    void forget_roots();
    void look_at(NodeIndex index);
    void decide(NodeIndex index);
    void split(NodeIndex index);
    void join(NodeIndex index);
    void unplan(NodeIndex index);
    void look_around(const ChunkKey& key, bool was_split);
    void force_split(const ChunkKey& key);
    bool is_needed(NodeIndex index) const;
    void mark_changed(NodeIndex index);

    NodeTree& tree_;
    const PlanOptions options_;
    const double factor_;
    bool balanced_by_distance_ = false;
    std::array<double, kCoarsestLod + 1> widths_{};
    std::array<double, kCoarsestLod + 1> reaches_{};
    std::vector<LatticePlace> viewers_;
    double travelled_ = 0;
    double roots_due_ = 0;
    DueQueue due_;
    std::array<std::vector<NodeIndex>, kCoarsestLod + 1> fresh_;  // not yet looked at, by level
    std::vector<NodeIndex> changed_;
    std::vector<NodeIndex> maybe_unused_;
    std::size_t looked_at_ = 0;
};

}  // namespace quarry::terrain::streaming
