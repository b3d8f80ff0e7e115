#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iosfwd>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/erased_function.hpp"
#include "quarry/jobs/lane.hpp"
#include "quarry/jobs/parallel_for.hpp"

namespace quarry {

namespace impl {
class GraphCore;
}

// A graph cannot be built: it has a cycle, or a deferrable node with a successor that is not. The message names every
// node concerned.
class QUARRY_API GraphError : public Error {
  public:
    using Error::Error;
};

// What became of a node in a run.
enum class NodeOutcome : std::uint8_t {
    done,       // it ran
    skipped,    // its condition said no; what follows it ran
    failed,     // it threw
    not_run,    // one of those before it failed
    cancelled,  // the run was stopped before it started
    deferred,   // left to the next run, which does it first
};

// Where the time of one node went, counted from the start of the run.
struct NodeTimes {
    std::chrono::nanoseconds ready;    // all before it had ended
    std::chrono::nanoseconds started;  // its function was called
    std::chrono::nanoseconds ended;    // its function had returned
    int worker;                        // index of the thread in the pool; -1: a thread outside
    NodeOutcome outcome;               // what became of it
};

// One failed node of a run.
struct NodeError {
    std::size_t node;          // its index
    std::string name;          // as given to add
    std::exception_ptr error;  // what it threw
};

// What happened in one run.
struct GraphReport {
    std::uint64_t run = 0;              // 1, 2, ...
    std::size_t done = 0;               // nodes that ran
    std::size_t skipped = 0;            // nodes whose condition said no
    std::size_t failed = 0;             // nodes that threw
    std::size_t not_run = 0;            // nodes behind one that failed
    std::size_t cancelled = 0;          // nodes that had not started when the run was stopped
    std::vector<std::size_t> deferred;  // nodes left to the next run
    std::vector<std::size_t> carried;   // nodes that the run before left, done first in this one
    std::size_t helpers = 0;            // times a further worker joined in
    std::chrono::nanoseconds wall{};    // how long the run took
};

// Told of every node that runs, on the thread on which it does. It must not throw. With several workers it is called
// by several threads at a time.
class GraphObserver {
  public:
    virtual ~GraphObserver() = default;
    // Right before the node's function is called.
    virtual void starts(std::size_t node) noexcept = 0;
    // Right after it has returned or thrown.
    virtual void ends(std::size_t node, NodeOutcome outcome) noexcept = 0;
};

// What a failed node means to the others.
enum class AfterError : std::uint8_t {
    stop,             // no further node starts
    skip_successors,  // those that depend on it do not run
    go_on,            // nothing
};

// How a graph is run.
struct GraphRunOptions {
    std::stop_token stop = {};  // once requested, no further node starts
    // Receives every error in node order, and nothing is rethrown.
    std::vector<NodeError>* errors = nullptr;
    AfterError after_error = AfterError::stop;  // which nodes still run after an error
    GraphObserver* observer = nullptr;          // told of every node that runs; null: nobody
    // Every node gets a reading of the clock. Without it light nodes that follow each other on one thread share one,
    // in most runs of run and run_until: a reading can take longer than the node.
    bool times = false;
};

// Returns a number below the one it is given.
using GraphChoice = std::function<std::size_t(std::size_t)>;

class TaskGraph;

// A node of a graph that is being put together. Copies mean the same node; valid as long as the graph.
class GraphNode {
  public:
    // Its place in the order in which nodes were added, from 0.
    std::size_t index() const noexcept { return index_; }

    // What must have ended before this node starts, and what starts only after it.
    QUARRY_API GraphNode& after(const GraphNode& other);
    QUARRY_API GraphNode& before(const GraphNode& other);
    // Nodes of the frame lane run on the workers that take part in the run. Others are submitted to their lane.
    QUARRY_API GraphNode& lane(Lane lane);
    // Of those that are ready, the most important go first, and among them those with the longest way to the end.
    QUARRY_API GraphNode& priority(Priority priority);
    // What the node costs, until that was measured.
    QUARRY_API GraphNode& cost(std::chrono::nanoseconds hint);
    // run_until may leave it to the next run. All nodes after it must be deferrable, too.
    QUARRY_API GraphNode& deferrable(bool allowed = true);
    // Asked when the node could start. If it says no the node is skipped, and those after it go on.
    template <class F>
    GraphNode& run_if(F&& condition) {
        set_condition(impl::GraphFunction::make(std::forward<F>(condition), [](auto& f, std::uint64_t, std::uint64_t) {
            return static_cast<bool>(std::invoke(f));
        }));
        return *this;
    }

  private:
    friend class TaskGraph;
    GraphNode(impl::GraphCore& core, std::size_t index) noexcept : core_(&core), index_(index) {}
    QUARRY_API void set_condition(impl::GraphFunction condition);

