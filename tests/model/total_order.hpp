#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "clock.hpp"

namespace model {

// The single total order S of seq_cst operations and fences, kept as the constraints on it and not as one
// order: an execution is consistent as long as the constraints have no cycle. S need not be the order in
// which the checker ran the operations, since two of them may be ordered in S against a chain of relaxed
// reads.
class TotalOrder {
  public:
    void reset() { count_ = 0; }
    bool full() const { return count_ == NodeSet::kCapacity; }
    bool empty() const { return count_ == 0; }

    // Operations and fences of S, or fences alone, that happen before what `clock` has seen.
    NodeSet covered(const Clock& clock) const { return select(clock, false); }
    NodeSet covered_fences(const Clock& clock) const { return select(clock, true); }

    // Would "all of `before` precede all of `after`" contradict what is known?
    bool contradicts(const NodeSet& before, const NodeSet& after) const {
        bool cycle = before.meets(after);
        after.each([&](std::size_t node) { cycle |= reach_[node].meets(before); });
        return cycle;
    }

    void order(const NodeSet& before, const NodeSet& after) {
        if (before.empty() || after.empty()) return;
        NodeSet all = after;
        after.each([&](std::size_t node) { all |= reach_[node]; });
        for (std::size_t node = 0; node < count_; ++node) {
            if (before.has(node) || reach_[node].meets(before)) reach_[node] |= all;
        }
    }

    std::size_t add(std::size_t thread, std::uint32_t time, bool fence) {
        nodes_[count_] = Node{static_cast<std::uint32_t>(thread), time, fence};
        reach_[count_] = NodeSet{};
        return count_++;
    }

  private:
    struct Node {
        std::uint32_t thread;
        std::uint32_t time;
        bool fence;
    };

    NodeSet select(const Clock& clock, bool fences_only) const {
        NodeSet set;
        for (std::size_t i = 0; i < count_; ++i) {
            if (fences_only && !nodes_[i].fence) continue;
            if (clock.covers(nodes_[i].thread, nodes_[i].time)) set.add(i);
        }
        return set;
    }

    std::size_t count_ = 0;
    std::array<Node, NodeSet::kCapacity> nodes_{};
    std::array<NodeSet, NodeSet::kCapacity> reach_{};
};

}  // namespace model
