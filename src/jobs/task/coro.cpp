// Coroutines as jobs.
//
// The Task of a started coroutine is a job that nobody queues. Its first hop claims it, so that from then on it cannot
// be cancelled, and the hop in which the coroutine finishes ends it. Its antecedent is always the hop in which the
// coroutine runs or will go on: whoever waits for the Task runs that one, or waits for its end, and looks again. A hop
// is made the antecedent before the one before it ends, and when it can be claimed or stands behind a job that has not
// ended; so a waiter never sleeps beside a hop that only it could run, and the argument of completion/README.md holds.
#include <array>
#include <coroutine>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <utility>

#include "jobs/pool/pool_core.hpp"
#include "jobs/task/antecedent_list.hpp"
#include "jobs/task/life.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/task/task_listeners.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/impl/coro_run.hpp"
#include "quarry/jobs/task.hpp"

namespace quarry::impl {
namespace {

// Transfers from coroutine to coroutine that may pile up on the stack where the compiler makes calls of them.
constexpr int kMostTransfersInARow = 32;

struct HopBody {
    CoroRun* run;  // the first hop may look at it once it has claimed the task, the later ones always
    Node* task;
    HopLoop loop;
};
static_assert(BodyIn<HopBody>::kInline);

void queue_from_another_pool(EndListener& listener) noexcept {
    auto& hop = static_cast<Node&>(*static_cast<HopListener&>(listener).hop);
    // The hop may be run, and its pool be gone, before it is queued to the end.
    const TaskVisit visit(hop);
    queue_continuation(visit.core(), hop);
}

// The coroutine has finished.
void end_task_of(CoroRun& run) noexcept {
    auto& task = static_cast<Node&>(*run.task);
    const TaskVisit visit(task);
    task.operate(task, Job::Operation::run);
    const Outcome outcome = task_front(task).outcome;
    end_task(visit.core(), task,
             outcome == Outcome::value   ? JobEnd::completed
             : outcome == Outcome::error ? JobEnd::failed
                                         : JobEnd::cancelled);
    release(&task);
}

void go_on(HopBody& body) noexcept {
    CoroRun& run = *body.run;
    HopLoop& loop = body.loop;
    run.loop = &loop;
    while (loop.next) {
        loop.transfers_left = kMostTransfersInARow;
        std::exchange(loop.next, nullptr).resume();
    }
    if (loop.finished) end_task_of(run);
}

void operate_first_hop(Job& job, Job::Operation operation) {
    if (operation == Job::Operation::destroy) return;
    HopBody& body = BodyIn<HopBody>::get(job);
    Node& task = *body.task;
    if (task.claim.try_claim_even_if_unarmed()) {
        if (operation == Job::Operation::run && !body.run->must_stop()) return go_on(body);
        end_cancelled(task_header(task).home->core(), task);
    }
    release(&task);
    if (operation == Job::Operation::run) task_cancelled_itself();
}

void operate_hop(Job& job, Job::Operation operation) {
    if (operation == Job::Operation::destroy) return;
    HopBody& body = BodyIn<HopBody>::get(job);
    // The host's thread will not come any more. The coroutine is told, so that it can clean up.
    if (operation == Job::Operation::discard) body.run->abandoned = true;
    go_on(body);
}

void operate_hop_after(Job& job, Job::Operation operation) {
    if (operation != Job::Operation::destroy) detach_antecedents(job);
    operate_hop(job, operation);
}

void fill(Node& hop, Job::Operate operate, CoroRun& run, std::coroutine_handle<> coroutine) noexcept {
    hop.operate = operate;
    BodyIn<HopBody>::emplace(hop, HopBody{&run, static_cast<Node*>(run.task), {coroutine, 0, false}});
}

// From here on whoever waits for the task finds the new hop, and may run it at once if it is armed.
void move_on(CoroRun& run, Node& next) noexcept {
    Job* const last = std::exchange(run.hop, &next);
    task_header(static_cast<Node&>(*run.task)).antecedents.replace(reinterpret_cast<std::uintptr_t>(&next) | kHopMark);
    drop_handle(*last);
}

const char* name_of(const CoroRun& run) noexcept {
    return task_header(static_cast<Node&>(*run.task)).name;
}

}  // namespace

void start_coroutine(Admission& admission, CoroRun& run, Job& task, Job& hop, std::coroutine_handle<> coroutine,
                     const SubmitOptions& options) noexcept {
    SubmitOptions for_both = options;
    run.stop = std::exchange(for_both.stop_token, {});
    run.task = &task;
    run.hop = &hop;
    make_task(admission.core(), static_cast<Node&>(task), for_both, false);
    admission.core().count_spawned();
    task_header(static_cast<Node&>(task))
        .antecedents.set(reinterpret_cast<std::uintptr_t>(&static_cast<Node&>(hop)) | kHopMark);
    fill(static_cast<Node&>(hop), &operate_first_hop, run, coroutine);
    admission.submit(hop, for_both);
}

Job& prepare_hop(const CoroRun& run, const Schedule& where) {
    require_known(where.lane);
    require_known(where.priority, "SubmitOptions::priority");
    PoolCore& core = where.pool.core();
    core.require_usable();
    // The pool in which it was started waits for its end.
    if (core.worker_here() == nullptr && task_header(static_cast<Node&>(*run.task)).home != &core.task_home)
        core.require_open();
    core.prepare_lane(where.lane);
    return allocate_job();
}

void hop(CoroRun& run, Job& job, const Schedule& where, std::coroutine_handle<> coroutine) noexcept {
    auto& node = static_cast<Node&>(job);
    const Priority priority = where.priority;
    PoolCore& core = where.pool.core();
    make_task(core, node, {.lane = where.lane, .priority = priority, .stop_token = {}, .name = name_of(run)}, true);
    fill(node, &operate_hop, run, coroutine);
    core.count_spawned();
    // The pool of the hop in which the coroutine is cannot end before that hop has.
    if (core.worker_here() != nullptr) {
        move_on(run, node);
        queue_beyond_bound(core, node, priority);
    } else {
        // Once a waiter has found the hop the coroutine may come to its end, and then nothing else keeps the pool.
        const TaskVisit visit(node);
        move_on(run, node);
        queue_beyond_bound(core, node, priority);
    }
}

Job& prepare_hop_after(const CoroRun& run, Job& antecedent) {
    auto& before = static_cast<Node&>(antecedent);
    if (task_header(before).home != task_header(static_cast<Node&>(*run.hop)).home) require_end_of(before);
    return allocate_job();
}

void hop_after(CoroRun& run, HopListener& listener, Job& antecedent, std::coroutine_handle<> coroutine) noexcept {
    auto& node = static_cast<Node&>(*listener.hop);
    auto& before = static_cast<Node&>(antecedent);
    auto& here = static_cast<Node&>(*run.hop);
    // Its hop has not ended: so the pool in which it is stays, until this returns.
    TaskHome& home = *task_header(here).home;
    PoolCore& core = home.core();
    make_task(core, node,
              {.lane = task_front(here).lane,
               .priority = static_cast<Priority>(here.claim.priority()),
               .stop_token = {},
               .name = name_of(run)},
              false);
    fill(node, &operate_hop_after, run, coroutine);
    task_header(node).antecedents.set(reinterpret_cast<std::uintptr_t>(&before));
    core.count_spawned();
    listener.ended = &queue_from_another_pool;
    const bool same_pool = task_header(before).home == &home;
    move_on(run, node);
    const bool listening = same_pool ? listen_as_continuation(before, node) : listen(before, listener);
    if (!listening) queue_continuation(core, node);
}

void leave_hop(CoroRun& run) noexcept {
    detach_antecedents(*run.task);
    drop_handle(*run.hop);
}

void coroutine_failed(Job& task) noexcept {
    task_header(static_cast<Node&>(task)).home->retain();
}

void throw_if_stopped(const CoroRun& run) {
    if (run.abandoned) {
        throw Cancelled("the pool was destroyed on another thread than the host's: Lane::host cannot run any more");
    }
    if (run.stop.stop_requested()) throw Cancelled("the stop token of this coroutine was requested");
}

void throw_empty_coro() {
    throw Error("this coro is empty: it was moved from, awaited or started before");
}

void throw_awaits_itself() {
    throw Error("a coroutine cannot await its own Task: it would wait for ever");
}

}  // namespace quarry::impl
