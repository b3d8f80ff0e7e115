#include "jobs/worker/worker.hpp"

#include <algorithm>
#include <utility>

#include "jobs/completion/publish.hpp"
#include "jobs/completion/settle.hpp"
#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/task/life.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/task/task_listeners.hpp"
#include "jobs/trace/points.hpp"

namespace quarry::impl {

constinit thread_local WorkerContext* current_context = nullptr;

Worker::Worker(PoolCore& pool, int worker_index, WorkerCrew* worker_crew)
    : WorkerContext{nullptr, nullptr, nullptr, pool},
      guest(worker_crew == nullptr),
      lane(guest ? Lane::frame : worker_crew->first_lane),
      job_lane(lane),
      index(worker_index),
      crew(worker_crew),
      search(*this),
      root_{nullptr, nullptr},
      idle_(guest),
      wait_budget_(SpinBudget::within_computation(guest)) {
    newest = &root_;
    boundary = &root_;
    hunger = &DefaultAtomics::hint(core.crews.hungry_in(lane).sleep.word());
}

LineageFrame::LineageFrame(Worker& worker, Node& of) noexcept
    : Frame{nullptr, nullptr}, owner(worker), previous(worker.newest), inner(&of), outer(worker.lineage) {
    promote = [](WorkerContext& context, Frame& frame) {
        static_cast<Worker&>(context).boundary_lineage = static_cast<LineageFrame&>(frame).inner;
        return Offer::passed;
    };
    previous->next = this;
    worker.newest = this;
    worker.lineage = inner;
}

LineageFrame::~LineageFrame() {
    owner.newest = previous;
    owner.lineage = outer;
    if (owner.boundary == this) {
        owner.boundary = previous;
        owner.boundary_lineage = outer;
    }
}

void Worker::push(Node& node) {
    Deque<DefaultAtomics, Node*>& near = deque();
    counters.spawned.add();  // before anybody can run it, see Drain
    try {
        near.push(&node);
    } catch (...) {
        counters.spawned.take_back();
        throw;
    }
    queues_used = true;
    if (!near.is_shorter_than(counters.queue_high_water.get() + 1)) [[unlikely]] {
        counters.queue_high_water.raise_to(near.size_hint());
    }
}

void Worker::push_submitted(Node& node, Lane which) noexcept {
    LaneQueues& own = lane_queues(which);
    if (!core.options.lifo_slot || which != lane) {
        own.far_deque.push(&node);
    } else if (Node* const displaced = own.slot.put(&node)) {
        own.far_deque.push(displaced);
    }
}

// A searcher that runs takes an offer within a microsecond. One that does not is queued behind us on our own CPU, and
// may wait there for milliseconds while another one idles.
void Worker::hurry_searchers() noexcept {
    constexpr std::uint64_t kPatienceMicroseconds = 20;
    if (offered_at == 0) return;
    if (os::ticks() - offered_at < kPatienceMicroseconds * os::ticks_per_microsecond()) return;
    offered_at = 0;
    for (const auto& other : core.workers) {
        if (other->searching.load(std::memory_order_relaxed)) other->placement.steer_away_from_caller();
    }
}

bool Worker::count_as_computing() noexcept {
    if (computes) return false;
    computes = true;
    core.crews.add_guest_appetite(-1);
    return true;
}

void Worker::count_as_resting() noexcept {
    computes = false;
    core.crews.add_guest_appetite(1);
}

// The pool has ended: what is left are entries of jobs that were run or cancelled by another way.
void Worker::drop_entries() noexcept {
    for (LaneQueues& queues : lanes) {
        while (Node* const node = queues.slot.take()) release(node);
        while (Node* const node = queues.deque.pop()) release(node);
        while (Node* const node = queues.far_deque.pop()) release(node);
    }
}

void Worker::change_lane(Lane which) noexcept {
    lane = which;
    job_lane = which;
    hunger = &DefaultAtomics::hint(core.crews.hungry_in(which).sleep.word());
}

void Worker::was_woken() const noexcept {
    trace_wake(core.trace);
}

void Worker::forget_promoted(Node& node) noexcept {
    if (deque().pop_if(&node)) release(&node);
}

bool Worker::forget_submitted(Node& node) noexcept {
    const Lane which = task_front(node).lane;
    if (guest || which == Lane::host) return false;
    LaneQueues& own = lane_queues(which);
    if (!own.slot.take_if(&node) && !own.far_deque.pop_if(&node)) return false;
    release(&node);
    return true;
}

void Worker::run_until_stopped() {
    current_context = this;
    const TraceRun traced(*this, TraceRun::Home{});
    for (Node* node = nullptr;;) {
        if (node == nullptr) node = search.next();
        if (node == nullptr) {
            trace_ran_dry(*this);
            node = idle_.until_work(*this);
            if (node == nullptr) break;
        }
        node = execute(*node, Succession::at_the_bottom);
    }
    current_context = nullptr;
}

namespace {

// Asked once, when the job is about to start.
bool starts_too_late(Node& node) noexcept {
    if (!node.is_task()) return node.group != nullptr && node.group->stop_requested();
    const std::stop_token token = std::move(task_header(node).stop);
    return token.stop_requested();
}

}  // namespace

// Counted last: what the closure's or the result's destructor submits was counted before.
void Worker::run_closure(Node& node) noexcept {
    JobEnd how = JobEnd::cancelled;
    if (starts_too_late(node)) [[unlikely]] {
        node.operate(node, Job::Operation::discard);
    } else {
        if (node.is_task()) node.settle_priority();
        const TraceJob traced(*this, node);
        const LineageFrame frame(*this, node);
        lose_patience();
        // What the closure's destructor runs on top of this job, which may have failed by then, ends in its own way.
        const JobEnd outer = std::exchange(job_end, JobEnd::completed);
        node.operate(node, Job::Operation::run);
        how = std::exchange(job_end, outer);
    }
    if (node.claim.ended()) node.operate(node, Job::Operation::destroy);
    counters.count(how);
}

Node* Worker::execute(Node& node, Succession succession) noexcept {
    Group* const group = node.group;
    run_closure(node);
    if (group == nullptr) {
        end_promoted(node, release);
        return nullptr;
    }
    if (group == Node::task_mark()) {
        const std::uintptr_t listeners = end_task_node(node, release);
        return listeners == TaskEnd<DefaultAtomics>::kNobody ? nullptr : tell_of_end(listeners, succession);
    }
    release(&node);
    if (group->owner == this) {
        group->completion.finished_by_owner();
    } else {
        finish_for_owner(*group);
    }
    return nullptr;
}

Node* Worker::run_waited_for(Node& task, Succession succession) noexcept {
    const Lane outer = std::exchange(job_lane, task_front(task).lane);
    Node* const successor = execute(task, succession);
    job_lane = outer;
    return successor;
}

// Whether this worker goes on with the continuation of what it has just run, instead of queueing it.
bool Worker::succeeds_itself(Node& continuation, Succession succession) noexcept {
    const Lane which = task_front(continuation).lane;
    switch (succession) {
        case Succession::none:
            return false;
        case Succession::waited_for:
            return core.may_run_here(which);
        case Succession::at_the_bottom:
            break;
    }
    if (which != lane || continuation.claim.priority() < static_cast<std::uint32_t>(Priority::normal)) return false;
    return search.may_go_on(which);
}

Node* Worker::tell_of_end(std::uintptr_t first, Succession succession) noexcept {
    Node* successor = nullptr;
    for_each_listener(first, [&](Node& continuation) {
        if (successor != nullptr || !succeeds_itself(continuation, succession)) {
            queue_continuation(core, continuation);
        } else if (continuation.claim.try_claim_even_if_unarmed()) {
            successor = &continuation;
            trace_submit(core.trace, continuation);
            if (succession == Succession::at_the_bottom) search.goes_on_in(lane);
        } else {
            release(&continuation);  // it was cancelled
        }
    });
    return successor;
}

}  // namespace quarry::impl
