#include "quarry/jobs/stats.hpp"

#include <algorithm>

#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/worker/counters.hpp"

namespace quarry {
namespace {

template <class Combine>
void combine_fields(WorkerStats& into, const WorkerStats& other, Combine combine) {
    combine(into.spawned, other.spawned);
    combine(into.completed, other.completed);
    combine(into.failed, other.failed);
    combine(into.cancelled, other.cancelled);
    combine(into.promoted, other.promoted);
    combine(into.taken_back, other.taken_back);
    combine(into.run_inline, other.run_inline);
    combine(into.stolen, other.stolen);
    combine(into.steals, other.steals);
    combine(into.steal_attempts, other.steal_attempts);
    combine(into.lost_races, other.lost_races);
    combine(into.spins, other.spins);
    combine(into.parks, other.parks);
    combine(into.wakes, other.wakes);
    combine(into.steal_latency, other.steal_latency);
}

}  // namespace

WorkerStats& WorkerStats::operator+=(const WorkerStats& other) noexcept {
    combine_fields(*this, other, [](auto& mine, const auto& theirs) { mine += theirs; });
    queue_high_water = std::max(queue_high_water, other.queue_high_water);
    return *this;
}

WorkerStats& WorkerStats::operator-=(const WorkerStats& earlier) noexcept {
    combine_fields(*this, earlier, [](auto& mine, const auto& before) { mine -= before; });
    return *this;
}

std::vector<double> PoolStats::shares() const {
    std::vector<double> result;
    std::uint64_t executed = guests.executed();
    for (const WorkerStats& worker : workers) executed += worker.executed();
    const auto all = static_cast<double>(std::max<std::uint64_t>(executed, 1));
    for (const WorkerStats& worker : workers) result.push_back(static_cast<double>(worker.executed()) / all);
    result.push_back(static_cast<double>(guests.executed()) / all);
    return result;
}

PoolStats PoolStats::since(const PoolStats& earlier) const {
    PoolStats difference = *this;
    for (std::size_t i = 0; i < difference.workers.size() && i < earlier.workers.size(); ++i) {
        difference.workers[i] -= earlier.workers[i];
    }
    for (std::size_t i = 0; i < difference.io.size() && i < earlier.io.size(); ++i) difference.io[i] -= earlier.io[i];
    difference.guests -= earlier.guests;
    difference.outside -= earlier.outside;
    difference.total -= earlier.total;
    return difference;
}

namespace impl {

PoolStats PoolCore::stats() const {
    PoolStats stats;
    for (const auto& worker : workers) {
        const WorkerStats figures = worker->counters.snapshot();
        (worker->crew == &crews.io ? stats.io : stats.workers).push_back(figures);
        stats.total += figures;
    }
    guests.for_each([&](const Worker& guest) { stats.guests += guest.counters.snapshot(); });
    stats.outside.spawned = ledger.created_outside_so_far();
    stats.outside.completed = ledger.ended_outside_so_far(JobEnd::completed);
    stats.outside.failed = ledger.ended_outside_so_far(JobEnd::failed);
    stats.outside.cancelled = ledger.ended_outside_so_far(JobEnd::cancelled);
    stats.outside.wakes = wakes_outside_.load(std::memory_order_relaxed);
    stats.total += stats.guests;
    stats.total += stats.outside;
    return stats;
}

WorkerStats WorkerCounters::snapshot() const {
    WorkerStats stats;
    stats.spawned = spawned.get();
    stats.completed = completed.get();
    stats.failed = failed.get();
    stats.cancelled = cancelled.get();
    stats.promoted = promoted.get();
    stats.taken_back = taken_back.get();
    stats.run_inline = run_inline.get();
    stats.stolen = stolen.get();
    stats.steals = steals.get();
    stats.steal_attempts = steal_attempts.get();
    stats.lost_races = lost_races.get();
    stats.spins = spins.get();
    stats.parks = parks.get();
    stats.wakes = wakes.get();
    stats.queue_high_water = queue_high_water.get();
    stats.steal_latency = std::chrono::nanoseconds(steal_ticks.get() * 1000 / os::ticks_per_microsecond());
    return stats;
}

}  // namespace impl
}  // namespace quarry
