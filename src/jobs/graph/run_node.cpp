// What a run does with one node, whoever does it.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>

#include "jobs/graph/graph_core.hpp"
#include "jobs/os/os.hpp"
#include "quarry/jobs/impl/loop.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/trace.hpp"

namespace quarry::impl {

std::uint64_t next_random(std::uint64_t& state) noexcept {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
}

std::uint64_t GraphCore::draw(std::uint64_t& state, std::uint64_t below) const {
    if (choose == nullptr) return next_random(state) % below;
    const std::uint64_t chosen = (*choose)(static_cast<std::size_t>(below));
    if (chosen >= below) {
        throw Error("TaskGraph: " + std::to_string(chosen) + " was chosen of " + std::to_string(below) +
                    "; a choice is a number below that");
    }
    return chosen;
}

std::uint64_t light_ticks() noexcept {
    constexpr std::uint64_t kMicroseconds = 3;
    static const std::uint64_t ticks = kMicroseconds * os::ticks_per_microsecond();
    return ticks;
}

void GraphRunner::read_clock() noexcept {
    const std::uint64_t time = ticks();
    expect_nodes_of((time - now) / std::max<std::uint32_t>(unread, 1));
    now = time;
    unread = 0;
}

void GraphRunner::expect_nodes_of(std::uint64_t node_ticks) noexcept {
    constexpr std::uint64_t kMicroseconds = 4;
    constexpr std::uint64_t kMost = 64;
    static const std::uint64_t between = kMicroseconds * os::ticks_per_microsecond();
    average = node_ticks;
    most_unread = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(between / (node_ticks + 1), 1, kMost));
}

void GraphTally::count(NodeOutcome outcome) noexcept {
    switch (outcome) {
        case NodeOutcome::done:
            ++done;
            break;
        case NodeOutcome::skipped:
            ++skipped;
            break;
        case NodeOutcome::failed:
            ++failed;
            break;
        case NodeOutcome::not_run:
            ++not_run;
            break;
        case NodeOutcome::cancelled:
            ++cancelled;
            break;
        case NodeOutcome::deferred:
            ++deferred;
            break;
    }
}

void GraphTally::add(const GraphTally& other) noexcept {
    done += other.done;
    skipped += other.skipped;
    failed += other.failed;
    not_run += other.not_run;
    cancelled += other.cancelled;
    deferred += other.deferred;
}

void GraphCore::begin_run(const GraphRunOptions& run_options) {
    if (running.exchange(true, std::memory_order_acquire)) {
        throw Error(
            "TaskGraph: it is running already; a graph cannot be run from within its own nodes, nor twice at a time");
    }
    try {
        build();
    } catch (...) {
        running.store(false, std::memory_order_release);
        throw;
    }
    options = run_options;
    pool = nullptr;
    choose = nullptr;
    deadline_ticks = 0;
    may_stop = options.stop.stop_possible();
    stopping.store(may_stop && options.stop.stop_requested(), std::memory_order_relaxed);
    errors.clear();
    const std::uint64_t number = report.run + 1;
    report.done = report.skipped = report.failed = report.not_run = report.cancelled = report.helpers = 0;
    report.run = number;
    report.deferred.clear();
    report.carried.clear();
    is_carrying = false;
    // Costs change slowly: most runs need no new ones.
    constexpr std::uint64_t kFirstRuns = 8;
    constexpr std::uint64_t kMeasureEvery = 16;
    shares_readings = !options.times && !may_stop && options.observer == nullptr && number > kFirstRuns &&
                      number % kMeasureEvery != 0;
    began = ticks();
}

void GraphCore::reset_counters() noexcept {
    for (HotNode& node : hot) {
        node.pending.store(node.in_degree, std::memory_order_relaxed);
        node.tainted.store(0, std::memory_order_relaxed);
    }
    is_carrying = false;
    shared.heap.clear();
    shared.bundles.clear();
}

