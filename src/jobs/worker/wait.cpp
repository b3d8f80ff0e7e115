// How a worker waits: it runs what it waits for, or what that has spawned or, on the host's thread, what that waits for
// of the host; or it sleeps. Never anything else.
#include "jobs/completion/wait.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "jobs/completion/publish.hpp"
#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/task/life.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/task/task_listeners.hpp"
#include "jobs/trace/points.hpp"
#include "jobs/worker/worker.hpp"

namespace quarry::impl {
namespace {

// The kinds of event a worker waits for. lane(): where its descendants are queued.
struct GroupEnd : GroupEvent<DefaultAtomics, Node> {
    explicit GroupEnd(Group& of) noexcept : GroupEvent{of.completion, of.listed}, group(of) {}

    Lane lane() const noexcept { return group.owner->lane; }
    Node& ancestor() const noexcept { return group.node(); }

    Group& group;
};

struct LatchSet : LatchEvent<DefaultAtomics> {
    LatchSet(Node& of, Lane lane_of_waiter) noexcept : LatchEvent{of.latch}, node(of), waiter_lane(lane_of_waiter) {}

    Lane lane() const noexcept { return waiter_lane; }
    Node& ancestor() const noexcept { return node; }

    Node& node;
    Lane waiter_lane;
};

class TaskEnded : public EndListener, public TaskEvent<DefaultAtomics> {
  public:
    TaskEnded(Node& task, Parker<DefaultAtomics>& parker) noexcept
        : EndListener{}, TaskEvent(task.end, parker), task_(task) {
        ended = [](EndListener& listener) noexcept { static_cast<TaskEnded&>(listener).tell(); };
    }

    Lane lane() const noexcept { return task_front(task_).lane == Lane::host ? Lane::frame : task_front(task_).lane; }
    Node& ancestor() const noexcept { return task_; }
    void begin(Parker<DefaultAtomics>&) noexcept {
        TaskEvent::begin([this] { return listen(task_, *this); });
    }

