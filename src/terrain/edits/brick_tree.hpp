#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "terrain/edits/brick.hpp"

namespace quarry::terrain::edits {

// Which points of an area matter: every step-th from first on, count of them along each axis.
struct Pattern {
    LatticePoint first{};
    std::int32_t step = 1;
    std::int32_t nx = 0;
    std::int32_t ny = 0;
    std::int32_t nz = 0;

    static constexpr Pattern all_of(const LatticeBox& box) noexcept {
        return {box.low, 1, box.high.x - box.low.x + 1, box.high.y - box.low.y + 1, box.high.z - box.low.z + 1};
    }
};

// The numbers i, from first to last, of the points first_point + i * step within low .. high; empty: first > last.
struct Run {
    std::int32_t first;
    std::int32_t last;
};
constexpr Run run_within(std::int32_t first_point, std::int32_t step, std::int32_t count, std::int64_t low,
                         std::int64_t high) noexcept {
    const int shift = std::countr_zero(static_cast<std::uint32_t>(step));
    const std::int64_t first = (low - first_point + step - 1) >> shift;
    const std::int64_t last = (high - first_point) >> shift;
    return {static_cast<std::int32_t>(std::clamp<std::int64_t>(first, 0, count)),
            static_cast<std::int32_t>(std::clamp<std::int64_t>(last, -1, count - 1))};
}

// Bricks by key: a sorted list of trees, each over 64 x 64 x 64 bricks. A copy shares all bricks; see README.md for why
// it may be read on other threads while the original is written.
template <class Brick>
class BrickTree {
  public:
    const Brick* find(const BrickKey& key) const noexcept {
        const Node* const root = root_of(key);
        if (root == nullptr) return nullptr;
        const Node* const middle = root->node(slot(key, 2));
        const Node* const lowest = middle == nullptr ? nullptr : middle->node(slot(key, 1));
        return lowest == nullptr ? nullptr : lowest->brick(slot(key, 0));
    }
    // The same, to hold on to.
    std::shared_ptr<const Brick> share(const BrickKey& key) const {
        const Node* const root = root_of(key);
        const Node* const middle = root == nullptr ? nullptr : root->node(slot(key, 2));
        const Node* const lowest = middle == nullptr ? nullptr : middle->node(slot(key, 1));
        if (lowest == nullptr || lowest->brick(slot(key, 0)) == nullptr) return nullptr;
        return lowest->bricks[lowest->place(slot(key, 0))];
    }

    // Calls visit(key, brick) for all bricks that hold points of the pattern, in a fixed order.
    template <class Visit>
    void for_each_in(const Pattern& pattern, Visit&& visit) const {
        const std::int64_t low = pattern.first.z;
        for_each_root(low, low + (std::int64_t{pattern.nz} - 1) * pattern.step,
                      [&](const Root& root) { walk(*root.node, root.key, 2, pattern, visit); });
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        constexpr std::int32_t kAll = std::numeric_limits<std::int32_t>::max();
        for_each_in({{-kLatticeLimit, -kLatticeLimit, -kLatticeLimit}, 1, kAll, kAll, kAll}, visit);
    }
    // Holds all values within the box. Whole nodes are taken together.
    ValueRange range_in(const LatticeBox& box) const noexcept {
        ValueRange range;
        for_each_root(box.low.z, box.high.z, [&](const Root& root) { add_range(*root.node, root.key, 2, box, range); });
        return range;
    }

    // From now on, bricks that are there are not written any more: copies of the tree may be made.
    void freeze() noexcept { ++epoch_; }

    // The brick to be written, a copy of what was frozen, or a new one. Call refresh afterwards.
    Brick& writable(const BrickKey& key) {
        Node& root = writable_root(key);
        Node& middle = writable_node(root, slot(key, 2));
        Node& lowest = writable_node(middle, slot(key, 1));
        return writable_brick(lowest, slot(key, 0));
    }
    // After writing: ranges, from the brick up. Drops what has become empty.
    void refresh(const BrickKey& key) {
        Node& root = writable_root(key);
        Node& middle = writable_node(root, slot(key, 2));
        Node& lowest = writable_node(middle, slot(key, 1));
        Brick& brick = writable_brick(lowest, slot(key, 0));
        const ValueRange before = brick.range;
        const bool is_there = brick.look_through();
        if (is_there && brick.range.holds(before)) {
            for (Node* const node : {&root, &middle, &lowest}) node->range.include(brick.range);
            return;
        }
        if (!is_there) {
            lowest.bricks.erase(lowest.bricks.begin() + static_cast<std::ptrdiff_t>(lowest.place(slot(key, 0))));
            lowest.present &= ~bit(slot(key, 0));
            --bricks_;
        }
        lowest.look_at_bricks();
        close(middle, slot(key, 1));
        close(root, slot(key, 2));
        if (root.present == 0) roots_.erase(root_place(root_key(key)));
    }

