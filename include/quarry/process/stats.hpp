#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quarry/export.hpp"

namespace quarry::process {

enum class Readiness {
    ready,     // every worker serves
    degraded,  // some do not
    failed,    // none does, and none can be started
};
QUARRY_API const char* name_of(Readiness readiness) noexcept;

enum class QueueLevel {
    normal,
    high,      // 80 % full
    critical,  // 90 % full
};
QUARRY_API const char* name_of(QueueLevel level) noexcept;

struct TypeStats {
    std::string name;
    std::uint64_t submitted = 0;
    std::uint64_t ok = 0;
    std::uint64_t errors = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t deadline = 0;
    std::uint64_t lost = 0;
    std::chrono::nanoseconds run_sum{};  // of those that a handler ended
    std::chrono::nanoseconds run_max{};
    std::chrono::nanoseconds latency_sum{};  // of all that have a result
    std::chrono::nanoseconds latency_max{};
};

// All counts since the engine was made. accepted = ok + errors + cancelled + deadline + lost + waiting + running.
struct EngineStats {
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    std::uint64_t ok = 0;
    std::uint64_t errors = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t deadline = 0;
    std::uint64_t lost = 0;
    std::uint64_t poison = 0;    // of the lost ones
    std::uint64_t polled = 0;    // results that the host has
    std::uint64_t reruns = 0;    // jobs given to another worker because theirs died
    std::uint64_t restarts = 0;  // workers that took the place of another
    std::uint64_t corrupt = 0;   // of these, because a worker wrote nonsense
    std::uint64_t hung = 0;      // because it was silent
    std::uint64_t late = 0;      // because it ran a job beyond its deadline
    std::size_t waiting = 0;     // jobs in the queue
    std::size_t running = 0;     // jobs that a worker has
    std::size_t results = 0;     // results that wait for poll
    std::size_t waiting_high_water = 0;
    std::size_t job_arena_used = 0;  // bytes
    std::size_t memory_bound = 0;    // bytes of shared memory that all of it can take
    QueueLevel job_queue = QueueLevel::normal;
    QueueLevel result_queue = QueueLevel::normal;
    std::vector<TypeStats> types;
};

struct WorkerHealth {
    int process = -1;    // its number; -1: none at the moment
    bool alive = false;  // ready, and neither hung nor dying
    bool busy = false;
    bool lacks_room = false;  // waits until the host drops results
    std::uint64_t jobs = 0;   // ended by this worker and those before it
    std::uint64_t restarts = 0;
    std::chrono::nanoseconds since_heartbeat{};
    std::string last_death;  // why the one before it ended
};

struct EngineHealth {
    Readiness readiness = Readiness::ready;
    std::vector<WorkerHealth> workers;
    std::string failure;  // why a worker could not be started
};

struct ShutdownReport {
    std::uint64_t cancelled = 0;  // jobs that had not started
    std::uint64_t finished = 0;   // jobs that ended in time
    std::uint64_t lost = 0;       // jobs that were running when their worker was killed
    int exited = 0;               // workers that ended by themselves
    int killed = 0;
};

}  // namespace quarry::process