  private:
    Node& task_;
};

// A fork has taken the context away: in the child nobody would ever end what is waited for.
[[noreturn]] void end_forked_child() noexcept {
    std::fputs("quarry: a forked child waits for a job of a pool that was made before fork()\n", stderr);
    std::terminate();
}

}  // namespace

// The newest entry of the own deque, above the floor, that the wait may run.
Node* Worker::next_own_descendant_of(Node& ancestor) noexcept {
    while (deque().bottom() > floor) {
        Node* const node = deque().pop();
        if (node == nullptr) break;
        if (!descends_from(*node, ancestor)) {
            // Something that runs within this wait spawned into a group outside of it.
            publish(*node, lane);
        } else if (Node* const mine = claim_or_drop(node)) {
            return mine;
        }
    }
    return nullptr;
}

// The next job of a group that this worker owns which somebody else listed.
Node* Worker::next_listed_in(Group& group) noexcept {
    // The list's reference becomes the runner's; the entry in the queue will be skipped.
    return next_listed(group.completion, group.listed, [this](Node* node) { return claim_or_drop(node); });
}

// Moves a job out of this worker's deque to where the owner of its group can claim it. A promoted join can be claimed
// by its owner already.
void Worker::publish(Node& node, Lane which) noexcept {
    Deque<DefaultAtomics, Node*>& far_deque = lane_queues(which).far_deque;
    if (Group* const group = node.group) {
        list_for_owner(*group, node, [&] {
            node.claim.share();
            far_deque.push(&node);
        });
    } else {
        far_deque.push(&node);
    }
    core.job_queued(this, which, node);
}

void Worker::publish_all() noexcept {
    for (const Lane which : {Lane::frame, Lane::background, Lane::io}) {
        while (Node* const node = lane_queues(which).deque.pop()) publish(*node, which);
    }
    floor = std::min(floor, deque().bottom());
}

// A thread that sleeps in a wait hides nothing: what it may not run itself, others can reach. See completion/README.md.
void Worker::hide_nothing() noexcept {
    for (Worker* worker = current(); worker != nullptr; worker = worker->outer_worker) worker->publish_all();
}

Node* Worker::steal_descendant_of(Node& ancestor, Lane which) noexcept {
    Node* found = nullptr;
    const auto try_victim = [&](Worker& victim) {
        while (found == nullptr && &victim != this) {
            counters.steal_attempts.add();
            const Steal<Node*> steal =
                victim.lane_queues(which).deque.steal_if([&](Node* node) { return descends_from(*node, ancestor); });
            if (steal.status == StealStatus::lost) counters.lost_races.add();
            if (steal.status != StealStatus::got) return;
            counters.steals.add();
            counters.stolen.add();
            trace_steal(*this, victim, 1);
            found = claim_or_drop(steal.value);
        }
    };
    core.for_each_in(which, try_victim);
    return found;
}

// The same question without taking; asked before sleeping.
bool Worker::descendant_visible(Node& ancestor, Lane which) noexcept {
    bool visible = false;
    const auto look = [&](Worker& victim) {
        if (visible || &victim == this) return;
        visible = victim.lane_queues(which).deque.oldest_satisfies(
            [&](Node* node) { return descends_from(*node, ancestor); });
    };
    core.for_each_in(which, look);
    return visible;
}

template <class Event>
void Worker::park_for(Event& event) noexcept {
    hide_nothing();
    const bool host = core.host.is_this_thread();
    if (!host) core.host_needs.falls_asleep(*this);
    const auto could_help = [&] {
        core.crews.count_hungry_sleep();
        return descendant_visible(event.ancestor(), event.lane()) ||
               (host && core.host_needs.look_or_listen(event.ancestor(), parker));
    };
    sleep_for_event(event, parker, could_help, [&] {
        counters.parks.add();
        trace_park(*this);
        parker.park(Parker<DefaultAtomics>::kWaiting);
        trace_awake(*this);
    });
    if (host) {
        core.host_needs.host_is_awake(parker);
    } else {
        core.host_needs.is_awake(*this);
    }
}

// Returns when the event is over, or has news for the caller.
template <class Event>
void Worker::await(Event& event) noexcept {
    if (current_context != this) [[unlikely]]
        end_forked_child();
    Node* const outer_awaited = awaited.load(std::memory_order_relaxed);
    awaited.store(&event.ancestor(), std::memory_order_relaxed);
    Sleep<DefaultAtomics>& hungry = core.crews.hungry_in(lane).sleep;
    const bool rested = guest && count_as_computing();  // in the body of its scope
    hungry.add_appetite(1);
    std::uint64_t deadline = os::ticks() + wait_budget_.ticks();
    const auto help = [&] {
        Node* node = next_own_descendant_of(event.ancestor());
        if (node == nullptr) node = steal_descendant_of(event.ancestor(), event.lane());
        Node* const for_host = node == nullptr ? core.host_needs.take_for(event.ancestor()) : nullptr;
        if (node == nullptr && for_host == nullptr) return false;
        hungry.add_appetite(-1);
        if (node != nullptr) {
            execute(*node);
        } else {
            entry_left_behind(core, Lane::host);
            run_waited_for(*for_host, Succession::none);
        }
        hungry.add_appetite(1);
        wait_budget_.found();
        deadline = os::ticks() + wait_budget_.ticks();
        return true;
    };
    const auto rest = [&] {
        if (trace_ran_dry(*this); os::ticks() < deadline) {
            counters.spins.add();
            for (int i = 0; i < 8; ++i) os::cpu_relax();
        } else {
            wait_budget_.slept();
            park_for(event);
            deadline = os::ticks() + wait_budget_.ticks();
        }
    };
    wait_for_event(event, help, rest);
    hungry.add_appetite(-1);
    if (rested) count_as_resting();
    awaited.store(outer_awaited, std::memory_order_relaxed);
}

// The caller has raised the floor before the group's first job.
void Worker::wait_for_group(Group& group) noexcept {
    if (current_context != this) [[unlikely]]
        end_forked_child();
    const TraceRun traced(*this);
    const auto run_next = [&] {
        Node* node = next_own_descendant_of(group.node());
        if (node == nullptr) node = next_listed_in(group);
        if (node != nullptr) {
            execute(*node);
        } else {
            trace_ran_dry(*this);
        }
        return node != nullptr;
    };
    wait_for_all(group.completion, run_next, [&] {
        GroupEnd event(group);
        await(event);
    });
    // What was listed and then run by others.
    while (Node* const node = next_listed_in(group)) release(node);
}

void Worker::wait_for_latch(Node& node_with_latch) noexcept {
    if (node_with_latch.latch.is_set()) return;
    const RaisedFloor raised(*this);
    LatchSet event(node_with_latch, lane);
    await(event);
}

void Worker::wait_for_end(Node& task) noexcept {
    if (task.end.is_set()) return;
    const RaisedFloor raised(*this);
    TaskEnded event(task, parker);
    await(event);
}

void Worker::queue_or_run(Node& node, Lane which) noexcept {
    Injection& injection = core.lanes[which];
    if (injection.room().try_take()) {
        if (injection.try_push_unlinked(node)) return core.wake_for_job(nullptr, which, nullptr);
        injection.room().make(1);
    }
    if (node.claim.try_claim()) {
        execute(node);
    } else {
        release(&node);
    }
}

// What it runs meanwhile may spawn more.
void Worker::leave_queues_empty() noexcept {
    LaneQueues& own = lane_queues(Lane::frame);
    for (;;) {
        if (Node* const spawned = own.deque.pop()) {
            if (Group* const group = spawned->group) {
                list_for_owner(*group, *spawned, [&] { spawned->claim.share(); });
                queue_or_run(*spawned, Lane::frame);
            } else {
                release(spawned);  // a promoted join, which its frame has settled
            }
        } else if (Node* const published = own.far_deque.pop()) {
            // One that nobody has claimed yet is in its owner's list, and in no other queue.
            if (published->group == nullptr || published->claim.is_claimed()) {
                release(published);
            } else {
                queue_or_run(*published, Lane::frame);
            }
        } else {
            break;
        }
    }
    queues_used = false;
}

}  // namespace quarry::impl