    impl::GraphCore* core_;
    std::size_t index_;
};

// Nodes with an order among them, built once and run many times. A node starts when all before it have ended; that is
// decided by counters while the graph runs. The worker that ends a node goes on with the next ready one itself. Light
// nodes (by a moving average of what they took) are run one after the other; heavy ones are offered to other workers,
// those with the longest remaining path first. A run allocates nothing once warm.
//
// A graph is put together and run by one thread at a time.
class TaskGraph {
  public:
    // Most nodes of a graph.
    static constexpr std::size_t kMostNodes = std::size_t{1} << 24;

    // A graph without nodes.
    QUARRY_API TaskGraph();
    // Moves. Neither graph may be running; one that is destroyed while it runs ends the program with a message. A graph
    // that was moved from can only be assigned to and destroyed: everything else throws quarry::Error.
    QUARRY_API TaskGraph(TaskGraph&& other) noexcept;
    QUARRY_API TaskGraph& operator=(TaskGraph&& other) noexcept;
    QUARRY_API ~TaskGraph();

    // A node that calls f(). Throws quarry::Error while the graph runs.
    template <class F>
    GraphNode add(std::string_view name, F&& f) {
        return add_node(name, impl::GraphFunction::make(std::forward<F>(f), [](auto& g, std::uint64_t, std::uint64_t) {
                            static_cast<void>(std::invoke(g));
                        }));
    }
    // A node that calls body(IndexRange) for the blocks of [0, count()), on as many workers as are free: a worker that
    // comes late takes half of what is left. The blocks are the same in every run with that count: `grain` elements
    // each; 0: about 4,096 blocks.
    template <class Count, class Body>
    GraphNode add_ranges(std::string_view name, Count&& count, Body&& body, std::size_t grain = 0) {
        return add_range_node(
            name,
            impl::GraphFunction::make(
                std::forward<Body>(body),
                [](auto& f, std::uint64_t first, std::uint64_t last) {
                    std::invoke(f, IndexRange{static_cast<std::size_t>(first), static_cast<std::size_t>(last)});
                }),
            impl::GraphFunction::make(
                std::forward<Count>(count),
                [](auto& f, std::uint64_t, std::uint64_t) { return static_cast<std::uint64_t>(std::invoke(f)); }),
            grain);
    }

    // Checks the graph and lays it out; run() does it when it was not done. Throws GraphError.
    QUARRY_API void build();

    // Runs every node, on the calling thread and on workers of the pool, and returns when all have ended. Rethrows the
    // error of the first failed node. Throws quarry::Error if the graph is running, even further up on this stack.
    QUARRY_API const GraphReport& run(Pool& pool, const GraphRunOptions& options = {});
    // As run, except that deferrable nodes which would not end before `deadline`, by what they cost so far, are left to
    // the next run. That one does them before anything else, whatever its own deadline.
    QUARRY_API const GraphReport& run_until(Pool& pool, std::chrono::steady_clock::time_point deadline,
                                            const GraphRunOptions& options = {});
    // Runs on the calling thread alone, in the order in which the nodes were added as far as the edges allow.
    QUARRY_API const GraphReport& run_here(const GraphRunOptions& options = {});
    // Runs on the calling thread alone. The order, and the pieces of ranges, are drawn from the seed: what some number
    // of workers might do.
    QUARRY_API const GraphReport& run_shuffled(std::uint64_t seed, const GraphRunOptions& options = {});

    // Runs on the calling thread alone. Every choice is made by choose(n): which of n ready nodes, or of n blocks that
    // are left, goes first. For tests that go through all orders. Throws quarry::Error for a choice that is not below
    // n.
    QUARRY_API const GraphReport& run_chosen(const GraphChoice& choose, const GraphRunOptions& options = {});

    // How many nodes there are.
    QUARRY_API std::size_t size() const;
    // As given to add.
    QUARRY_API const std::string& name(std::size_t node) const;
    // The nodes that start only after this one.
    QUARRY_API std::vector<std::size_t> successors(std::size_t node) const;
    // The report of the latest run.
    QUARRY_API const GraphReport& report() const;
    // When the node ran in the latest run. For light nodes to a few microseconds, unless GraphRunOptions::times was
    // set.
    QUARRY_API NodeTimes times(std::size_t node) const;
    // Moving average of what the node took.
    QUARRY_API std::chrono::nanoseconds cost(std::size_t node) const;

    // One line a node, in the order of run_here; a description for Graphviz; one for Mermaid.
    QUARRY_API void write_text(std::ostream& out);
    QUARRY_API void write_dot(std::ostream& out);
    QUARRY_API void write_mermaid(std::ostream& out);

    // For the library's own use.
    QUARRY_API impl::GraphCore& core() const;

  private:
    QUARRY_API GraphNode add_node(std::string_view name, impl::GraphFunction body);
    QUARRY_API GraphNode add_range_node(std::string_view name, impl::GraphFunction body, impl::GraphFunction count,
                                        std::size_t grain);

    std::unique_ptr<impl::GraphCore> core_;
};

}  // namespace quarry
