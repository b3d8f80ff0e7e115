#include "terrain/streaming/world.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/stream_event.hpp"
#include "terrain/streaming/keys.hpp"
#include "terrain/world/distance.hpp"

namespace quarry::terrain::streaming {
namespace {

// A field that cannot say is taken to have a surface: meshing the chunk will tell what is wrong.
bool may_have_surface(const MeshSource& source, const ChunkKey& key) {
    try {
        return source.field->bounds(box_of(samples_of(key, source.extract))).may_have_surface();
    } catch (...) {
        return true;
    }
}

PlanOptions plan_options(const StreamerOptions& options, const std::shared_ptr<const MeshSource>* source) {
    return {.cells = options.cells,
            .max_lod = options.max_lod,
            .radius = options.radius / options.lattice.voxel_size,
            .lod_distance = options.lod_distance / options.lattice.voxel_size,
            .hysteresis = options.hysteresis,
            .may_have_surface = [source](const ChunkKey& key) { return may_have_surface(**source, key); }};
}

double length_of(const LatticePlace& a) {
    return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// What lies behind the viewer counts as further away.
double seen_distance(const LatticePlace& from, const LatticePlace& direction, const ChunkKey& key, double width,
                     double view_weight) {
    const double distance = std::sqrt(impl::square_of_distance(key, width, from));
    const LatticePlace to{(key.x + 0.5) * width - from[0], (key.y + 0.5) * width - from[1],
                          (key.z + 0.5) * width - from[2]};
    const double length = length_of(to);
    if (length == 0) return distance;
    const double along = (to[0] * direction[0] + to[1] * direction[1] + to[2] * direction[2]) / length;
    return distance * (1 + view_weight * (1 - along) / 2);
}

}  // namespace

World::World(Shared& shared, std::uint32_t number, std::shared_ptr<const MeshSource> source,
             const StreamerOptions& options, bool visible)
    : shared_(shared),
      number_(number),
      source_(std::move(source)),
      options_(options),
      visible_(visible),
      planner_(tree_, plan_options(options, &source_)),
      cache_(options.cache_bytes) {}

double World::rank(const ChunkKey& key, double factor) const {
    double least = std::numeric_limits<double>::infinity();
    const double width = planner_.width(key.lod);
    for (const ViewerPlace& viewer : viewers_) {
        least = std::min({least, seen_distance(viewer.at, viewer.direction, key, width, options_.view_weight),
                          seen_distance(viewer.predicted, viewer.direction, key, width, options_.view_weight)});
    }
    return least * factor;
}

void World::update(std::span<const ViewerPlace> viewers) {
    if (!std::equal(viewers.begin(), viewers.end(), viewers_.begin(), viewers_.end())) ++viewers_version_;
    viewers_.assign(viewers.begin(), viewers.end());
    places_.clear();
    for (const ViewerPlace& viewer : viewers_) places_.push_back(viewer.at);
    planner_.update(places_);
    admit_to_plan(std::exchange(opened_, {}));
    // What the group in hand would cut off depends on the plan.
    if (!planner_.changed().empty()) current_checked_ = 0;
    // Reviewing a node changes none of the plan.
    for (const NodeIndex node : planner_.changed()) note_change(node);
    planner_.clear_changed();
    planner_.collect();
    shared_.laps.end(shared_.stats.last_update.plan);
    begin_waiting();
}

void World::note_change(NodeIndex index) {
    Node& node = tree_[index];
    node.failed = false;
    if (!node.needs_chunk()) {
        node.planned_since = 0;
    } else if (node.planned_since == 0) {
        node.planned_since = static_cast<std::uint32_t>(shared_.stats.updates);
    }
    review(index);
    // Below a node that is not split is only what is shown; it may have to go, or to join.
    if (!node.split && node.children != kNoNode) review_all_below(index);
    // A split that is under way takes the children that the plan has.
    if (node.parent == kNoNode || tree_[node.parent].group == kNone) return;
    Group& group = groups_[tree_[node.parent].group];
    if (group.kind != ChangeKind::split) return;
    const bool is_taken =
        std::any_of(group.added.begin(), group.added.end(), [&](const Member& member) { return member.node == index; });
    if (is_taken == (node.planned && node.inside && !node.rejected)) return;
    cancel(group);
    review(node.parent);
}

// Whether a leaf of the plan is this node or lies above it.
bool World::plan_covers(NodeIndex index) const {
    for (; index != kNoNode; index = tree_[index].parent) {
        if (tree_[index].planned) return tree_[index].is_leaf();
    }
    return false;
}

ChangeKind World::wanted(NodeIndex index) const {
    const Node& node = tree_[index];
    if (node.chunk != kNone) {
        if (!node.planned) return plan_covers(index) ? ChangeKind::none : ChangeKind::vanish;
        if (!node.inside) return ChangeKind::vanish;
        return node.split && !node.failed ? ChangeKind::split : ChangeKind::none;
    }
    if (node.below != 0) {
        if (node.failed || !plan_covers(index)) return ChangeKind::none;
        for (NodeIndex child = node.children; child < node.children + 8; ++child) {
            if (tree_[child].below != 0) return ChangeKind::none;
        }
        return ChangeKind::join;
    }
    const bool is_free = node.needs_chunk() && !node.failed && shown_above(index) == kNoNode;
    return is_free ? ChangeKind::appear : ChangeKind::none;
}

void World::review(NodeIndex index) {
    Node& node = tree_[index];
    const ChangeKind kind = wanted(index);
    if (node.group != kNone) {
        if (groups_[node.group].kind == kind) return;
        cancel(groups_[node.group]);
    }
    if (kind == ChangeKind::vanish) {
        if (!std::exchange(node.leaving, true)) leaving_.push_back(index);
        return;
    }
    if (kind == ChangeKind::none || node.waiting) return;
    node.waiting = true;
    waiting_.push_back(index);
}

void World::review_all_below(NodeIndex index) {
    const NodeIndex first = tree_[index].children;
    if (first == kNoNode) return;
    auto visit = [&](NodeIndex node) {
        tree_[node].failed = false;
        review(node);
    };
    for (NodeIndex child = first; child < first + 8; ++child) tree_.for_each_below(child, visit);
}

void World::review_up(NodeIndex index) {
    for (; index != kNoNode; index = tree_[index].parent) review(index);
}

// In the order of distance, so that no change waits for one that could not begin for want of room.
void World::begin_waiting() {
    if (waiting_.empty()) return;
    struct Waiting {
        double order;
        NodeIndex node;
        ChangeKind kind;
    };
    std::vector<Waiting> sorted;
    sorted.reserve(waiting_.size());
    for (const NodeIndex node : waiting_) {
        tree_[node].waiting = false;
        const ChangeKind kind = wanted(node);
        if (kind == ChangeKind::none || kind == ChangeKind::vanish || tree_[node].group != kNone) {
            if (tree_[node].parent != kNoNode) planner_.may_be_unused(tree_[node].parent);
            continue;
        }
        // Coarse ones first where it is about room for finer neighbours: see obstacle().
        sorted.push_back({tree_[node].urgent ? -1 : planner_.square_of_distance(tree_[node].key), node, kind});
    }
    waiting_.clear();
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Waiting& a, const Waiting& b) { return a.order < b.order; });
    bool room = true;
    for (const Waiting& next : sorted) {
        room = has_room(2 * kMostNewInGroup);
        if (!room && tree_[next.node].urgent) room = make_room();
        if (room && may_begin(next.node, next.kind)) {
            begin(next.node, next.kind);
        } else {
            tree_[next.node].waiting = true;
            waiting_.push_back(next.node);
        }
    }
}

