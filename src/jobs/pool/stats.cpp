#include "quarry/jobs/stats.hpp"

#include <algorithm>

#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/worker/counters.hpp"

namespace quarry {
namespace {

// The figures that only add up.
struct Sum {
    std::uint64_t WorkerStats::*figure;
    impl::Counter impl::WorkerCounters::*counter;
};
using Stats = WorkerStats;
using Counters = impl::WorkerCounters;
constexpr Sum kSums[] = {
    {&Stats::spawned, &Counters::spawned},       {&Stats::completed, &Counters::completed},
    {&Stats::failed, &Counters::failed},         {&Stats::cancelled, &Counters::cancelled},
    {&Stats::promoted, &Counters::promoted},     {&Stats::taken_back, &Counters::taken_back},
    {&Stats::run_inline, &Counters::run_inline}, {&Stats::stolen, &Counters::stolen},
    {&Stats::steals, &Counters::steals},         {&Stats::steal_attempts, &Counters::steal_attempts},
    {&Stats::lost_races, &Counters::lost_races}, {&Stats::spins, &Counters::spins},
    {&Stats::parks, &Counters::parks},           {&Stats::wakes, &Counters::wakes}};

}  // namespace

WorkerStats& WorkerStats::operator+=(const WorkerStats& other) noexcept {
    for (const Sum& sum : kSums) this->*sum.figure += other.*sum.figure;
    steal_latency += other.steal_latency;
    queue_high_water = std::max(queue_high_water, other.queue_high_water);
    return *this;
}

WorkerStats& WorkerStats::operator-=(const WorkerStats& earlier) noexcept {
    for (const Sum& sum : kSums) this->*sum.figure -= earlier.*sum.figure;
    steal_latency -= earlier.steal_latency;
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
    for (const Sum& sum : kSums) stats.*sum.figure = (this->*sum.counter).get();
    stats.queue_high_water = queue_high_water.get();
    stats.steal_latency = std::chrono::nanoseconds(steal_ticks.get() * 1000 / os::ticks_per_microsecond());
    return stats;
}

}  // namespace impl
}  // namespace quarry
