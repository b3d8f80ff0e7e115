#include "quarry/jobs/scope.hpp"

#include <algorithm>

#include "jobs/completion/publish.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/scope/group.hpp"
#include "jobs/trace/points.hpp"
#include "jobs/worker/worker.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {
namespace {

// Spawned jobs that run at once within each other, when queues are full. Deeper ones are queued all the same, so that
// a chain of jobs that spawn each other cannot eat the stack.
constexpr int kMostInlineDepth = 16;

// References of a job: its queue's or runner's, and that of the result's handle if there is one.
constexpr std::uint32_t references(bool result) {
    return result ? 2 : 1;
}

void spawn_by_owner(Group& group, Worker& owner, Node& node) {
    node.spawn_index = group.spawned++;
    owner.push(node);
    group.completion.spawned_by_owner();
    owner.core.job_queued(&owner, owner.lane, node);
}

void spawn_by_other(Group& group, Worker& worker, Node& node) {
    node.spawn_index = JobError::kNested;
    worker.deque().reserve(1);
    group.completion.spawned_elsewhere();
    worker.push(node);
    worker.core.job_queued(&worker, worker.lane, node);
}

void run_at_once(Group& group, Worker& worker, Node& node, bool result) noexcept {
    node.claim.prepare(references(result), false, result);
    node.spawn_index = group.owner == &worker ? group.spawned++ : JobError::kNested;
    ++worker.inline_depth;
    worker.counters.spawned.add();
    worker.counters.run_inline.add();
    worker.run_closure(node);
    release(&node);
    --worker.inline_depth;
}

// From a thread that is not of the group's pool: to the owner's list, and through the lane's queue, or at once when
// that has no place.
void spawn_from_outside(Group& group, PoolCore& core, Node& node, bool result) {
    const Participation participation(core);
    Worker& guest = participation.worker();
    node.spawn_index = JobError::kNested;
    // The list's, and that of the queue or of whoever runs it.
    node.claim.prepare(references(result) + 1, true, result);
    guest.counters.spawned.add();
    group.completion.spawned_elsewhere();
    // Before the job is listed: then the owner may run it, end the scope and go on to another lane.
    const Lane lane = group.owner->lane;
    list_for_owner(group, node, [] {});
    guest.queue_or_run(node, lane);
}

[[noreturn]] void throw_forked_inside() {
    throw Error("fork() inside a scope: the jobs of that scope run in the parent only; leave it by exec or _exit");
}

}  // namespace

// Not a call while a trace is on or the scope's stop is requested: those ask for the job.
Spawning begin_spawn(Group& group, bool result) {
    Worker* const current = Worker::current();
    PoolCore& core = group.owner->core;
    if (current == nullptr) [[unlikely]]
        return {&allocate_job(), nullptr};
    if (current->deque().is_shorter_than(core.options.queue_capacity) || &current->core != &core ||
        current->inline_depth >= kMostInlineDepth) [[likely]] {
        return {current->nodes.take(), nullptr};
    }
    if (result || trace_of(*current) != 0 || group.stop_requested()) {
        return {current->nodes.take(), current};
    }
    return {nullptr, current};
}

void SpawnedCall::begin() noexcept {
    index_ = group_.owner == &caller_ ? group_.spawned++ : JobError::kNested;
    ++caller_.inline_depth;
    caller_.lose_patience();
    caller_.counters.spawned.add();
    caller_.counters.run_inline.add();
}

void SpawnedCall::end() noexcept {
    --caller_.inline_depth;
    caller_.counters.count(JobEnd::completed);
}

void SpawnedCall::fail() noexcept {
    group_.job_failed(index_);
    --caller_.inline_depth;
    caller_.counters.count(JobEnd::failed);
}

void scope_job_failed(Job& job) noexcept {
    auto& node = static_cast<Node&>(job);
    node.group->job_failed(node.spawn_index);
    Worker::current()->job_end = JobEnd::failed;
}

void end_spawn(Group& group, Job& job, Worker* caller, bool result) {
    auto& node = static_cast<Node&>(job);
    PoolCore& core = group.owner->core;
    node.group = &group;
    node.descend_from(&group.node());
    if (caller != nullptr) return run_at_once(group, *caller, node, result);
    Worker* const current = Worker::current();
    const bool outside = current == nullptr || &current->core != &core;
    node.claim.prepare(references(result), false, result);
    try {
        if (outside) {
            spawn_from_outside(group, core, node, result);
        } else if (group.owner == current) {
            spawn_by_owner(group, *current, node);
        } else {
            spawn_by_other(group, *current, node);
        }
    } catch (...) {
        node.operate(node, Job::Operation::discard);
        node.operate(node, Job::Operation::destroy);
        free_job(node);
        throw;
    }
}

void run_scope(Pool& pool, const ScopeOptions& options, void (*body)(void*, Scope&), void* state) {
    const Participation participation(pool.core(), GuestComputes::not_yet);
    Worker& worker = participation.worker();
    const RaisedFloor raised(worker);
    Group& group = Group::create(worker, &options, options.name);
    group.node().descend_from(worker.lineage);
    {
        const LineageFrame frame(worker, group.node());
        if (participation.is_guest()) worker.scope_body = &frame;
        Scope scope(group);
        try {
            body(state, scope);
        } catch (...) {
            if (current_context != &worker) throw;
            group.job_failed(JobError::kBody);
        }
        // A fork has taken the context away: in the child the jobs are its parent's, and so is the group.
        if (current_context != &worker) [[unlikely]]
            throw_forked_inside();
        if (participation.is_guest()) {
            worker.scope_body = nullptr;
            worker.count_as_computing();
        }
        worker.wait_for_group(group);
    }
    const std::exception_ptr error = std::move(group.first_error);
    const bool collected = options.errors != nullptr && !group.errors_lost.load(std::memory_order_relaxed);
    Group::destroy(group);
    if (options.errors != nullptr) {
        std::stable_sort(options.errors->begin(), options.errors->end(),
                         [](const JobError& a, const JobError& b) { return a.index < b.index; });
    }
    if (error && !collected) std::rethrow_exception(error);
}

}  // namespace quarry::impl
