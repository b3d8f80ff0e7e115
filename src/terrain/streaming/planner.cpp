#include "terrain/streaming/planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "terrain/streaming/keys.hpp"
#include "terrain/world/distance.hpp"

namespace quarry::terrain::streaming {
namespace {

const double kDiagonal = std::sqrt(3.0);

double most_moved(std::span<const LatticePlace> from, std::span<const LatticePlace> to) {
    double most = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        most = std::max(most, std::hypot(to[i][0] - from[i][0], to[i][1] - from[i][1], to[i][2] - from[i][2]));
    }
    return most;
}

}  // namespace

Planner::Planner(NodeTree& tree, PlanOptions options)
    : tree_(tree), options_(std::move(options)), factor_(1 + options_.hysteresis), due_(options_.cells / 4.0) {
    for (std::int32_t lod = 0; lod <= kCoarsestLod; ++lod) {
        widths_[static_cast<std::size_t>(lod)] = std::ldexp(options_.cells, lod);
        reaches_[static_cast<std::size_t>(lod)] = std::ldexp(options_.lod_distance, lod);
    }
    // If a node of LOD l is split by distance, it is at most reach(l - 1) * f away, and a node of LOD l + 1 that
    // touches it at most its diagonal further. That one is split too if this is less than reach(l) / f.
    balanced_by_distance_ = options_.lod_distance * (2 / factor_ - factor_) >= 1.001 * 2 * kDiagonal * options_.cells;
}

double Planner::square_of_distance(const ChunkKey& key) const {
    double nearest = std::numeric_limits<double>::infinity();
    for (const LatticePlace& viewer : viewers_) {
        nearest = std::min(nearest, impl::square_of_distance(key, width(key.lod), viewer));
    }
    return nearest;
}

double Planner::distance(const ChunkKey& key) const {
    return std::sqrt(square_of_distance(key));
}

bool Planner::is_near(const ChunkKey& key) const {
    if (key.lod == 0) return false;
    const double split_at = reach(key.lod - 1) / factor_;
    return square_of_distance(key) < split_at * split_at;
}

void Planner::update(std::span<const LatticePlace> viewers) {
    looked_at_ = 0;
    const bool others = viewers.size() != viewers_.size();
    const double moved = others ? 0 : most_moved(viewers_, viewers);
    if (!others && moved == 0) return;
    viewers_.assign(viewers.begin(), viewers.end());
    // Far further than any threshold: then every node has to be looked at, and no slack is worth its rounding.
    const bool jump = others || moved > options_.radius;
    travelled_ += moved;
    if (jump || travelled_ >= roots_due_) find_roots();
    if (jump) look_at_all();
    due_.take_before(travelled_, [&](const DueQueue::Due& due) {
        if (!is_old(due)) look_at(due.node);
    });
    look_at_fresh();
    if (due_.size() > 4 * tree_.size() + 1024) {
        due_.forget_if([&](const DueQueue::Due& due) { return is_old(due); });
    }
}

void Planner::look_at_all() {
    due_.clear(travelled_);
    for (std::vector<NodeIndex>& level : fresh_) level.clear();
    tree_.for_each([&](NodeIndex node) {
        if (tree_[node].planned) fresh_[static_cast<std::size_t>(tree_[node].key.lod)].push_back(node);
    });
    look_at_fresh();
}

void Planner::look_again(std::span<const NodeIndex> nodes) {
    for (const NodeIndex node : nodes) {
        if (!tree_[node].planned) continue;
        mark_changed(node);
        fresh_[static_cast<std::size_t>(tree_[node].key.lod)].push_back(node);
    }
    look_at_fresh();
}

// Coarse nodes first: what they decide spares looks at those below. Whoever is looked at sees what the others need.
void Planner::look_at_fresh() {
    for (std::int32_t lod = options_.max_lod; lod >= 0;) {
        std::vector<NodeIndex>& level = fresh_[static_cast<std::size_t>(lod)];
        if (level.empty()) {
            --lod;
            continue;
        }
        const NodeIndex node = level.back();
        level.pop_back();
        if (!tree_[node].planned) continue;
        look_at(node);
        lod = options_.max_lod;
    }
}

