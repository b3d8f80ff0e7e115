#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "jobs/atomics/policy.hpp"
#include "jobs/counters.hpp"
#include "jobs/deque/deque.hpp"
#include "jobs/group.hpp"
#include "jobs/node.hpp"
#include "jobs/os.hpp"
#include "jobs/parking/parker.hpp"
#include "jobs/patience.hpp"
#include "jobs/slot/slot.hpp"
#include "jobs/spin_budget.hpp"
#include "jobs/steal_pace.hpp"
#include "quarry/jobs/impl/context.hpp"

namespace quarry::impl {

class PoolCore;

// A thread that takes part in a pool: one of its own threads, or for a while a guest (a thread from outside, during
// a scope, join or loop of its own). All members but those that thieves and wakers use belong to that thread.
class Worker : public WorkerContext {
  public:
    Worker(PoolCore& pool, int worker_index, bool is_guest);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    static Worker* current() noexcept { return static_cast<Worker*>(current_context); }

    // The life of a pool's own thread: runs jobs until the pool stops and nothing is left.
    void run_until_stopped();

    // Queues a job that this thread created. Fails only by std::bad_alloc, before anybody has seen the job.
    void push(Node& node);
    // Puts a submitted job into the last-in slot; what was there goes to the far deque.
    void push_submitted(Node& node);
    // A promoted join was claimed without its queue: takes the entry out if it is the newest one, else leaves it to be
    // skipped by whoever finds it.
    void forget_promoted(Node& node) noexcept;
    // The same for a submitted job that its waiter claimed.
    void forget_submitted(Node& node) noexcept;

    // Runs or, if its group stops, discards a closure; counts it.
    void run_closure(Node& node) noexcept;
    // Runs a claimed job to its end, on top of whatever this thread is doing, and tells those who wait for it.
    void execute(Node& node) noexcept;

    // Wait for an event, running only what belongs to it: never unrelated work, so the stack stays bounded.
    void wait_for(Group& group) noexcept;
    void wait_for(Node& node_with_latch) noexcept;

    // Empties a guest's queues when it leaves: nothing is in them that can not be claimed by other ways.
    void leave_queues_empty() noexcept;

    // From here on the next poll looks at once whether somebody is hungry.
    void lose_patience() noexcept {
        patience = 0;
        patience_between_offers.lose();
    }
    // An offer is not taken although somebody searches: now and then, sees to it that the searcher gets to run.
    void hurry_searchers() noexcept;

    // Any thread, sequentially consistent.
    bool has_visible_work() const noexcept {
        return !deque.looks_empty() || !far_deque.looks_empty() || !slot.looks_empty();
    }

    PoolCore& core;
    const int index;
    const bool guest;
    std::atomic<bool> taken{false};  // a guest's place is in use

    NodeCache nodes;
    WorkerCounters counters;
    std::vector<std::vector<int>> victims;  // other workers, nearest group first

    std::atomic<std::uint64_t> trace{0};  // that records this worker; 0: none
    Node* lineage = nullptr;              // of the job that runs now
    Node* boundary_lineage = nullptr;     // of the frames just after `boundary`
    Patience patience_between_offers;
    std::int64_t futile_word = 0;  // the pool's counters when an offer last found nobody
    std::uint64_t offered_at = 0;  // ticks; 0: what was offered last has been taken, or nobody can be hurried
    int inline_depth = 0;          // spawned jobs run at once within each other
    bool job_threw = false;        // set by the handler of the job that runs now
    // Entries of `deque` from this index on came since the innermost group, loop or wait of this worker began.
    std::uint64_t floor = 0;
    bool queues_used = false;  // since a guest came

    // Shared with thieves and wakers.
    alignas(128) Parker<DefaultAtomics> parker;
    os::Placement placement;
    std::atomic<std::uint64_t> woken_at{0};  // ticks, by a thread from outside; 0: no
    std::atomic<bool> searching{false};      // awake and looking for work, as far as it gets to run
    std::atomic<Node*> awaited{nullptr};     // whose descendants the worker would run while it waits
    Slot<DefaultAtomics, Node*> slot;
    // Jobs of scopes and loops, and promoted joins. Whoever takes an unshared one out of here owns it.
    Deque<DefaultAtomics, Node*> deque;
    // Submitted jobs, and jobs that are also in their group's list (see publish_all): all of them shared.
    Deque<DefaultAtomics, Node*> far_deque;

  private:
    Node* find_own() noexcept;
    Node* find_elsewhere();
    Node* steal_from(Worker& victim);
    Node* steal_far_from(Worker& victim) noexcept;
    Node* steal_descendant_of(Node& ancestor) noexcept;
    bool descendant_visible(Node& ancestor) noexcept;
    Node* find_injected() noexcept;
    Node* idle_until_work();
    Node* search_awake();
    Node* next_own_descendant_of(Node& ancestor) noexcept;
    Node* next_listed_in(Group& group) noexcept;
    void publish(Node& node) noexcept;
    void publish_all() noexcept;

    template <class Event>
    void await(Event event) noexcept;
    template <class Event>
    void park_for(Event& event) noexcept;

    Node* claimed(Node* node) noexcept;
    std::uint32_t random() noexcept;

    Frame root_;
    SpinBudget search_budget_;
    SpinBudget wait_budget_;
    std::uint32_t random_state_;
    std::uint32_t turn_ = 0;
    StealPace steal_pace_;
};

// Raises the floor for the time of a scope, a loop or a wait.
class RaisedFloor {
  public:
    explicit RaisedFloor(Worker& worker) noexcept : worker_(worker), outer_(worker.floor) {
        worker.floor = worker.deque.bottom();
    }
    RaisedFloor(const RaisedFloor&) = delete;
    RaisedFloor& operator=(const RaisedFloor&) = delete;
    // Entries may have been taken from beneath the floor meanwhile: it never rises on the way out.
    ~RaisedFloor() { worker_.floor = std::min(worker_.floor, outer_); }

  private:
    Worker& worker_;
    const std::uint64_t outer_;
};

// The frames of a job that runs on top of another one: promotion passes it to learn the lineage of what follows.
struct LineageFrame : Frame {
    LineageFrame(Worker& worker, Node& of) noexcept;
    LineageFrame(const LineageFrame&) = delete;
    LineageFrame& operator=(const LineageFrame&) = delete;
    ~LineageFrame();

    Worker& owner;
    Frame* const previous;
    Node* const inner;
    Node* const outer;
};

}  // namespace quarry::impl
