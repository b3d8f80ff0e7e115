#include "quarry/jobs/task.hpp"

#include <memory>

#include "jobs/completion/next_to_end.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/task/antecedent_list.hpp"
#include "jobs/task/life.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/task/task_listeners.hpp"
#include "jobs/worker/worker.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {

void task_failed(Job& job) noexcept {
    task_header(static_cast<Node&>(job)).home->retain();
    Worker::current()->job_end = JobEnd::failed;
}

void task_cancelled_itself() noexcept {
    Worker::current()->job_end = JobEnd::cancelled;
}

void report_detached_error(Job& job, std::exception_ptr error) noexcept {
    TaskHome& home = *task_header(static_cast<Node&>(job)).home;
    home.report(std::move(error));
    home.release();
}

void error_was_taken(Job& job) noexcept {
    task_header(static_cast<Node&>(job)).home->release();
}

bool task_ready(const Job& job) noexcept {
    return static_cast<const Node&>(job).end.is_set();
}

bool listen_for_end(Job& job, EndListener& listener) noexcept {
    return listen(static_cast<Node&>(job), listener);
}

bool cancel_task(Job& job) {
    auto& node = static_cast<Node&>(job);
    if (node.end.is_set()) return false;
    const TaskVisit visit(node);
    if (visit) visit.core().require_usable();
    if (!visit || !node.claim.try_claim_even_if_unarmed()) return false;
    const Lane lane = task_front(node).lane;
    end_cancelled(visit.core(), node);
    entry_left_behind(visit.core(), lane);
    return true;
}

namespace {

bool raise_in(PoolCore& core, Node& node, Priority priority);

// A coroutine that has not started waits for its turn as the job of its first hop.
void raise_first_hop_of(PoolCore& core, Node& node, Priority priority) {
    Node* hop = nullptr;
    task_header(node).antecedents.visit([&](std::uintptr_t address) {
        if ((address & kHopMark) == 0) return;
        hop = reinterpret_cast<Node*>(address & ~kHopMark);
        hop->claim.retain();
    });
    if (hop == nullptr) return;
    try {
        raise_in(core, *hop, priority);
    } catch (...) {
        release(hop);
        throw;
    }
    release(hop);
}

bool raise_in(PoolCore& core, Node& node, Priority priority) {
    switch (node.claim.raise(static_cast<std::uint32_t>(priority))) {
        case Claim<DefaultAtomics>::Raise::too_late:
            return false;
        case Claim<DefaultAtomics>::Raise::noted:
            if (!task_front(node).gated) {
                raise_first_hop_of(core, node, priority);
                return true;
            }
            // It is in a queue although it is unarmed, or waits at its gate.
            if (node.claim.has_entered_gate()) return true;
            node.claim.retain();
            break;
        case Claim<DefaultAtomics>::Raise::requeue:
            break;
    }
    const Lane lane = task_front(node).lane;
    try {
        core.lanes[lane].push_raised(node, priority);
    } catch (...) {
        release(&node);
        throw;
    }
    core.job_queued(core.own_worker(), lane, node);
    return true;
}

}  // namespace

bool raise_task(Job& job, Priority priority) {
    require_known(priority, "the priority to raise to");
    auto& node = static_cast<Node&>(job);
    if (node.end.is_set()) return false;
    const TaskVisit visit(node);
    if (visit) visit.core().require_usable();
    return visit && raise_in(visit.core(), node, priority);
}

namespace {

// The job, and then what continues it, up to `task`: nobody else has a handle to them, so all are part of the wait.
void run_towards(Node& task, TaskWait& wait, Worker& worker) noexcept {
    if (!worker.forget_submitted(*wait.task)) entry_left_behind(worker.core, task_front(*wait.task).lane);
    for (Node* job = wait.task; job != nullptr;) {
        wait.task = job;
        job = worker.run_waited_for(*job, job == &task ? Succession::none : Succession::waited_for);
    }
}

// Runs the job, or waits for its end. Takes over the caller's reference to it.
void advance(Node& task, Node& job, PoolCore& core, Worker& worker) noexcept {
    TaskWait wait(worker, job);
    if (core.may_run_here(task_front(job).lane) && job.claim.try_claim()) {
        run_towards(task, wait, worker);
    } else {
        worker.wait_for_end(job);
        release(&job);
    }
}

// The same for a job that when_all has brought in from another pool: it runs, and counts, in its own.
void advance_in_its_own_pool(Node& task, Node& job) {
    std::unique_ptr<Node, decltype(&release)> held(&job, release);
    const TaskVisit visit(job);
    if (!visit) return;
    const Participation participation(visit.core());
    advance(task, *held.release(), visit.core(), participation.worker());
    if (participation.worker().guest) visit.core().look_whether_drained();
}

}  // namespace

void wait_for_task(Job& job) {
    auto& task = static_cast<Node&>(job);
    if (task.end.is_set()) return;
    const TaskVisit visit(task);
    if (!visit) {
        // The thread that has run it may be about to say so.
        while (!task.end.is_set()) os::yield_thread();
        return;
    }
    const Participation participation(visit.core());
    Worker& worker = participation.worker();
    const auto go_on = [&](Node& next) {
        if (task_header(next).home == task_header(task).home) {
            advance(task, next, visit.core(), worker);
        } else {
            advance_in_its_own_pool(task, next);
        }
    };
    wait_for_chain<DefaultAtomics>(
        task, [](Node & node) -> auto& { return task_header(node).antecedents; }, first_unended, release, go_on,
        os::yield_thread);
    if (worker.guest) visit.core().look_whether_drained();
}

void throw_no_result() {
    throw Error("this Task is empty: it was moved from, its result was taken, or it was never submitted");
}

void throw_cancelled() {
    throw Cancelled("the job was cancelled before it started");
}

}  // namespace quarry::impl