// All roots that may come close enough before viewers have travelled one root's width further.
void Planner::find_roots() {
    const std::int32_t lod = options_.max_lod;
    const double size = width(lod);
    const double far = options_.radius * factor_ + size;
    roots_due_ = travelled_ + 0.999 * size;
    for (const LatticePlace& viewer : viewers_) {
        std::array<std::int32_t, 3> low{};
        std::array<std::int32_t, 3> high{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = static_cast<std::int32_t>(std::floor((viewer[axis] - far) / size)) - 1;
            high[axis] = static_cast<std::int32_t>(std::floor((viewer[axis] + far) / size)) + 1;
        }
        for (std::int32_t z = low[2]; z <= high[2]; ++z) {
            for (std::int32_t y = low[1]; y <= high[1]; ++y) {
                for (std::int32_t x = low[0]; x <= high[0]; ++x) {
                    const ChunkKey key{lod, x, y, z};
                    if (impl::square_of_distance(key, size, viewer) >= far * far) continue;
                    if (tree_.find(key) != kNoNode) continue;
                    const NodeIndex root = tree_.add_root(key);
                    tree_[root].rejected = !options_.may_have_surface(key);
                    tree_[root].planned = true;
                    fresh_[static_cast<std::size_t>(lod)].push_back(root);
                }
            }
        }
    }
    forget_roots();
}

void Planner::forget_roots() {
    const double far = options_.radius * factor_ + width(options_.max_lod);
    for (const NodeIndex root : tree_.roots()) {
        if (!tree_[root].in_use() && square_of_distance(tree_[root].key) >= far * far) may_be_unused(root);
    }
}

void Planner::look_at(NodeIndex index) {
    ++looked_at_;
    Node& node = tree_[index];
    const double square = square_of_distance(node.key);
    const double away = std::sqrt(square);
    const double radius = options_.radius;
    const bool was_inside = node.inside;
    double slack = 0;
    if (square < radius * radius) node.inside = true;
    if (square >= radius * factor_ * (radius * factor_)) node.inside = false;
    slack = node.inside ? radius * factor_ - away : away - radius;
    if (node.key.lod > 0 && !node.rejected) {
        const double split_at = reach(node.key.lod - 1) / factor_;
        const double join_at = reach(node.key.lod - 1) * factor_;
        if (square < split_at * split_at) node.near = true;
        if (square >= join_at * join_at) node.near = false;
        slack = std::min(slack, node.near ? join_at - away : away - split_at);
    }
    // A little early, for what is rounded.
    node.due = travelled_ + std::max(0.0, 0.9999 * slack - 1e-9 * travelled_);
    due_.push({node.due, index, node.stamp});
    if (was_inside != node.inside) mark_changed(index);
    decide(index);
}

void Planner::decide(NodeIndex index) {
    const Node& node = tree_[index];
    const bool may = node.planned && node.inside && !node.rejected && node.key.lod > 0;
    const bool should = may && (node.near || is_needed(index));
    if (should == node.split) return;
    if (should) {
        split(index);
    } else {
        join(index);
    }
}

void Planner::split(NodeIndex index) {
    tree_[index].split = true;
    mark_changed(index);
    if (tree_[index].children == kNoNode) {
        const NodeIndex first = tree_.add_children(index);
        for (NodeIndex child = first; child < first + 8; ++child) {
            tree_[child].rejected = !options_.may_have_surface(tree_[child].key);
        }
    }
    const NodeIndex first = tree_[index].children;
    for (NodeIndex child = first; child < first + 8; ++child) {
        Node& node = tree_[child];
        node.planned = true;
        node.near = false;
        // As its parent was: a split takes nothing away that hysteresis has kept.
        node.inside = true;
        mark_changed(child);
        fresh_[static_cast<std::size_t>(node.key.lod)].push_back(child);
    }
    look_around(tree_[index].key, true);
}

void Planner::join(NodeIndex index) {
    tree_[index].split = false;
    mark_changed(index);
    const NodeIndex first = tree_[index].children;
    for (NodeIndex child = first; child < first + 8; ++child) unplan(child);
    may_be_unused(index);
    look_around(tree_[index].key, false);
}

