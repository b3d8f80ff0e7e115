#include "quarry/jobs/impl/admission.hpp"

#include <stdexcept>
#include <string>

#include "jobs/pool_core.hpp"
#include "jobs/task_header.hpp"
#include "jobs/trace/points.hpp"
#include "jobs/worker.hpp"
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

Admission::Admission(PoolCore& core, const SubmitOptions& options, WhenFull when_full)
    : core_(core), lane_(options.lane) {
    require_known(options.lane);
    require_known(options.priority, "SubmitOptions::priority");
    core.require_usable();
    Worker* const worker = Worker::current();
    const bool inside = worker != nullptr && &worker->core == &core;
    if (!inside) core.require_open();
    core.prepare_lane(lane_);
    if (inside && worker->has_queues_for(lane_) && options.priority == Priority::normal) {
        worker->reserve_submitted(lane_);
        place_ = Place::own_queue;
        return;
    }
    Injection& injection = core.injection(lane_);
    if (!injection.try_take_room()) {
        const bool own_job = inside && !worker->guest;
        if (when_full == WhenFull::refuse && !own_job) return;
        // Whoever would make room may be waiting for this thread.
        if (when_full == WhenFull::exceed || worker != nullptr || (lane_ == Lane::host && core.is_host_thread())) {
            injection.take_room_beyond();
        } else {
            wait_for_room();
        }
    }
    place_ = Place::lane_queue;
}

// A pool may be destroyed while threads wait for room in it: they are told, or served, and it goes after them. What
// keeps it is the count until there is a job, or none, and the visit until the call returns.
void Admission::wait_for_room() {
    TaskHome& home = core_.task_home;
    if (!home.try_enter(home.serial())) PoolCore::throw_closed();
    if (!core_.injection(lane_).wait_for_room(
            core_.drain.stopping(), [this] { return core_.try_count_outside(); },
            [this] { core_.take_count_back(); })) {
        home.leave();
        PoolCore::throw_closed();
    }
    visited_ = &home;
}

Admission::~Admission() {
    if (place_ == Place::lane_queue) {
        core_.injection(lane_).give_room_back();
        if (visited_ != nullptr) core_.take_count_back();
    }
    if (visited_ != nullptr) visited_->leave();
}

void Admission::submit(Job& job, const SubmitOptions& options) noexcept {
    auto& node = static_cast<Node&>(job);
    core_.make_task(node, options, true);
    queue(job, options.priority);
}

void Admission::queue(Job& job, Priority priority) noexcept {
    auto& node = static_cast<Node&>(job);
    trace_submit(core_.trace, node);
    if (visited_ == nullptr) core_.count_spawned();
    if (place_ == Place::own_queue) {
        Worker& worker = *Worker::current();
        worker.push_submitted(node, lane_);
        core_.job_queued(&worker, lane_, node);
    } else {
        core_.injection(lane_).push(node, priority);
        core_.job_queued(core_.own_worker(), lane_, node);
    }
    place_ = Place::none;
}

}  // namespace quarry::impl