    // Puts in a brick that was made elsewhere, where there is none, with its range and of epoch 0: it is copied before
    // it is written.
    void adopt(const BrickKey& key, std::shared_ptr<Brick> brick) {
        Node& root = writable_root(key);
        Node& middle = writable_node(root, slot(key, 2));
        Node& lowest = writable_node(middle, slot(key, 1));
        const std::size_t place = lowest.place(slot(key, 0));
        for (Node* const node : {&root, &middle, &lowest}) node->range.include(brick->range);
        lowest.bricks.insert(lowest.bricks.begin() + static_cast<std::ptrdiff_t>(place), std::move(brick));
        lowest.present |= bit(slot(key, 0));
        ++bricks_;
    }

    // Calls visit(key, brick) for each brick that another tree does not share, and visit(key, nullptr) for those that
    // only the other one has. Bricks and nodes that both share cost nothing.
    template <class Visit>
    void for_each_difference(const BrickTree& other, Visit&& visit) const {
        auto here = roots_.begin();
        auto there = other.roots_.begin();
        while (here != roots_.end() || there != other.roots_.end()) {
            const bool is_new = there == other.roots_.end() || (here != roots_.end() && here->key < there->key);
            const bool is_gone = here == roots_.end() || (there != other.roots_.end() && there->key < here->key);
            const BrickKey key = is_gone ? there->key : here->key;
            compare(is_gone ? nullptr : here->node.get(), is_new ? nullptr : there->node.get(), key, 2, visit);
            if (!is_gone) ++here;
            if (!is_new) ++there;
        }
    }

    bool empty() const noexcept { return roots_.empty(); }
    std::size_t size() const noexcept { return bricks_; }
    // Of bricks and nodes, with what allocations cost beside.
    std::size_t bytes() const noexcept {
        std::size_t bytes = roots_.capacity() * sizeof(Root);
        for (const Root& root : roots_) bytes += bytes_of(*root.node);
        return bytes;
    }

  private:
    static constexpr std::int32_t kRootShift = 6;
    static constexpr std::size_t kAllocation = 32;  // reference counts and the allocator's own

    // 4 x 4 x 4 nodes, or bricks at the lowest level; only those that are there.
    struct Node {
        std::uint64_t epoch = 0;
        std::uint64_t present = 0;
        ValueRange range;
        std::vector<std::shared_ptr<Node>> nodes;
        std::vector<std::shared_ptr<Brick>> bricks;

        std::size_t place(unsigned at) const noexcept {
            return static_cast<std::size_t>(std::popcount(present & (bit(at) - 1)));
        }
        const Node* node(unsigned at) const noexcept {
            return (present & bit(at)) == 0 ? nullptr : nodes[place(at)].get();
        }
        const Brick* brick(unsigned at) const noexcept {
            return (present & bit(at)) == 0 ? nullptr : bricks[place(at)].get();
        }
        void look_at_bricks() noexcept {
            range = {};
            for (const auto& brick : bricks) range.include(brick->range);
        }
    };
    struct Root {
        BrickKey key;  // of the first brick
        std::shared_ptr<Node> node;
    };

