#include "quarry/jobs/impl/admission.hpp"

#include <stdexcept>
#include <string>

#include "jobs/pool/pool_core.hpp"
#include "jobs/task/life.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/trace/points.hpp"
#include "jobs/worker/worker.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {

void require_known(Lane lane) {
    if (static_cast<int>(lane) < kLanes) return;
    throw std::invalid_argument("SubmitOptions::lane is " + std::to_string(static_cast<int>(lane)) +
                                "; allowed are Lane::frame, background, io and host");
}

void require_known(Priority priority, const char* what) {
    if (static_cast<int>(priority) < kPriorities) return;
    throw std::invalid_argument(what + (" is " + std::to_string(static_cast<int>(priority))) +
                                "; allowed are Priority::low, normal, high and urgent");
}

Admission::Admission(PoolCore& core, const SubmitOptions& options, WhenFull when_full, Needs needs)
    : core_(core), lane_(options.lane) {
    require_known(options.lane);
    require_known(options.priority, "SubmitOptions::priority");
    core.require_usable();
    Worker* const worker = core.worker_here();
    if (worker == nullptr) core.require_open();
    if (core.is_in_hook()) count_early();
    try {
        core.prepare_lane(lane_);
    } catch (...) {
        give_back();
        throw;
    }
    const bool own_queue = worker != nullptr && worker->has_queues_for(lane_) && options.priority == Priority::normal;
    if (!own_queue && needs == Needs::nothing && core.lanes[lane_].room().try_take()) [[likely]] {
        granted_ = Granted::lane_queue;
    } else {
        decide(options, when_full, needs);
    }
}

// Whatever is not a thread outside that finds room at once.
void Admission::decide(const SubmitOptions& options, WhenFull when_full, Needs needs) {
    Worker* const own = core_.worker_here();
    // Whoever would make room may be waiting for this thread.
    if (Worker::current() != nullptr || (lane_ == Lane::host && core_.host.is_this_thread())) {
        if (when_full == WhenFull::wait) when_full = WhenFull::exceed;
    }
    const bool own_job = own != nullptr && !own->guest;
    const bool own_queue = own != nullptr && own->has_queues_for(lane_) && options.priority == Priority::normal;
    if (own_queue) own->reserve_submitted(lane_);
    if (needs == Needs::permit) {
        if (!take_room(Bound::before_permit, when_full, own_job)) return;
        has_room_before_permit_ = true;
    }
    if (own_queue) {
        granted_ = Granted::own_queue;
    } else if (take_room(Bound::queue, when_full, own_job)) {
        granted_ = Granted::lane_queue;
    }
}

// A thread of the pool in a hook is in no job that the pool's end waits for. What keeps the pool is the count until
// there is a job, or none, and the visit until the call returns.
void Admission::count_early() {
    visit();
    counted_ = core_.try_count_outside();
    if (counted_) return;
    give_back();  // there is no object yet whose destructor would
    PoolCore::throw_closed();
}

void Admission::visit() {
    TaskHome& home = core_.task_home;
    if (visited_ != nullptr) return;
    if (!home.try_enter(home.serial())) {
        give_back();
        PoolCore::throw_closed();
    }
    visited_ = &home;
}

// False: there is none, and the caller is refused.
bool Admission::take_room(Bound bound, WhenFull when_full, bool own_job) {
    Injection& injection = core_.lanes[lane_];
    Room<DefaultAtomics>& room = bound == Bound::queue ? injection.room() : injection.room_before_permit();
    if (room.try_take()) return true;
    if (injection.may_have_entries_without_job()) {
        sweep_entries(core_, lane_);
        if (room.try_take()) return true;
    }
    if (when_full == WhenFull::refuse && !own_job) return false;
    if (when_full != WhenFull::wait || !wait_for_room(bound)) room.take_beyond();
    return true;
}

// A pool may be destroyed while threads wait for room in it: they are told, or served, and it goes after them. False:
// this is the host's thread, and a job waits for it; whoever would make room may wait for that job.
bool Admission::wait_for_room(Bound bound) {
    Injection& injection = core_.lanes[lane_];
    Room<DefaultAtomics>& room = bound == Bound::queue ? injection.room() : injection.room_before_permit();
    visit();
    const bool counted_before = counted_;
    // The host's thread is woken by a job that only it can run.
    const bool host = core_.host.is_this_thread();
    if (host) core_.host.set_waits_for_room(true);
    const bool taken = room.wait_counted_unless(
        [&] {
            if (injection.may_have_entries_without_job()) sweep_entries(core_, lane_);
            return core_.ledger.drain.is_stopping() || (host && core_.host.is_needed());
        },
        [&] { return counted_before || core_.try_count_outside(); },
        [&] {
            if (!counted_before) core_.take_count_back();
        });
    if (host) core_.host.set_waits_for_room(false);
    if (taken) {
        counted_ = true;
    } else if (core_.ledger.drain.is_stopping()) {
        give_back();
        PoolCore::throw_closed();
    }
    return taken;
}

void Admission::give_back() noexcept {
    Injection& injection = core_.lanes[lane_];
    if (granted_ == Granted::lane_queue) injection.room().make(1);
    if (has_room_before_permit_) injection.room_before_permit().make(1);
    if (counted_) core_.take_count_back();
    if (visited_ != nullptr) visited_->leave();
}

void Admission::submit(Job& job, const SubmitOptions& options) noexcept {
    auto& node = static_cast<Node&>(job);
    make_task(core_, node, options, true);
    queue(job, options.priority);
}

void Admission::queue(Job& job, Priority priority) noexcept {
    auto& node = static_cast<Node&>(job);
    trace_submit(core_.trace, node);
    if (!counted_) core_.count_spawned();
    counted_ = false;
    has_room_before_permit_ = false;
    if (granted_ == Granted::own_queue) {
        Worker& worker = *Worker::current();
        worker.push_submitted(node, lane_);
        core_.job_queued(&worker, lane_, node);
    } else {
        core_.lanes[lane_].push(node, priority);
        core_.job_queued(core_.own_worker(), lane_, node);
    }
    granted_ = Granted::none;
}

}  // namespace quarry::impl