void GraphCore::end_run() {
    report.wall = std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(ticks() - began) * 1000 /
                                                                     static_cast<double>(os::ticks_per_microsecond())));
    options.stop = {};
    if (!errors.empty()) [[unlikely]] {
        std::sort(errors.begin(), errors.end(), [](const NodeError& a, const NodeError& b) { return a.node < b.node; });
    }
    rank_if_due();
    std::vector<NodeError>* const wanted = options.errors;
    running.store(false, std::memory_order_release);
    if (wanted != nullptr) {
        wanted->insert(wanted->end(), errors.begin(), errors.end());
    } else if (!errors.empty()) {
        std::rethrow_exception(errors.front().error);
    }
}

void GraphCore::taint(HotNode& successor, NodeOutcome outcome) noexcept {
    if (outcome == NodeOutcome::failed || outcome == NodeOutcome::not_run) {
        successor.tainted.fetch_or(kAfterFailure, std::memory_order_relaxed);
    } else if (outcome == NodeOutcome::deferred) {
        successor.tainted.fetch_or(kAfterDeferred, std::memory_order_relaxed);
    }
}

// `done`: it is to be run.
NodeOutcome GraphCore::decide(std::uint32_t index, std::uint64_t now) {
    HotNode& node = hot[index];
    if (stopping.load(std::memory_order_relaxed)) return NodeOutcome::cancelled;
    if (may_stop && options.stop.stop_requested()) {
        stopping.store(true, std::memory_order_relaxed);
        return NodeOutcome::cancelled;
    }
    const std::uint8_t tainted = node.tainted.load(std::memory_order_relaxed);
    if ((tainted & kAfterFailure) != 0 && options.after_error != AfterError::go_on) return NodeOutcome::not_run;
    if ((node.flags & HotNode::kSpecial) == 0) return NodeOutcome::done;
    if (cold[index].deferrable && deadline_ticks != 0 && !is_carrying) {
        const bool late = now + static_cast<std::uint64_t>(node.cost) >= deadline_ticks;
        if (late || (tainted & kAfterDeferred) != 0) return NodeOutcome::deferred;
    }
    return NodeOutcome::done;
}

NodeOutcome GraphCore::run_node(std::uint32_t index, GraphRunner& runner, RangeOrder range_order) {
    HotNode& node = hot[index];
    NodeStamps& stamp = stamps[index];
    if (runner.unread != 0) runner.read_clock();
    node.pending.store(node.in_degree, std::memory_order_relaxed);  // for the next run
    stamp.started = runner.now;
    NodeOutcome outcome = decide(index, runner.now);
    if (node.tainted.load(std::memory_order_relaxed) != 0) node.tainted.store(0, std::memory_order_relaxed);
    if (outcome == NodeOutcome::done) {
        outcome =
            any_trace() || options.observer != nullptr ? call_traced(index, range_order) : call(index, range_order);
        runner.now = ticks();
        const auto taken = static_cast<float>(static_cast<std::int64_t>(runner.now - stamp.started));
        if (outcome == NodeOutcome::done) {
            // Up at once, down slowly: a node that is thought light by mistake hides others. Without a branch, which
            // nothing could foresee.
            const float change = taken - node.cost;
            const bool is_first = (node.flags & HotNode::kUnmeasured) != 0;
            node.cost += is_first ? change : std::max(change * 0.5F, change * 0.125F);
            const bool light = node.cost < light_cost;
            node.flags = static_cast<std::uint8_t>((node.flags & ~(HotNode::kLight | HotNode::kUnmeasured)) |
                                                   (light ? HotNode::kLight : 0));
        }
        if (shares_readings) runner.expect_nodes_of(runner.now - stamp.started);
    }
    stamp.ended = runner.now;
    stamp.worker = runner.thread;
    stamp.outcome = outcome;
    runner.tally.count(outcome);
    return outcome;
}

NodeOutcome GraphCore::call_traced(std::uint32_t index, RangeOrder range_order) {
    const TraceSpan span(cold[index].trace_name);
    if (options.observer == nullptr) return call(index, range_order);
    options.observer->starts(index);
    const NodeOutcome outcome = call(index, range_order);
    options.observer->ends(index, outcome);
    return outcome;
}

