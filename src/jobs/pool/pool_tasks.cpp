// What a pool does for submitted jobs: their making, their end, and those of the host's thread.
#include <string>

#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/task/task_listeners.hpp"
#include "jobs/trace/points.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {

void PoolCore::make_task(Node& node, const SubmitOptions& submit_options, bool armed) noexcept {
    auto& header = *::new (static_cast<void*>(node.closure)) TaskHeader{};
    header.outcome = Outcome::none;
    header.lane = submit_options.lane;
    header.home_serial = task_home.serial();
    header.home = &task_home;
    header.name = submit_options.name;
    header.stop = submit_options.stop_token;
    node.group = Node::task_mark();
    ::new (static_cast<void*>(&node.end)) TaskEnd<DefaultAtomics>;
    node.become_root(submit_options.priority);
    node.claim.prepare_task(armed, static_cast<std::uint32_t>(submit_options.priority));
}

void PoolCore::count_spawned() noexcept {
    if (Worker* const worker = own_worker()) {
        worker->counters.spawned.add();
    } else {
        submitted_outside_.add();
    }
}

bool PoolCore::try_count_continuation() noexcept {
    const Worker* const worker = Worker::current();
    if (worker == nullptr || &worker->core != this) return try_count_outside();
    count_spawned();
    return true;
}

bool PoolCore::try_count_outside() noexcept {
    return drain.try_count(
        submitted_outside_, [this] { return has_job_on_this_thread(); }, [this] { look_whether_drained(); });
}

void PoolCore::take_count_back() noexcept {
    drain.take_back(submitted_outside_, [this] { look_whether_drained(); });
}

void PoolCore::queue_continuation(Node& node) noexcept {
    std::uint32_t level = 0;
    if (node.claim.arm(level)) {
        queue_beyond_bound(node, static_cast<Priority>(level));
    } else {
        release(&node);
    }
}

void PoolCore::queue_beyond_bound(Node& node, Priority priority) noexcept {
    trace_submit(trace, node);
    const Lane lane = task_front(node).lane;
    Worker* const worker = own_worker();
    if (worker != nullptr && worker->has_queues_for(lane) && priority == Priority::normal) {
        try {
            worker->reserve_submitted(lane);
            worker->push_submitted(node, lane);
            job_queued(worker, lane, node);
            return;
        } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the lane's queue needs no memory
        }
    }
    injection(lane).take_room_beyond();
    injection(lane).push(node, priority);
    job_queued(worker, lane, node);
}

void PoolCore::sweep_entries(Lane lane) noexcept {
    if (!injection(lane).sweep()) return;
    wake_for_job(nullptr, lane, nullptr);  // on their way from one queue to the other some could be seen in neither
}

void PoolCore::entry_left_behind(Lane lane) noexcept {
    if (injection(lane).note_entry_without_job()) sweep_entries(lane);
}

void PoolCore::require_end_of(Node& task) {
    if (task.end.is_set()) return;
    const TaskVisit visit(task);
    if (visit) visit.core().require_usable();
}

void PoolCore::end_cancelled(Node& node) noexcept {
    node.operate(node, Job::Operation::discard);
    task_header(node).stop = {};
    end_task(node, JobEnd::cancelled);
}

void PoolCore::end_task(Node& node, JobEnd end) noexcept {
    if (node.claim.ended()) node.operate(node, Job::Operation::destroy);
    if (Worker* const worker = own_worker()) {
        worker->counters.count(end);
    } else {
        ended_outside_[static_cast<std::size_t>(end)].add();
    }
    for_each_listener(node.end.set(), [this](Node& continuation) { queue_continuation(continuation); });
    look_whether_drained();
}

Node* PoolCore::take_host_job() noexcept {
    Injection& host = injection(Lane::host);
    for (;;) {
        const bool others_first = host_turns_.others_are_due();
        Node* node = others_first ? nullptr : host.take_important();
        if (node != nullptr) {
            host_turns_.took_important();
        } else {
            if (host_turns_.take(host, Lane::host, &node, 1) == 0 && others_first) node = host.take_important();
            host_turns_.others_had_their_turn();
        }
        if (node == nullptr || node->claim.try_claim()) return node;
        release(node);
    }
}

void PoolCore::require_host_thread(const char* call) const {
    require_usable();
    if (is_host_thread()) return;
    throw Error(std::string(call) +
                " is for the host's thread: the one that made the pool, or called adopt_host_thread");
}

void PoolCore::set_in_frame(bool in_frame) {
    require_host_thread(in_frame ? "begin_frame" : "end_frame");
    in_frame_.store(in_frame, std::memory_order_relaxed);
}

std::size_t PoolCore::run_host_jobs(std::size_t most, std::uint64_t budget_ticks) {
    require_host_thread("run_host_jobs");
    if (injection(Lane::host).looks_empty()) return 0;
    const Participation participation(*this);
    const std::uint64_t start = os::ticks();
    std::size_t count = 0;
    while (count < most && (count == 0 || os::ticks() - start < budget_ticks)) {
        Node* const node = take_host_job();
        if (node == nullptr) break;
        participation.worker().run_waited_for(*node, Succession::none);
        ++count;
    }
    return count;
}

// The pool is being destroyed. On another thread than the host's they cannot run any more.
void PoolCore::finish_host_jobs() noexcept {
    // To run them this thread needs a guest's place, and there may be none.
    const bool some_wait = !injection(Lane::host).looks_empty();
    if (some_wait && is_host_thread()) {
        const Participation participation(*this);
        while (Node* const node = take_host_job()) participation.worker().run_waited_for(*node, Succession::none);
    } else if (some_wait) {
        while (Node* const node = take_host_job()) {
            end_cancelled(*node);
            release(node);
        }
    }
    look_whether_drained();
}

}  // namespace quarry::impl
