#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "jobs/deque/deque.hpp"
#include "jobs/os/os.hpp"
#include "jobs/parking/parker.hpp"
#include "jobs/scope/group.hpp"
#include "jobs/slot/slot.hpp"
#include "jobs/task/node.hpp"
#include "jobs/worker/counters.hpp"
#include "jobs/worker/idle.hpp"
#include "jobs/worker/patience.hpp"
#include "jobs/worker/search.hpp"
#include "jobs/worker/spin_budget.hpp"
#include "quarry/jobs/impl/atomics.hpp"
#include "quarry/jobs/impl/context.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

class PoolCore;
class PermitGate;
class TaskWait;
class Worker;
template <class Policy, class Member>
struct Crew;
using WorkerCrew = Crew<DefaultAtomics, Worker>;

// A worker's own queues in one lane, which thieves of that lane look into.
struct LaneQueues {
    Slot<DefaultAtomics, Node*> slot;
    // Jobs of scopes and loops, and promoted joins. Whoever takes an unshared one out of here owns it.
    Deque<DefaultAtomics, Node*> deque{kFirstCapacity};
    // Submitted jobs, and jobs that are also in their group's list (see publish_all): all of them shared.
    Deque<DefaultAtomics, Node*> far_deque{kFirstCapacity};

    // Any thread, sequentially consistent.
    bool has_visible_work() const noexcept {
        return !deque.looks_empty() || !far_deque.looks_empty() || !slot.looks_empty();
    }

  private:
    static constexpr std::size_t kFirstCapacity = 128;
};

// Whether a thread that runs a task also runs what continues it: no, it only runs this one; as the next job of a
// worker; as part of what the thread waits for.
enum class Succession : std::uint8_t { none, at_the_bottom, waited_for };

// A thread that takes part in a pool: one of its own threads, or for a while a guest (a thread from outside, during
// a scope, join or loop of its own, or the host's thread while it runs jobs that are pinned to it). All members but
// those that thieves and wakers use belong to that thread.
class Worker : public WorkerContext {
  public:
    // crew: null for a guest.
    Worker(PoolCore& pool, int worker_index, WorkerCrew* worker_crew);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    static Worker* current() noexcept { return static_cast<Worker*>(current_context); }

    // The life of a pool's own thread: runs jobs until the pool stops and nothing is left.
    void run_until_stopped();

    // Queues a job that this thread created. Fails only by std::bad_alloc, before anybody has seen the job.
    void push(Node& node);
    // Puts a submitted job into the last-in slot of its lane; what was there goes to the far deque. reserve_submitted
    // before it, which may throw std::bad_alloc.
    void push_submitted(Node& node, Lane which) noexcept;
    void reserve_submitted(Lane which) { lane_queues(which).far_deque.reserve(1); }
    // A promoted join was claimed without its queue: takes the entry out if it is the newest one, else leaves it to be
    // skipped by whoever finds it.
    void forget_promoted(Node& node) noexcept;
    // The same for a submitted job that its waiter claimed. False: it was left, or is in another queue.
    bool forget_submitted(Node& node) noexcept;

    // Turns the reference of a queue's entry into the right to run the job, or drops it.
    Node* claim_or_drop(Node* node) noexcept { return node->claim.try_claim() ? node : bring_to_gate(node); }
    // At the bottom of the stack: what this worker runs next, and all that becomes part of it, belongs to that lane.
    void enter_lane(Lane which) noexcept {
        if (lane != which) change_lane(which);
    }

    // Runs or, if its group stops, discards a closure; counts it.
    void run_closure(Node& node) noexcept;
    // Runs a claimed job to its end, on top of whatever this thread is doing, and tells those who wait for it. Returns
    // the job that continues it, claimed, if the caller is the one to run it.
    Node* execute(Node& node, Succession succession = Succession::none) noexcept;

    // The same for a task that this thread waits for: it keeps its own lane's right to block.
    Node* run_waited_for(Node& task, Succession succession) noexcept;
    // Whether a job of that lane that this worker submits goes to its own queues.
    bool has_queues_for(Lane which) const noexcept {
        return !guest && !at_gate && lane != Lane::io && (which == Lane::frame || which == Lane::background);
    }

    // Wait for an event, running only what belongs to it: never unrelated work, so the stack stays bounded.
    void wait_for_group(Group& group) noexcept;
    void wait_for_latch(Node& node_with_latch) noexcept;
    void wait_for_end(Node& task) noexcept;

    void drop_entries() noexcept;
    // Before the calling thread sleeps: what it holds, in each of the pools that it takes part in, others can reach.
    static void hide_nothing() noexcept;
    // Empties a guest's queues when it leaves. What it has spawned into scopes of other threads goes to where idle
    // workers find it.
    void leave_queues_empty() noexcept;
    // For a job that its group's owner can claim already: hands it to the lane's queue, or runs it here and now when
    // that has no place. Takes over the caller's reference.
    void queue_or_run(Node& node, Lane which) noexcept;

