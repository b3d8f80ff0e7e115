#include "jobs/task/life.hpp"

#include "jobs/pool/pool_core.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/task/task_listeners.hpp"
#include "jobs/trace/points.hpp"

namespace quarry::impl {

void make_task(PoolCore& core, Node& node, const SubmitOptions& options, bool armed) noexcept {
    auto& header = *::new (static_cast<void*>(node.closure)) TaskHeader{};
    header.outcome = Outcome::none;
    header.lane = options.lane;
    header.home_serial = core.task_home.serial();
    header.home = &core.task_home;
    header.name = options.name;
    header.stop = options.stop_token;
    node.group = Node::task_mark();
    ::new (static_cast<void*>(&node.end)) TaskEnd<DefaultAtomics>;
    node.become_root(options.priority);
    node.claim.prepare_task(armed, static_cast<std::uint32_t>(options.priority));
}

void queue_continuation(PoolCore& core, Node& node) noexcept {
    std::uint32_t level = 0;
    if (node.claim.arm(level)) {
        queue_beyond_bound(core, node, static_cast<Priority>(level));
    } else {
        release(&node);
    }
}

void queue_beyond_bound(PoolCore& core, Node& node, Priority priority) noexcept {
    trace_submit(core.trace, node);
    const Lane lane = task_front(node).lane;
    Worker* const worker = core.own_worker();
    if (worker != nullptr && worker->has_queues_for(lane) && priority == Priority::normal) {
        try {
            worker->reserve_submitted(lane);
            worker->push_submitted(node, lane);
            core.job_queued(worker, lane, node);
            return;
        } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the lane's queue needs no memory
        }
    }
    core.lanes[lane].room().take_beyond();
    core.lanes[lane].push(node, priority);
    core.job_queued(worker, lane, node);
}

void sweep_entries(PoolCore& core, Lane lane) noexcept {
    if (!core.lanes[lane].sweep()) return;
    core.wake_for_job(nullptr, lane,
                      nullptr);  // on their way from one queue to the other some could be seen in neither
}

void entry_left_behind(PoolCore& core, Lane lane) noexcept {
    if (core.lanes[lane].note_entry_without_job()) sweep_entries(core, lane);
}

void require_end_of(Node& task) {
    if (task.end.is_set()) return;
    const TaskVisit visit(task);
    if (visit) visit.core().require_usable();
}

void end_cancelled(PoolCore& core, Node& node) noexcept {
    node.operate(node, Job::Operation::discard);
    task_header(node).stop = {};
    end_task(core, node, JobEnd::cancelled);
}

void end_task(PoolCore& core, Node& node, JobEnd end) noexcept {
    if (node.claim.ended()) node.operate(node, Job::Operation::destroy);
    if (Worker* const worker = core.own_worker()) {
        worker->counters.count(end);
    } else {
        core.ledger.ended_outside(end);
    }
    for_each_listener(node.end.set(), [&](Node& continuation) { queue_continuation(core, continuation); });
    core.look_whether_drained();
}

}  // namespace quarry::impl
