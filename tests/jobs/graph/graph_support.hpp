#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "quarry/jobs/task_graph.hpp"

namespace quarry::test_support {

// A graph of `nodes` nodes with random edges from earlier to later ones, and what it must do: every node counts its
// runs and checks that all before it have ended in this run.
class CheckedGraph {
  public:
    CheckedGraph(std::size_t nodes, double edges_per_node, std::uint64_t seed)
        : before(nodes), runs(nodes), in_degrees(nodes) {
        std::mt19937_64 random(seed);
        std::vector<GraphNode> handles;
        for (std::size_t i = 0; i < nodes; ++i) {
            handles.push_back(graph.add("node " + std::to_string(i), [this, i] { body(i); }));
        }
        const auto edges = static_cast<std::size_t>(edges_per_node * static_cast<double>(nodes));
        for (std::size_t i = 0; i < edges && nodes > 1; ++i) {
            const std::size_t to = 1 + random() % (nodes - 1);
            const std::size_t from = random() % to;
            handles[to].after(handles[from]);
            before[to].push_back(from);
        }
    }

    // Whether each node has run as often as that.
    bool all_ran(std::uint64_t times) const {
        for (const auto& count : runs) {
            if (count.load() != times) return false;
        }
        return early.load() == 0;
    }

    TaskGraph graph;
    std::vector<std::vector<std::size_t>> before;
    std::vector<std::atomic<std::uint64_t>> runs;
    std::vector<std::size_t> in_degrees;
    std::atomic<std::uint64_t> early{0};  // nodes that ran before one they wait for
    void (*work)(std::size_t node) = nullptr;

  private:
    void body(std::size_t node) {
        const std::uint64_t mine = runs[node].load(std::memory_order_relaxed);
        for (const std::size_t other : before[node]) {
            // Relaxed: the graph itself has to make it visible.
            if (runs[other].load(std::memory_order_relaxed) != mine + 1) early.fetch_add(1);
        }
        if (work != nullptr) work(node);
        runs[node].store(mine + 1, std::memory_order_relaxed);
    }
};

}  // namespace quarry::test_support