void Planner::unplan(NodeIndex index) {
    Node& node = tree_[index];
    node.planned = false;
    node.inside = false;
    node.near = false;
    mark_changed(index);
    if (node.split) join(index);
}

// What a node that has been split asks of the level above, or no longer asks for.
void Planner::look_around(const ChunkKey& key, bool was_split) {
    if (balanced_by_distance_ || key.lod >= options_.max_lod) return;
    for (std::int32_t place = 0; place < 8; ++place) {
        const auto coarse = [&](std::int32_t at, std::int32_t upper) { return (at - 1 + 2 * upper) >> 1; };
        const ChunkKey parent{key.lod + 1, coarse(key.x, place & 1), coarse(key.y, place >> 1 & 1),
                              coarse(key.z, place >> 2)};
        if (was_split) {
            force_split(parent);
            continue;
        }
        const NodeIndex node = tree_.find(parent);
        if (node != kNoNode && tree_[node].split && !tree_[node].near) decide(node);
    }
}

void Planner::force_split(const ChunkKey& key) {
    if (key.lod > options_.max_lod) return;
    NodeIndex node = tree_.find(key);
    if (node == kNoNode || !tree_[node].planned) {
        // What there is instead is not split, or empty, or not part of the plan.
        if (key.lod == options_.max_lod) return;
        force_split(parent_of(key));
        node = tree_.find(key);
        if (node == kNoNode || !tree_[node].planned) return;
        // At once: until it is split itself, nothing would keep its parent split.
        look_at(node);
    }
    const Node& there = tree_[node];
    if (!there.split && there.inside && !there.rejected) split(node);
}

// Whether a split node of the level below touches the node or lies in it.
bool Planner::is_needed(NodeIndex index) const {
    const Node& node = tree_[index];
    const ChunkKey& key = node.key;
    if (balanced_by_distance_ || key.lod < 2) return false;
    // As far as nodes that are split by distance can be away, and one diagonal further for each level.
    double most = 0;
    for (std::int32_t finer = 1; finer < key.lod; ++finer) {
        most = std::max(most, reach(finer - 1) * factor_) + kDiagonal * width(finer);
    }
    if (square_of_distance(key) > most * most * 1.0001) return false;
    const auto has_split_child = [&](NodeIndex parent, std::uint32_t among) {
        const NodeIndex first = tree_[parent].children;
        if (first == kNoNode || !tree_[parent].split) return false;
        for (std::uint32_t child = 0; child < 8; ++child) {
            if ((among >> child & 1) != 0 && tree_[first + child].split) return true;
        }
        return false;
    };
    bool needed = has_split_child(index, 255);
    for_each_neighbour([&](std::int32_t dx, std::int32_t dy, std::int32_t dz) {
        if (needed) return;
        const NodeIndex neighbour = tree_.find(moved(key, dx, dy, dz));
        if (neighbour != kNoNode) needed = has_split_child(neighbour, children_touching(dx, dy, dz));
    });
    return needed;
}

void Planner::mark_changed(NodeIndex index) {
    Node& node = tree_[index];
    if (node.changed) return;
    node.changed = true;
    changed_.push_back(index);
}

void Planner::clear_changed() {
    for (const NodeIndex node : changed_) tree_[node].changed = false;
    changed_.clear();
}

void Planner::may_be_unused(NodeIndex node) {
    maybe_unused_.push_back(node);
}

void Planner::collect() {
    const double far = options_.radius * factor_ + width(options_.max_lod);
    // Freeing a node's children may make its own parent's free.
    while (!maybe_unused_.empty()) {
        const NodeIndex index = maybe_unused_.back();
        maybe_unused_.pop_back();
        Node& node = tree_[index];
        if (!node.alive) continue;
        if (node.children != kNoNode && !node.split) {
            const NodeIndex first = node.children;
            bool used = false;
            for (NodeIndex child = first; child < first + 8; ++child) used = used || tree_[child].in_use();
            if (!used) {
                tree_.remove_children(index);
                if (node.parent != kNoNode) maybe_unused_.push_back(node.parent);
            }
        }
        if (node.parent == kNoNode && !node.in_use() && square_of_distance(node.key) >= far * far) {
            tree_.remove_root(index);
        }
    }
}

}  // namespace quarry::terrain::streaming
