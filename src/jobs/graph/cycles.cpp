// Names what is wrong with a graph that has cycles.
#include <algorithm>
#include <string>
#include <vector>

#include "jobs/graph/graph_core.hpp"

namespace quarry::impl {
namespace {

using Nodes = std::vector<std::uint32_t>;

// Sets of nodes that all wait for each other: Tarjan's algorithm, without recursion.
class Knots {
  public:
    explicit Knots(const std::vector<ColdNode>& nodes)
        : nodes_(nodes), number_(nodes.size(), 0), low_(nodes.size(), 0), knot_(nodes.size(), kNoNode) {}

    // Of more than one node, each in rising order.
    std::vector<Nodes> find(const Nodes& among) {
        for (const std::uint32_t start : among) {
            if (number_[start] == 0) visit_from(start);
        }
        return std::move(found_);
    }

  private:
    struct Step {
        std::uint32_t node;
        std::size_t next;  // of its successors
    };

    void enter(std::uint32_t node) {
        number_[node] = low_[node] = ++visited_;
        open_.push_back(node);
        steps_.push_back({node, 0});
    }

    void visit_from(std::uint32_t start) {
        enter(start);
        while (!steps_.empty()) {
            Step& step = steps_.back();
            const std::uint32_t node = step.node;
            if (step.next < nodes_[node].successors.size()) {
                const std::uint32_t to = nodes_[node].successors[step.next++];
                if (number_[to] == 0) {
                    enter(to);
                } else if (knot_[to] == kNoNode) {
                    low_[node] = std::min(low_[node], number_[to]);
                }
                continue;
            }
            steps_.pop_back();
            if (!steps_.empty()) low_[steps_.back().node] = std::min(low_[steps_.back().node], low_[node]);
            if (low_[node] == number_[node]) close(node);
        }
    }

    void close(std::uint32_t root) {
        Nodes knot;
        do {
            knot.push_back(open_.back());
            knot_[open_.back()] = root;
            open_.pop_back();
        } while (knot.back() != root);
        if (knot.size() < 2) return;
        std::sort(knot.begin(), knot.end());
        found_.push_back(std::move(knot));
    }

    const std::vector<ColdNode>& nodes_;
    Nodes number_;  // in the order of visiting, from 1
    Nodes low_;     // the lowest number that can be reached
    Nodes knot_;    // of closed ones
    Nodes open_;
    std::vector<Step> steps_;
    std::vector<Nodes> found_;
    std::uint32_t visited_ = 0;
};

// The shortest way from a node of a knot back to itself.
Nodes way_round(std::uint32_t start, const Nodes& knot, const std::vector<ColdNode>& nodes) {
    Nodes from(nodes.size(), kNoNode);
    Nodes open{start};
    for (std::size_t at = 0; at < open.size(); ++at) {
        for (const std::uint32_t to : nodes[open[at]].successors) {
            if (to == start) {
                Nodes way;
                for (std::uint32_t step = open[at]; step != start; step = from[step]) way.push_back(step);
                way.push_back(start);
                std::reverse(way.begin(), way.end());
                return way;
            }
            if (from[to] != kNoNode || !std::binary_search(knot.begin(), knot.end(), to)) continue;
            from[to] = open[at];
            open.push_back(to);
        }
    }
    return {start};
}

}  // namespace

// Each node that waits for itself is named in a cycle, or in a list where there are very many.
void GraphCore::throw_cycles(const std::vector<std::uint32_t>& left) const {
    constexpr int kMostCycles = 20;
    std::string message = "TaskGraph: nodes that wait for each other:";
    std::vector<bool> told(cold.size());
    for (const Nodes& knot : Knots(cold).find(left)) {
        int cycles = 0;
        const char* separator = "\n  and with them ";
        for (const std::uint32_t node : knot) {
            if (told[node]) continue;
            if (cycles++ >= kMostCycles) {
                message += separator + ('"' + cold[node].name) + '"';
                separator = ", ";
                continue;
            }
            message += "\n ";
            for (const std::uint32_t step : way_round(node, knot, cold)) {
                told[step] = true;
                message += " \"" + cold[step].name + "\" ->";
            }
            message += " \"" + cold[node].name + "\"";
        }
    }
    throw GraphError(message);
}

}  // namespace quarry::impl