// Others wait for a change that cannot begin: gives up what is ready, furthest first. The meshes are kept.
bool World::make_room() {
    const Group* furthest = nullptr;
    double most = -1;
    // What others wait for goes last.
    for (const std::uint32_t index : ready_) {
        const Group& group = groups_[index];
        if (!group.alive || group.added.empty() || &group == current_) continue;
        const double distance = tree_[group.node].first ? 0 : planner_.square_of_distance(tree_[group.node].key);
        if (distance <= most) continue;
        most = distance;
        furthest = &group;
    }
    if (furthest == nullptr) return false;
    const NodeIndex node = furthest->node;
    cancel(groups_[index_of(*furthest)]);
    review(node);
    return has_room(2 * kMostNewInGroup);
}

// A leaf appears only where nothing is missing between it and the viewer, so that no gap is left; what has begun will
// be there before.
bool World::may_begin(NodeIndex index, ChangeKind kind) const {
    return kind != ChangeKind::appear || tree_[index].first ||
           missing_towards_viewer(tree_[index].key, true) == kNoNode;
}

void World::begin(NodeIndex index, ChangeKind kind) {
    Group& group = new_group(index, kind);
    Node& node = tree_[index];
    node.urgent = false;
    switch (kind) {
        case ChangeKind::appear:
            group.added.push_back({index, kNone});
            break;
        case ChangeKind::split:
            group.removed.push_back(index);
            for (NodeIndex child = node.children; child < node.children + 8; ++child) {
                const Node& there = tree_[child];
                if (there.planned && there.inside && !there.rejected) group.added.push_back({child, kNone});
            }
            break;
        case ChangeKind::join:
            for (NodeIndex child = node.children; child < node.children + 8; ++child) {
                if (tree_[child].chunk != kNone) group.removed.push_back(child);
            }
            if (!node.rejected) group.added.push_back({index, kNone});
            break;
        case ChangeKind::vanish:
        case ChangeKind::none:
            break;
    }
    refresh(group, 0);
}

