#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "quarry/export.hpp"

namespace quarry {

// What one worker has done since its pool was made. A job is what was spawned, submitted or promoted; a closure of
// `join` that its own worker runs in place is none.
struct WorkerStats {
    std::uint64_t spawned = 0;    // jobs created here
    std::uint64_t completed = 0;  // jobs run here to their end
    std::uint64_t failed = 0;     // jobs run here that threw
    std::uint64_t cancelled = 0;  // jobs given up before they started

    std::uint64_t promoted = 0;    // private closures of join and pieces of loops that were offered to others
    std::uint64_t taken_back = 0;  // of these, the ones that nobody had taken in time
    std::uint64_t run_inline = 0;  // spawned beyond the queue's capacity and therefore run at once

    std::uint64_t stolen = 0;          // jobs taken from other workers
    std::uint64_t steals = 0;          // steal operations that brought them, one a batch
    std::uint64_t steal_attempts = 0;  // looks into another worker's queue
    std::uint64_t lost_races = 0;      // attempts that another thread was faster at

    std::uint64_t spins = 0;  // rounds of looking for work while awake and idle
    std::uint64_t parks = 0;  // times it went to sleep
    std::uint64_t wakes = 0;  // times it woke somebody else

    std::uint64_t queue_high_water = 0;        // most jobs in its own queue
    std::chrono::nanoseconds steal_latency{};  // sum over `steals`: from running out of work to having some again

    // Jobs that ran.
    std::uint64_t executed() const noexcept { return completed + failed; }

    // Field by field; the high-water mark of the sum is the larger one, that of a difference the later one.
    QUARRY_API WorkerStats& operator+=(const WorkerStats& other) noexcept;
    QUARRY_API WorkerStats& operator-=(const WorkerStats& earlier) noexcept;
};

// The figures of a pool since it was made, or since an earlier look.
struct PoolStats {
    std::vector<WorkerStats> workers;  // one for each
    std::vector<WorkerStats> io;       // the threads of Lane::io
    WorkerStats guests;   // threads outside the pool while they take part in a scope, join or loop of their own
    WorkerStats outside;  // what threads outside the pool submitted (or wait to), cancelled and woke
    WorkerStats total;    // the sum of all above; at idle total.spawned = completed + failed + cancelled

    // Share of each worker (and, last, of the guests) in the jobs executed by these, 0 to 1.
    QUARRY_API std::vector<double> shares() const;
    // What happened since `earlier`: the figures of one batch.
    QUARRY_API PoolStats since(const PoolStats& earlier) const;
};

}  // namespace quarry