    static constexpr std::uint64_t bit(unsigned at) noexcept { return std::uint64_t{1} << at; }
    static constexpr unsigned slot(const BrickKey& key, int level) noexcept {
        const int shift = 2 * level;
        return static_cast<unsigned>((key.z >> shift & 3) << 4 | (key.y >> shift & 3) << 2 | (key.x >> shift & 3));
    }
    static constexpr BrickKey root_key(const BrickKey& key) noexcept {
        const auto down = [](std::int32_t at) { return (at >> kRootShift) * (1 << kRootShift); };
        return {down(key.z), down(key.y), down(key.x)};
    }
    static constexpr BrickKey child_key(const BrickKey& key, unsigned at, int level) noexcept {
        const int shift = 2 * level;
        const auto along = [&](unsigned part) { return static_cast<std::int32_t>(part & 3) << shift; };
        return {key.z + along(at >> 4), key.y + along(at >> 2), key.x + along(at)};
    }
    // Lattice points of 4^(level + 1) bricks along each axis from a key on.
    static constexpr LatticeBox box_at(const BrickKey& key, int level) noexcept {
        const LatticePoint low = first_of(key);
        const std::int32_t size = kBrickSize << 2 * (level + 1);
        return {low, {low.x + size - 1, low.y + size - 1, low.z + size - 1}};
    }

    template <class Roots>
    static auto lower_bound(Roots& roots, const BrickKey& key) {
        return std::lower_bound(roots.begin(), roots.end(), key,
                                [](const Root& root, const BrickKey& wanted) { return root.key < wanted; });
    }
    auto root_place(const BrickKey& key) { return lower_bound(roots_, key); }
    const Node* root_of(const BrickKey& key) const noexcept {
        const BrickKey wanted = root_key(key);
        const auto found = lower_bound(roots_, wanted);
        return found == roots_.end() || found->key != wanted ? nullptr : found->node.get();
    }

    // Those that reach into low .. high along z, which they are sorted by.
    template <class Visit>
    void for_each_root(std::int64_t low, std::int64_t high, Visit&& visit) const {
        constexpr std::int64_t kRootSize = kBrickSize << kRootShift;
        const auto ends_before = [](const Root& root, std::int64_t z) {
            return root.key.z * std::int64_t{kBrickSize} <= z - kRootSize;
        };
        for (auto root = std::lower_bound(roots_.begin(), roots_.end(), low, ends_before);
             root != roots_.end() && root->key.z * std::int64_t{kBrickSize} <= high; ++root) {
            visit(*root);
        }
    }

    Node& own(std::shared_ptr<Node>& node) {
        if (node->epoch != epoch_) {
            node = std::make_shared<Node>(*node);
            node->epoch = epoch_;
        }
        return *node;
    }
    std::shared_ptr<Node> new_node() {
        auto node = std::make_shared<Node>();
        node->epoch = epoch_;
        return node;
    }
    Node& writable_root(const BrickKey& key) {
        const BrickKey wanted = root_key(key);
        auto found = root_place(wanted);
        if (found == roots_.end() || found->key != wanted) found = roots_.insert(found, {wanted, new_node()});
        return own(found->node);
    }
    Node& writable_node(Node& parent, unsigned at) {
        const std::size_t place = parent.place(at);
        if ((parent.present & bit(at)) == 0) {
            parent.nodes.insert(parent.nodes.begin() + static_cast<std::ptrdiff_t>(place), new_node());
            parent.present |= bit(at);
        }
        return own(parent.nodes[place]);
    }
    Brick& writable_brick(Node& parent, unsigned at) {
        const std::size_t place = parent.place(at);
        if ((parent.present & bit(at)) == 0) {
            auto brick = std::make_shared<Brick>();
            brick->epoch = epoch_;
            parent.bricks.insert(parent.bricks.begin() + static_cast<std::ptrdiff_t>(place), std::move(brick));
            parent.present |= bit(at);
            ++bricks_;
        }
        std::shared_ptr<Brick>& brick = parent.bricks[place];
        if (brick->epoch != epoch_) {
            brick = std::make_shared<Brick>(*brick);
            brick->epoch = epoch_;
        }
        return *brick;
    }
    // The child has changed: takes its range over, or lets go of it if it is empty.
    void close(Node& parent, unsigned at) {
        const std::size_t place = parent.place(at);
        if (parent.nodes[place]->present == 0) {
            parent.nodes.erase(parent.nodes.begin() + static_cast<std::ptrdiff_t>(place));
            parent.present &= ~bit(at);
        }
        parent.range = {};
        for (const auto& node : parent.nodes) parent.range.include(node->range);
    }

