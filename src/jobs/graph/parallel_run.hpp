#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "jobs/graph/graph_core.hpp"
#include "jobs/pool/pool_core.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/task.hpp"

// A run on the workers of a pool. README.md has the protocol and its argument.
namespace quarry::impl {

inline std::uint32_t take_first(ReadyNodes& nodes, const std::vector<HotNode>& hot) noexcept {
    if (nodes.head != kNoNode) {
        const std::uint32_t index = nodes.head;
        nodes.head = hot[index].next;
        --nodes.listed;
        return index;
    }
    return nodes.next != nodes.end ? *nodes.next++ : kNoNode;
}

// Half of them, of at least two: of the array the later ones, else of the list the ones that came last.
inline ReadyNodes split_off_half(ReadyNodes& nodes, std::vector<HotNode>& hot) noexcept {
    ReadyNodes half;
    if (nodes.listed < 2 || nodes.end - nodes.next >= 2) {
        half.end = nodes.end;
        half.next = nodes.next + (nodes.end - nodes.next) / 2;  // of one with one in the list: that one
        nodes.end = half.next;
        return half;
    }
    half.head = nodes.head;
    half.listed = nodes.listed / 2;
    std::uint32_t last = nodes.head;
    for (std::uint32_t i = 1; i < half.listed; ++i) last = hot[last].next;
    nodes.head = hot[last].next;
    nodes.listed -= half.listed;
    hot[last].next = kNoNode;
    return half;
}

// One thread's part in a run.
struct Participant : GraphRunner {
    explicit Participant(bool spawns) noexcept : GraphRunner(ticks(), Pool::current_index()), may_spawn(spawns) {}

    ReadyNodes own;
    std::uint32_t heavy = kNoNode;  // list of heavy nodes that became ready just now
    const std::uint64_t entered = now;
    std::uint64_t next_offer = 0;
    const bool may_spawn;
    std::uint32_t gathering = kNoNode;  // of so many of this node's predecessors it was not told yet that they ended
    std::uint32_t gathered = 0;
    std::uint32_t nodes_run = 0;
};

class ParallelRun {
  public:
    ParallelRun(GraphCore& core, Pool& pool)
        : core_(core),
          pool_(pool),
          most_(static_cast<std::uint32_t>(std::max(1, pool.worker_count()))),
          alone_(core.shared.foreign.empty()) {}
    ParallelRun(const ParallelRun&) = delete;
    ParallelRun& operator=(const ParallelRun&) = delete;

    void run(const std::vector<std::uint32_t>& starters);
    const GraphTally& tally() const noexcept { return tally_; }
    std::size_t helpers() const noexcept { return helpers_; }

  private:
    void begin(const std::vector<std::uint32_t>& starters, Participant& me);
    void take_part(Participant& me);
    bool take_shared_or_leave(Participant& me);
    bool take_shared(Participant& me);
    void wait_for_change(std::uint32_t seen) const noexcept;
    void run_one(std::uint32_t index, Participant& me);
    void tell_successors(const HotNode& node, NodeOutcome outcome, Participant& me);
    void count_down(std::uint32_t successor, std::uint32_t by, Participant& me);
    void became_ready(std::uint32_t index, Participant& me);
    void tell_gathered(Participant& me);
    void share_heavy(Participant& me);
    void offer_light(Participant& me);
    bool is_worth_offering(const Participant& me, std::uint64_t nanoseconds) const noexcept;
    void give_to_idle(Participant& me);
    void call_helpers(std::uint32_t count);
    void submit(std::uint32_t index, Participant& me);
    void run_submitted(ForeignNode& foreign);
    bool wait_for_submitted();

    void push_heavy(std::uint32_t index) {
        core_.shared.heap.push_back(index);
        std::push_heap(core_.shared.heap.begin(), core_.shared.heap.end(), worse_);
    }

    GraphCore& core_;
    Pool& pool_;
    const std::uint32_t most_;  // threads that take part at a time
    Scope* scope_ = nullptr;
    // Whether the caller is the only one, and counts without exchanges. Changed by it before anybody else takes part.
    bool alone_;
    struct Worse {
        const GraphCore& core;
        bool operator()(std::uint32_t a, std::uint32_t b) const noexcept { return core.goes_before(b, a); }
    } const worse_{core_};

    SpinLock lock_;  // for what follows, and SharedReady
    std::uint32_t participants_ = 0;
    std::uint32_t coming_ = 0;  // of these, called but not here yet
    std::uint32_t idle_ = 0;    // of these, have nothing to run and look for it
    std::size_t helpers_ = 0;
    GraphTally tally_;

    // Hints, so that nobody takes the lock in vain.
    alignas(64) std::atomic<std::uint32_t> wanted_{0};  // idle_
    std::atomic<std::uint32_t> changes_{0};             // something was shared, or a thread has left
};

}  // namespace quarry::impl
