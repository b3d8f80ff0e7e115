#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "jobs/graph/spin_lock.hpp"
#include "quarry/jobs/task.hpp"
#include "quarry/jobs/task_graph.hpp"
#include "quarry/jobs/trace.hpp"

namespace quarry::impl {

inline constexpr std::uint32_t kNoNode = static_cast<std::uint32_t>(-1);

// Below this many ticks a node is light.
std::uint64_t light_ticks() noexcept;

// What a run touches of a node, on one cache line.
struct alignas(64) HotNode {
    enum Flag : std::uint8_t {
        kLight = 1,      // costs so little that handing it over would cost more
        kSpecial = 2,    // has a condition, a range, a lane, or may be deferred: not just a call
        kGathering = 4,  // has very many before it, whose ends are told together
        kUnmeasured = 8,
    };

    std::atomic<std::uint32_t> pending{0};  // nodes before it that have not ended; set anew when it starts
    std::uint32_t in_degree = 0;
    std::uint32_t next = kNoNode;  // in a worker's list of ready nodes
    std::uint32_t first_successor = 0;
    std::uint32_t last_successor = 0;
    float rank = 0;  // ticks from its start to the end of the graph, along the longest path
    float cost = 0;  // ticks, a moving average
    std::uint8_t flags = kUnmeasured;
    std::atomic<std::uint8_t> tainted{0};  // what happened before it: Taint bits
    std::uint8_t importance = 0;           // its priority, or that of a node after it
    void* object = nullptr;
    GraphFunction::Invoke invoke = nullptr;
};

enum Taint : std::uint8_t { kAfterFailure = 1, kAfterDeferred = 2 };

struct NodeStamps {
    std::uint64_t ready = 0;
    std::uint64_t started = 0;
    std::uint64_t ended = 0;
    std::int32_t worker = -1;
    NodeOutcome outcome = NodeOutcome::done;
};

// The rest of a node.
struct ColdNode {
    std::string name;
    const char* trace_name = nullptr;
    GraphFunction body;
    GraphFunction count;  // of a range
    GraphFunction condition;
    std::size_t grain = 0;
    Lane lane = Lane::frame;
    Priority priority = Priority::normal;
    bool deferrable = false;
    std::uint64_t hint_nanoseconds = 0;
    std::vector<std::uint32_t> successors;
};

struct GraphTally {
    std::size_t done = 0;
    std::size_t skipped = 0;
    std::size_t failed = 0;
    std::size_t not_run = 0;
    std::size_t cancelled = 0;
    std::size_t deferred = 0;

    void count(NodeOutcome outcome) noexcept;
    void add(const GraphTally& other) noexcept;
};

// One thread that runs nodes.
struct GraphRunner {
    GraphRunner(std::uint64_t start, std::int32_t index) noexcept : now(start), thread(index) {}

    // Reads the clock after `unread` nodes, and sees how many may follow before the next reading.
    void read_clock() noexcept;
    void expect_nodes_of(std::uint64_t node_ticks) noexcept;

    std::uint64_t now;              // the latest stamp: where one node ends the next one starts
    std::uint64_t average = 0;      // ticks that a node took between the latest two readings
    std::uint32_t unread = 0;       // nodes that ended since
    std::uint32_t most_unread = 1;  // so many may end before the clock is read again
    std::int32_t thread;            // its index in the pool, -1 outside
    GraphTally tally;
};

// Ready nodes that belong to one thread, or that one thread has left for another: part of an array, and a list.
struct ReadyNodes {
    const std::uint32_t* next = nullptr;
    const std::uint32_t* end = nullptr;
    std::uint32_t head = kNoNode;
    std::uint32_t listed = 0;

    bool empty() const noexcept { return head == kNoNode && next == end; }
    std::size_t size() const noexcept { return listed + static_cast<std::size_t>(end - next); }
};

// A node that is not for the frame lane: its job, and the one that went on with what it made ready.
struct ForeignNode {
    std::uint32_t index;
    Task<void> job;
    Task<void> helper;
};

// What threads of one run share, kept from run to run for its memory.
struct SharedReady {
    static constexpr std::size_t kMostBundles = 16;

    std::vector<std::uint32_t> heap;  // heavy nodes, the best first
    std::vector<ReadyNodes> bundles;  // of light ones
    std::vector<ForeignNode> foreign;
};

// How the blocks of a range are run.
enum class RangeOrder : std::uint8_t { shared, in_order, shuffled };

// A graph as it is put together, and how it is laid out to be run. What a run needs besides is in GraphRun.
class GraphCore {
  public:
    std::size_t add(std::string_view name, GraphFunction body, GraphFunction count, std::size_t grain);
    void add_edge(std::size_t from, std::size_t to);
    ColdNode& to_change(std::size_t node);  // throws quarry::Error while the graph runs

    void build();
    // Longest remaining paths from what the nodes have cost; sorts what a run starts with.
    void rank();
    void rank_if_due();

    // Throws quarry::Error when the graph is running.
    void begin_run(const GraphRunOptions& run_options);
    void end_run();
    // Whether a goes before b when both are ready.
    bool goes_before(std::uint32_t a, std::uint32_t b) const noexcept {
        const HotNode& one = hot[a];
        const HotNode& other = hot[b];
        if (one.importance != other.importance) return one.importance > other.importance;
        return one.rank != other.rank ? one.rank > other.rank : a < b;
    }