    static bool touches(const Pattern& pattern, const LatticeBox& box) noexcept {
        const auto some = [&](std::int32_t first, std::int32_t count, std::int32_t low, std::int32_t high) {
            const Run run = run_within(first, pattern.step, count, low, high);
            return run.first <= run.last;
        };
        return some(pattern.first.x, pattern.nx, box.low.x, box.high.x) &&
               some(pattern.first.y, pattern.ny, box.low.y, box.high.y) &&
               some(pattern.first.z, pattern.nz, box.low.z, box.high.z);
    }
    template <class Visit>
    static void walk(const Node& node, const BrickKey& key, int level, const Pattern& pattern, Visit& visit) {
        if (!touches(pattern, box_at(key, level))) return;
        std::size_t place = 0;
        for (std::uint64_t left = node.present; left != 0; left &= left - 1, ++place) {
            const BrickKey child = child_key(key, static_cast<unsigned>(std::countr_zero(left)), level);
            if (level > 0) {
                walk(*node.nodes[place], child, level - 1, pattern, visit);
            } else if (touches(pattern, box_of(child))) {
                visit(child, static_cast<const Brick&>(*node.bricks[place]));
            }
        }
    }
    static void add_range(const Node& node, const BrickKey& key, int level, const LatticeBox& box,
                          ValueRange& range) noexcept {
        const LatticeBox here = box_at(key, level);
        const LatticeBox shared = common(here, box);
        if (shared.empty()) return;
        if (shared.low == here.low && shared.high == here.high) {
            range.include(node.range);
            return;
        }
        std::size_t place = 0;
        for (std::uint64_t left = node.present; left != 0; left &= left - 1, ++place) {
            const BrickKey child = child_key(key, static_cast<unsigned>(std::countr_zero(left)), level);
            if (level > 0) {
                add_range(*node.nodes[place], child, level - 1, box, range);
            } else if (!common(box_of(child), box).empty()) {
                range.include(node.bricks[place]->range);
            }
        }
    }
    template <class Visit>
    static void compare(const Node* node, const Node* other, const BrickKey& key, int level, Visit& visit) {
        if (node == other) return;
        const std::uint64_t here = node == nullptr ? 0 : node->present;
        const std::uint64_t there = other == nullptr ? 0 : other->present;
        for (std::uint64_t left = here | there; left != 0; left &= left - 1) {
            const auto at = static_cast<unsigned>(std::countr_zero(left));
            const BrickKey child = child_key(key, at, level);
            const bool is_here = (here & bit(at)) != 0;
            const bool is_there = (there & bit(at)) != 0;
            if (level > 0) {
                compare(is_here ? node->node(at) : nullptr, is_there ? other->node(at) : nullptr, child, level - 1,
                        visit);
            } else {
                const Brick* const brick = is_here ? node->brick(at) : nullptr;
                if (brick != (is_there ? other->brick(at) : nullptr)) visit(child, brick);
            }
        }
    }
    static std::size_t bytes_of(const Node& node) noexcept {
        std::size_t bytes = sizeof(Node) + kAllocation + node.nodes.capacity() * sizeof(node.nodes[0]) +
                            node.bricks.capacity() * sizeof(node.bricks[0]) +
                            node.bricks.size() * (sizeof(Brick) + kAllocation);
        for (const auto& child : node.nodes) bytes += bytes_of(*child);
        return bytes;
    }

    std::vector<Root> roots_;  // sorted
    std::uint64_t epoch_ = 1;  // bricks and nodes of this one are nobody else's
    std::size_t bricks_ = 0;
};

// Values one by one. Remembers the last brick of each of eight kinds, so that the bricks around any corner are looked
// up once.
template <class Brick>
class BrickCursor {
  public:
    explicit BrickCursor(const BrickTree<Brick>& tree) noexcept : tree_(tree) {}

    typename Brick::Value at(LatticePoint point) noexcept {
        const Brick* const brick = brick_with(point);
        return brick == nullptr ? Brick::kUntouched : brick->values[index_of<Brick>(point)];
    }
    // Null: there is none.
    const Brick* brick_with(LatticePoint point) noexcept {
        const BrickKey key = key_of(point);
        Place& place = places_[static_cast<std::size_t>((key.x & 1) | (key.y & 1) << 1 | (key.z & 1) << 2)];
        if (!place.valid || key != place.key) place = {key, tree_.find(key), true};
        return place.brick;
    }

  private:
    struct Place {
        BrickKey key{};
        const Brick* brick = nullptr;
        bool valid = false;
    };

    const BrickTree<Brick>& tree_;
    std::array<Place, 8> places_{};
};

}  // namespace quarry::terrain::edits