bool World::complete() const {
    if (!at_rest()) return false;
    bool complete = true;
    const_cast<NodeTree&>(tree_).for_each([&](NodeIndex node) { complete = complete && !is_missing(node); });
    return complete;
}

bool World::ready_around(const LatticePlace& position, double radius) const {
    const double size = planner_.width(options_.max_lod);
    if (!(radius <= planner_.options().radius)) return false;
    const auto is_ready = [&](const auto& self, NodeIndex index) -> bool {
        const Node& node = tree_[index];
        if (impl::square_of_distance(node.key, planner_.width(node.key.lod), position) > radius * radius) return true;
        if (!node.inside) return false;
        if (node.rejected) return true;
        if (!node.split) return node.chunk != kNone && !shared_.table[node.chunk].failed;
        for (NodeIndex child = node.children; child < node.children + 8; ++child) {
            if (!self(self, child)) return false;
        }
        return true;
    };
    const auto first = [&](std::size_t axis) {
        return static_cast<std::int32_t>(std::floor((position[axis] - radius) / size));
    };
    const auto last = [&](std::size_t axis) {
        return static_cast<std::int32_t>(std::floor((position[axis] + radius) / size));
    };
    for (std::int32_t z = first(2); z <= last(2); ++z) {
        for (std::int32_t y = first(1); y <= last(1); ++y) {
            for (std::int32_t x = first(0); x <= last(0); ++x) {
                const ChunkKey key{options_.max_lod, x, y, z};
                if (impl::square_of_distance(key, size, position) > radius * radius) continue;
                const NodeIndex root = tree_.find(key);
                if (root == kNoNode || !is_ready(is_ready, root)) return false;
            }
        }
    }
    return true;
}

void World::list_shown(ShownWorld& world) const {
    world.max_lod = options_.max_lod;
    const_cast<NodeTree&>(tree_).for_each([&](NodeIndex index) {
        const Node& node = tree_[index];
        if (node.chunk != kNone) {
            const ChunkRecord& record = shared_.table[node.chunk];
            world.chunks.push_back({node.key, record.mask, record.has_mesh, shared_.table.id(node.chunk)});
            return;
        }
        if (!is_undivided(node) || shown_above(index) != kNoNode) return;
        const Plan plan = plan_of(index);
        if (plan == Plan::outside) return;
        (node.rejected || plan == Plan::given_up ? world.empty : world.missing).push_back(node.key);
    });
}

}  // namespace quarry::terrain::streaming