    // Whether a node is nothing but a short call, whose time need not be known in this run.
    bool is_quick(const HotNode& node, const GraphRunner& runner) const noexcept {
        constexpr std::uint8_t kAll = HotNode::kLight | HotNode::kSpecial | HotNode::kUnmeasured;
        return shares_readings && runner.most_unread > 1 && (node.flags & kAll) == HotNode::kLight &&
               node.tainted.load(std::memory_order_relaxed) == 0 && !stopping.load(std::memory_order_relaxed) &&
               !any_trace();
    }
    // Runs such a node: a reading of the clock can take twice as long as all the rest.
    NodeOutcome run_quickly(std::uint32_t index, GraphRunner& runner) {
        HotNode& node = hot[index];
        NodeStamps& stamp = stamps[index];
        node.pending.store(node.in_degree, std::memory_order_relaxed);  // for the next run
        stamp.started = runner.now;
        NodeOutcome outcome = NodeOutcome::done;
        try {
            node.invoke(node.object, 0, 0);
        } catch (...) {
            outcome = failed(index);
        }
        if (++runner.unread >= runner.most_unread) runner.read_clock();
        stamp.ended = runner.now;
        stamp.worker = runner.thread;
        stamp.outcome = outcome;
        ++(outcome == NodeOutcome::done ? runner.tally.done : runner.tally.failed);
        return outcome;
    }
    // Fetches what the end of a node will touch, while the node runs.
    void prefetch_successors(const HotNode& node) const noexcept {
        constexpr std::uint32_t kMost = 4;
        const std::uint32_t last = std::min(node.last_successor, node.first_successor + kMost);
        for (std::uint32_t i = node.first_successor; i < last; ++i) {
            __builtin_prefetch(&hot[successors[i]], 1);
            __builtin_prefetch(&stamps[successors[i]], 1);
        }
    }

    // Decides what becomes of a node, runs it if it is to be run, and leaves its stamps.
    NodeOutcome run_node(std::uint32_t index, GraphRunner& runner, RangeOrder range_order);
    // From within a handler.
    NodeOutcome failed(std::uint32_t index) noexcept;
    // Hands what happened to a node on to one that follows it.
    static void taint(HotNode& successor, NodeOutcome outcome) noexcept;

    // As if no run had begun: after one that ended with an exception.
    void reset_counters() noexcept;

    // A number below the limit: by the one who chooses, else at random.
    std::uint64_t draw(std::uint64_t& state, std::uint64_t below) const;
    // Around the nodes that the run before left: counters for those among them alone. One that is cancelled stays.
    void begin_carried();
    void end_carried();
    // What the nodes of this run came to.
    void take_tally(const GraphTally& tally);

    std::vector<ColdNode> cold;
    std::vector<HotNode> hot;
    std::vector<NodeStamps> stamps;
    std::vector<std::uint32_t> successors;
    std::vector<std::uint32_t> order;          // of run_here
    std::vector<std::uint32_t> starters;       // without predecessors, best first
    std::vector<std::uint32_t> ready;          // scratch of a shuffled run
    std::vector<std::uint32_t> carried;        // left by the run before, in the order of run_here
    std::vector<std::uint32_t> carried_start;  // those among them that no other one precedes
    bool built = false;
    std::atomic<bool> running{false};
    GraphReport report;

    // Of the run that is on.
    GraphRunOptions options;
    Pool* pool = nullptr;
    std::uint64_t deadline_ticks = 0;  // 0: none
    std::uint64_t shuffle_seed = 0;
    const GraphChoice* choose = nullptr;
    std::uint64_t began = 0;
    const float light_cost = static_cast<float>(light_ticks());
    const float prefetch_cost = light_cost / 32;  // from here on there is time for it
    std::atomic<bool> stopping{false};
    bool may_stop = false;
    bool is_carrying = false;
    bool shares_readings = false;  // several light nodes have one reading of the clock
    SharedReady shared;
    SpinLock error_lock;
    std::vector<NodeError> errors;

  private:
    void find_order();
    void keep_carried();
    void require_deferrable_successors() const;
    [[noreturn]] void throw_cycles(const std::vector<std::uint32_t>& left) const;
    void lay_out();
    NodeOutcome decide(std::uint32_t index, std::uint64_t now);
    NodeOutcome call(std::uint32_t index, RangeOrder range_order);
    NodeOutcome call_traced(std::uint32_t index, RangeOrder range_order);
    void call_range(std::uint32_t index, RangeOrder range_order);

    std::vector<std::uint32_t> pending_;  // scratch of building
    std::vector<std::uint64_t> blocks_;   // scratch of shuffled ranges
    std::vector<bool> is_carried_;        // scratch of begin_carried
    std::uint64_t next_ranking_ = 1;
};

// Elements a block of a range of that many: depends on nothing else.
constexpr std::uint64_t block_size(std::uint64_t count, std::uint64_t grain) noexcept {
    constexpr std::uint64_t kBlocks = 4096;
    return grain != 0 ? grain : (count + kBlocks - 1) / kBlocks;
}

std::uint64_t next_random(std::uint64_t& state) noexcept;

void run_in_parallel(GraphCore& core, Pool& pool);
void run_serially(GraphCore& core, bool shuffled);

}  // namespace quarry::impl
