#include "process/core.hpp"

namespace quarry::process::impl {
namespace {

QueueLevel level_of(std::size_t used, std::size_t capacity) {
    constexpr std::size_t kHigh = 80;
    constexpr std::size_t kCritical = 90;
    const std::size_t percent = used * 100 / capacity;
    if (percent >= kCritical) return QueueLevel::critical;
    return percent >= kHigh ? QueueLevel::high : QueueLevel::normal;
}

}  // namespace

EngineStats Core::stats() {
    if (is_forked_child()) return {};
    const Lock lock(mutex_);
    drain_rings();
    EngineStats stats = stats_;
    stats.waiting = waiting_;
    stats.running = running_;
    stats.results = completed_count_;
    stats.job_queue = level_of(waiting_, options_.job_queue);
    stats.result_queue = level_of(running_ + completed_count_, options_.result_queue);
    stats.job_arena_used = arena_.used_bytes();
    stats.memory_bound =
        arena_.bytes() + kHostPageBytes + static_cast<std::size_t>(options_.workers + options_.spares) * shape_.bytes();
    for (const TypeEntry& type : types_.all()) stats.types.push_back(type.stats);
    return stats;
}

EngineHealth Core::health() {
    EngineHealth health;
    health.readiness = Readiness::failed;
    if (is_forked_child()) return health;
    const Lock lock(mutex_);
    std::size_t serving = 0;
    for (Seat& seat : seats_) {
        WorkerHealth worker;
        worker.jobs = seat.jobs;
        worker.restarts = seat.restarts;
        worker.last_death = seat.last_death;
        if (seat.peer != nullptr) {
            Peer& peer = *seat.peer;
            worker.process = peer.child.number;
            worker.alive = peer.stage == Peer::Stage::ready;
            worker.busy = peer.ring.unanswered() != 0;
            worker.lacks_room = peer.segment->header().lacks_room.load(std::memory_order_relaxed) != 0;
            worker.since_heartbeat = std::chrono::nanoseconds(peer.silence);
        }
        serving += worker.alive ? 1U : 0U;
        health.workers.push_back(std::move(worker));
    }
    health.failure = failure_;
    health.readiness = hopeless_ || refusing_             ? Readiness::failed
                       : serving == health.workers.size() ? Readiness::ready
                                                          : Readiness::degraded;
    return health;
}

Readiness Core::ready() {
    return health().readiness;
}

std::vector<std::string> Core::handlers() {
    if (is_forked_child()) return {};
    const Lock lock(mutex_);
    return handler_names_;
}

}  // namespace quarry::process::impl
