#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quarry/export.hpp"

namespace quarry::process {

// Whether an engine's workers serve.
enum class Readiness {
    ready,     // every worker serves
    degraded,  // some do not
    failed,    // none does, and none can be started
};
// The enumerator's name, such as "degraded".
QUARRY_API const char* name_of(Readiness readiness) noexcept;

// How full a queue is.
enum class QueueLevel {
    normal,    // below 80 %
    high,      // from 80 %
    critical,  // from 90 %
};
// The enumerator's name, such as "critical".
QUARRY_API const char* name_of(QueueLevel level) noexcept;

// Counts of the jobs of one type since the engine was made.
struct TypeStats {
    std::string name;                        // of the handler
    std::uint64_t submitted = 0;             // jobs that were accepted
    std::uint64_t ok = 0;                    // of these, answered
    std::uint64_t errors = 0;                // of these, failed in the handler
    std::uint64_t cancelled = 0;             // of these, cancelled
    std::uint64_t deadline = 0;              // of these, not finished in time
    std::uint64_t lost = 0;                  // of these, whose worker died
    std::chrono::nanoseconds run_sum{};      // in handlers, of the jobs that a handler ended
    std::chrono::nanoseconds run_max{};      // the longest of these
    std::chrono::nanoseconds latency_sum{};  // from submit to result, of all jobs that have a result
    std::chrono::nanoseconds latency_max{};  // the longest of these
};

// All counts since the engine was made. accepted = ok + errors + cancelled + deadline + lost + waiting + running.
struct EngineStats {
    std::uint64_t accepted = 0;                    // jobs that submit took
    std::uint64_t refused = 0;                     // jobs that it did not take
    std::uint64_t ok = 0;                          // jobs that were answered
    std::uint64_t errors = 0;                      // jobs whose handler failed
    std::uint64_t cancelled = 0;                   // jobs that were cancelled
    std::uint64_t deadline = 0;                    // jobs that did not finish in time
    std::uint64_t lost = 0;                        // jobs whose worker died
    std::uint64_t poison = 0;                      // of these, the ones that took two workers with them
    std::uint64_t polled = 0;                      // results that the host has
    std::uint64_t reruns = 0;                      // jobs given to another worker because theirs died
    std::uint64_t restarts = 0;                    // workers that took the place of another
    std::uint64_t corrupt = 0;                     // of these, because a worker wrote nonsense
    std::uint64_t hung = 0;                        // of these, because a worker was silent
    std::uint64_t late = 0;                        // of these, because a worker ran a job beyond its deadline
    std::size_t waiting = 0;                       // jobs in the queue
    std::size_t running = 0;                       // jobs that a worker has
    std::size_t results = 0;                       // results that wait for poll
    std::size_t waiting_high_water = 0;            // the most jobs that have waited at once
    std::size_t job_arena_used = 0;                // bytes of payloads
    std::size_t memory_bound = 0;                  // bytes of shared memory that all of it can take
    QueueLevel job_queue = QueueLevel::normal;     // how full it is now
    QueueLevel result_queue = QueueLevel::normal;  // how full it is now
    std::vector<TypeStats> types;                  // one for each type of job that is known
};

// How one worker is.
struct WorkerHealth {
    int process = -1;                            // id of the process; -1: none at the moment
    bool alive = false;                          // ready, and neither hung nor dying
    bool busy = false;                           // has a job
    bool lacks_room = false;                     // waits until the host drops results
    std::uint64_t jobs = 0;                      // ended by this worker and those before it
    std::uint64_t restarts = 0;                  // how often it has been replaced
    std::chrono::nanoseconds since_heartbeat{};  // since it last gave a sign of life
    std::string last_death;                      // why the one before it ended
};

// How an engine and its workers are.
struct EngineHealth {
    Readiness readiness = Readiness::ready;  // in one word
    std::vector<WorkerHealth> workers;       // in the order of their numbers
    std::string failure;                     // why a worker could not be started
};

// How a shutdown went.
struct ShutdownReport {
    std::uint64_t cancelled = 0;  // jobs that had not started
    std::uint64_t finished = 0;   // jobs that ended in time
    std::uint64_t lost = 0;       // jobs that were running when their worker was killed
    int exited = 0;               // workers that ended by themselves
    int killed = 0;               // workers that did not
};

}  // namespace quarry::process
