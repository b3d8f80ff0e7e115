#include "quarry/jobs/task.hpp"

#include <memory>

#include "jobs/antecedent_list.hpp"
#include "jobs/completion/next_to_end.hpp"
#include "jobs/pool_core.hpp"
#include "jobs/task_header.hpp"
#include "jobs/task_listeners.hpp"
#include "jobs/worker.hpp"
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

bool cancel_task(Job& job) noexcept {
    auto& node = static_cast<Node&>(job);
    if (node.end.is_set()) return false;
    const TaskVisit visit(node);
    if (!visit || !node.claim.try_claim_even_if_unarmed()) return false;
    visit.core().end_cancelled(node);
    return true;
}

bool raise_task(Job& job, Priority priority) {
    auto& node = static_cast<Node&>(job);
    if (node.end.is_set()) return false;
    const TaskVisit visit(node);
    if (!visit) return false;
    switch (node.claim.raise(static_cast<std::uint32_t>(priority))) {
        case Claim<DefaultAtomics>::Raise::too_late:
            return false;
        case Claim<DefaultAtomics>::Raise::noted:
            return true;
        case Claim<DefaultAtomics>::Raise::requeue:
            break;
    }
    const Lane lane = task_front(node).lane;
    try {
        visit.core().injection(lane).push_raised(node, priority);
    } catch (...) {
        release(&node);
        throw;
    }
    visit.core().job_queued(visit.core().own_worker(), lane, node);
    return true;
}

namespace {

// The job, and then what continues it, up to `task`: nobody else has a handle to them, so all are part of the wait.
void run_towards(Node& task, Node* job, Worker& worker) noexcept {
    worker.forget_submitted(*job);
    while (job != nullptr) {
        job = worker.run_waited_for(*job, job == &task ? Succession::none : Succession::waited_for);
    }
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
    bool ran_here = false;
    while (!task.end.is_set()) {
        const NextToEnd<Node> next = next_to_end<DefaultAtomics>(
            task, [](Node & node) -> auto& { return task_header(node).antecedents; }, first_unended, release);
        if (next.is_being_queued) {
            release(&next.job);
            os::yield_thread();
        } else if (task_header(next.job).home_serial != task_header(task).home_serial) {
            // when_all takes tasks of several pools. Whoever runs one, or is told of its end, takes part in its pool.
            const std::unique_ptr<Node, decltype(&release)> held(&next.job, release);
            wait_for_task(*held);
        } else if (visit.core().may_run_here(task_front(next.job).lane) && next.job.claim.try_claim()) {
            run_towards(task, &next.job, worker);
            ran_here = true;
        } else {
            worker.wait_for_task(next.job);
            release(&next.job);
        }
    }
    if (ran_here && worker.guest) visit.core().look_whether_drained();
}

void throw_no_result() {
    throw Error("this Task is empty: it was moved from, its result was taken, or it was never submitted");
}

void throw_cancelled() {
    throw Cancelled("the job was cancelled before it started");
}

}  // namespace quarry::impl