    // From here on the next poll looks at once whether somebody can take something: there is a new piece of work.
    void lose_patience() noexcept { patience.lose(); }
    // A guest that computes leaves one worker less for private work. In the body of its scope it counts as one of those
    // only while it takes part in a join or a loop for which somebody was hungry, or waits: else it may be asleep.
    // True: it is counted from now on.
    bool count_as_computing() noexcept;
    void count_as_resting() noexcept;
    // After a join or a loop: the next thing a guest does in the body of its scope may be to sleep.
    void rest_if_in_scope_body() noexcept {
        if (scope_body == newest && computes) [[unlikely]]
            count_as_resting();
    }
    // As its crew wants it: before it is woken by a thread that goes on, and after.
    void steer_away_from_caller() noexcept { placement.steer_away_from_caller(); }
    void was_woken() const noexcept;
    // An offer is not taken although somebody searches: now and then, sees to it that the searcher gets to run.
    void hurry_searchers() noexcept;

    LaneQueues& lane_queues(Lane which) noexcept { return lanes[static_cast<std::size_t>(which)]; }
    // The near deque of the lane that this worker is in now.
    Deque<DefaultAtomics, Node*>& deque() noexcept { return lane_queues(lane).deque; }

    // From the context to the floor one cache line: nearly all that a guest touches to come and go.
    const bool guest;
    // Where jobs that are created here go: the lane of the job at the bottom of the stack. Those on top of it are part
    // of what it waits for.
    Lane lane;
    // Of the job that runs now: another one if it is a task that this thread waits for.
    Lane job_lane;
    std::atomic<bool> taken{false};      // a guest's seat is in use
    bool queues_used = false;            // since a guest came
    bool at_gate = false;                // in a search that may be past the own queues
    JobEnd job_end = JobEnd::completed;  // set by the closure of the job that runs now
    bool computes = false;               // a guest is counted as one that computes, see count_as_computing
    // Entries of deque() from this index on came since the innermost group, loop or wait of this worker began.
    std::uint64_t floor = 0;
    Patience patience;
    // The body of the scope by which a guest came: there it may compute, or sleep. Null: it is not in one.
    const Frame* scope_body = nullptr;
    // In there: the outermost join, while it is not offered; the boundary has passed it so that its end is noticed.
    Frame* kept = nullptr;
    bool keeps_only = false;
    const int index;
    WorkerCrew* const crew;
    // What a guest's thread is besides, in another pool: a worker that has become a guest, or a guest of that one.
    Worker* outer_worker = nullptr;

    NodeCache nodes;
    WorkerCounters counters;
    Search search;

    std::atomic<std::uint64_t> trace{0};  // that records this worker; 0: none
    Node* lineage = nullptr;              // of the job that runs now
    Node* boundary_lineage = nullptr;     // of the frames just after `boundary`
    std::uint64_t offered_at = 0;         // ticks; 0: what was offered last has been taken, or nobody can be hurried
    int inline_depth = 0;                 // spawned jobs run at once within each other
    TaskWait* task_wait = nullptr;        // the innermost
    bool shows_task_waits = false;        // under the lock of HostNeeds

    // Shared with thieves and wakers.
    alignas(128) Parker<DefaultAtomics> parker;
    os::Placement placement;
    std::atomic<bool> searching{false};   // awake and looking for work, as far as it gets to run
    std::atomic<Node*> awaited{nullptr};  // whose descendants the worker would run while it waits
    std::array<LaneQueues, 3> lanes;      // frame, background, io
    // Of a guest's seat: whose track its thread has, see trace_guest.
    std::atomic<std::uint64_t> trace_thread{0};

  private:
    Node* steal_descendant_of(Node& ancestor, Lane which) noexcept;
    bool descendant_visible(Node& ancestor, Lane which) noexcept;
    Node* next_own_descendant_of(Node& ancestor) noexcept;
    Node* next_listed_in(Group& group) noexcept;
    void publish(Node& node, Lane which) noexcept;
    void publish_all() noexcept;
    bool succeeds_itself(Node& continuation, Succession succession) noexcept;
    Node* tell_of_end(std::uintptr_t first, Succession succession) noexcept;

    template <class Event>
    void await(Event& event) noexcept;
    template <class Event>
    void park_for(Event& event) noexcept;

    void change_lane(Lane which) noexcept;
    Node* bring_to_gate(Node* node) noexcept;
    Node* take_permit_or_wait(Node& node, PermitGate& gate) noexcept;

    Frame root_;
    Idle idle_;
    SpinBudget wait_budget_;
};

// Raises the floor for the time of a scope, a loop or a wait.
class RaisedFloor {
  public:
    explicit RaisedFloor(Worker& worker) noexcept : worker_(worker), outer_(worker.floor) {
        worker.floor = worker.deque().bottom();
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