NodeOutcome GraphCore::call(std::uint32_t index, RangeOrder range_order) {
    const HotNode& node = hot[index];
    try {
        if ((node.flags & HotNode::kSpecial) == 0) {
            node.invoke(node.object, 0, 0);
            return NodeOutcome::done;
        }
        const ColdNode& rest = cold[index];
        if (rest.condition && rest.condition(0, 0) == 0) return NodeOutcome::skipped;
        if (rest.count) {
            call_range(index, range_order);
        } else {
            rest.body(0, 0);
        }
        return NodeOutcome::done;
    } catch (...) {
        return failed(index);
    }
}

NodeOutcome GraphCore::failed(std::uint32_t index) noexcept {
    if (options.after_error == AfterError::stop) stopping.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(error_lock);
    errors.push_back({index, cold[index].name, std::current_exception()});
    return NodeOutcome::failed;
}

void GraphCore::call_range(std::uint32_t index, RangeOrder range_order) {
    const ColdNode& node = cold[index];
    const std::uint64_t count = node.count(0, 0);
    if (count == 0) return;
    const std::uint64_t size = block_size(count, node.grain);
    const std::uint64_t blocks = (count - 1) / size + 1;
    const auto run_blocks = [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t block = first; block < last; ++block) {
            node.body(block * size, std::min(count, (block + 1) * size));
        }
    };
    if (range_order == RangeOrder::shared) {
        run_loop(*pool, blocks, run_blocks);
    } else if (range_order == RangeOrder::in_order) {
        run_blocks(0, blocks);
    } else {
        // Drawn from the seed and the node: what other nodes do, or whether they do, makes no difference.
        std::uint64_t state = shuffle_seed + index;
        blocks_.resize(blocks);
        for (std::uint64_t i = 0; i < blocks; ++i) blocks_[i] = i;
        for (std::uint64_t i = blocks; i > 1; --i) std::swap(blocks_[i - 1], blocks_[draw(state, i)]);
        for (const std::uint64_t block : blocks_) run_blocks(block, block + 1);
    }
    if (const std::uint64_t now = node.count(0, 0); now != count) {
        throw Error("the count of \"" + node.name + "\" changed from " + std::to_string(count) + " to " +
                    std::to_string(now) + " while it ran");
    }
}

void GraphCore::begin_carried() {
    is_carrying = true;
    report.carried.assign(carried.begin(), carried.end());
    is_carried_.assign(hot.size(), false);
    for (const std::uint32_t index : carried) {
        is_carried_[index] = true;
        hot[index].pending.store(0, std::memory_order_relaxed);
    }
    // A node that follows a carried one only since the graph was changed comes out with what it had.
    for (const std::uint32_t index : carried) {
        const HotNode& node = hot[index];
        for (std::uint32_t i = node.first_successor; i < node.last_successor; ++i) {
            std::atomic<std::uint32_t>& pending = hot[successors[i]].pending;
            pending.store(pending.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
    }
    carried_start.clear();
    for (const std::uint32_t index : carried) {
        if (hot[index].pending.load(std::memory_order_relaxed) == 0) carried_start.push_back(index);
    }
}

void GraphCore::end_carried() {
    is_carrying = false;
    for (const std::uint32_t index : carried) {
        for (std::uint32_t i = hot[index].first_successor; i < hot[index].last_successor; ++i) {
            HotNode& successor = hot[successors[i]];
            if (is_carried_[successors[i]]) continue;
            successor.pending.store(successor.in_degree, std::memory_order_relaxed);
            successor.tainted.store(0, std::memory_order_relaxed);
        }
    }
    std::erase_if(carried, [&](std::uint32_t index) { return stamps[index].outcome != NodeOutcome::cancelled; });
}

void GraphCore::take_tally(const GraphTally& tally) {
    report.done = tally.done;
    report.skipped = tally.skipped;
    report.failed = tally.failed;
    report.not_run = tally.not_run;
    report.cancelled = tally.cancelled;
    if (tally.deferred == 0) return;
    carried.clear();
    for (const std::uint32_t index : order) {
        if (stamps[index].outcome == NodeOutcome::deferred) carried.push_back(index);
    }
    report.deferred.assign(carried.begin(), carried.end());
}

}  // namespace quarry::impl
