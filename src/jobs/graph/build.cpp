// How a graph is checked and laid out.
#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <string>

#include "jobs/graph/graph_core.hpp"
#include "jobs/os/os.hpp"
#include "quarry/jobs/trace.hpp"

namespace quarry::impl {
namespace {

// With so many before it the ends are told to a node in bundles: else every worker would change one counter all the
// time.
constexpr std::uint32_t kManyPredecessors = 64;
// A run of these is followed by a new ranking; later ones every so many runs.
constexpr std::uint64_t kRankEvery = 64;

}  // namespace

std::size_t GraphCore::add(std::string_view name, GraphFunction body, GraphFunction count, std::size_t grain) {
    if (running.load(std::memory_order_relaxed)) throw Error("TaskGraph: no node can be added while the graph runs");
    if (cold.size() == TaskGraph::kMostNodes) throw Error("TaskGraph: more than 16,777,216 nodes");
    ColdNode& node = cold.emplace_back();
    node.name = name;
    node.trace_name = trace_name(name);
    node.body = std::move(body);
    node.count = std::move(count);
    node.grain = grain;
    built = false;
    return cold.size() - 1;
}

ColdNode& GraphCore::to_change(std::size_t node) {
    if (running.load(std::memory_order_relaxed)) throw Error("TaskGraph: cannot be changed while it runs");
    built = false;
    return cold[node];
}

void GraphCore::add_edge(std::size_t from, std::size_t to) {
    if (from == to) throw GraphError("TaskGraph: \"" + cold[from].name + "\" cannot come after itself");
    to_change(from).successors.push_back(static_cast<std::uint32_t>(to));
}

// Of those that could be next, always the one that was added first.
void GraphCore::find_order() {
    pending_.assign(cold.size(), 0);
    for (ColdNode& node : cold) {
        std::sort(node.successors.begin(), node.successors.end());
        node.successors.erase(std::unique(node.successors.begin(), node.successors.end()), node.successors.end());
        for (const std::uint32_t to : node.successors) ++pending_[to];
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> open;
    for (std::uint32_t i = 0; i < cold.size(); ++i) {
        if (pending_[i] == 0) open.push(i);
    }
    order.clear();
    while (!open.empty()) {
        const std::uint32_t next = open.top();
        open.pop();
        order.push_back(next);
        for (const std::uint32_t to : cold[next].successors) {
            if (--pending_[to] == 0) open.push(to);
        }
    }
    if (order.size() == cold.size()) return;
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < cold.size(); ++i) {
        if (pending_[i] != 0) left.push_back(i);
    }
    throw_cycles(left);
}

void GraphCore::require_deferrable_successors() const {
    std::string message;
    for (const ColdNode& node : cold) {
        if (!node.deferrable) continue;
        for (const std::uint32_t to : node.successors) {
            if (!cold[to].deferrable) message += "\n  \"" + node.name + "\" before \"" + cold[to].name + "\"";
        }
    }
    if (!message.empty()) {
        throw GraphError("TaskGraph: a deferrable node cannot precede one that is not deferrable:" + message);
    }
}

void GraphCore::build() {
    if (built) return;
    find_order();
    require_deferrable_successors();
    lay_out();
    keep_carried();
    built = true;
    next_ranking_ = report.run + 1;
    rank();
}

void GraphCore::lay_out() {
    const std::size_t count = cold.size();
    std::vector<HotNode> nodes(count);
    successors.clear();
    shared.foreign.clear();
    for (const ColdNode& node : cold) {
        for (const std::uint32_t to : node.successors) ++nodes[to].in_degree;
    }
    starters.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        const ColdNode& node = cold[i];
        HotNode& at = nodes[i];
        at.first_successor = static_cast<std::uint32_t>(successors.size());
        successors.insert(successors.end(), node.successors.begin(), node.successors.end());
        at.last_successor = static_cast<std::uint32_t>(successors.size());
        at.pending.store(at.in_degree, std::memory_order_relaxed);
        at.object = node.body.object();
        at.invoke = node.body.invoke();
        if (node.condition || node.count || node.deferrable || node.lane != Lane::frame) at.flags |= HotNode::kSpecial;
        if (at.in_degree >= kManyPredecessors) at.flags |= HotNode::kGathering;
        if (node.hint_nanoseconds != 0) {
            const std::uint64_t hint_ticks = node.hint_nanoseconds * os::ticks_per_microsecond() / 1000;
            at.cost = static_cast<float>(hint_ticks);
            if (at.cost < light_cost) at.flags |= HotNode::kLight;
        }
        if (node.lane != Lane::frame) shared.foreign.push_back({i, {}, {}});
        if (at.in_degree == 0) starters.push_back(i);
    }
    hot.swap(nodes);
    stamps.assign(count, {});
    carried.reserve(count);
    carried_start.reserve(count);
    ready.reserve(count);
    shared.heap.reserve(count);
    shared.bundles.reserve(SharedReady::kMostBundles);
    report.deferred.reserve(count);
    report.carried.reserve(count);
}

// What the run before has left is still to be done, in the new order.
void GraphCore::keep_carried() {
    is_carried_.assign(cold.size(), false);
    if (carried.empty()) return;
    for (const std::uint32_t index : carried) is_carried_[index] = true;
    carried.clear();
    std::copy_if(order.begin(), order.end(), std::back_inserter(carried),
                 [&](std::uint32_t index) { return is_carried_[index]; });
}

void GraphCore::rank_if_due() {
    if (report.run < next_ranking_) return;
    next_ranking_ = report.run + std::min(report.run, kRankEvery);
    rank();
}

void GraphCore::rank() {
    constexpr auto kNormal = static_cast<std::uint8_t>(Priority::normal);
    for (std::size_t place = order.size(); place-- > 0;) {
        const std::uint32_t at = order[place];
        HotNode& node = hot[at];
        float longest = 0;
        auto importance = static_cast<std::uint8_t>(cold[at].priority);
        for (std::uint32_t i = node.first_successor; i < node.last_successor; ++i) {
            const HotNode& successor = hot[successors[i]];
            longest = std::max(longest, successor.rank);
            importance = std::max(importance, successor.importance);
        }
        node.rank = longest + std::max(node.cost, 1.0F);
        node.importance = importance;
    }
    // Where the way to the end is short, the order makes no difference, and sorting would cost more than it gains.
    const auto matters = [&](std::uint32_t index) {
        return hot[index].importance != kNormal || hot[index].rank >= light_cost;
    };
    const auto first_short = std::partition(starters.begin(), starters.end(), matters);
    std::sort(starters.begin(), first_short, [&](std::uint32_t a, std::uint32_t b) { return goes_before(a, b); });
    // What is put onto a list last is taken first.
    for (const HotNode& node : hot) {
        if (node.last_successor - node.first_successor < 2) continue;
        const auto last = successors.begin() + node.last_successor;
        const auto first_long = std::partition(successors.begin() + node.first_successor, last,
                                               [&](std::uint32_t index) { return !matters(index); });
        std::sort(first_long, last, [&](std::uint32_t a, std::uint32_t b) { return goes_before(b, a); });
    }
}

}  // namespace quarry::impl
