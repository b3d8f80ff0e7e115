#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quarry/frame/fwd.hpp"

namespace quarry::process {

// How an engine is made. All but `command` have defaults that suit most programs.
struct EngineOptions {
    int workers = 4;                    // worker processes, 1 to 256
    std::size_t job_queue = 10'000;     // jobs that may wait, 1 to 1,000,000
    std::size_t result_queue = 10'000;  // results that may wait for poll, 1 to 1,000,000; then no job is started
    std::chrono::milliseconds heartbeat{1000};         // silence after which a worker counts as hung, 50 ms to 1 h
    std::chrono::milliseconds shutdown_timeout{2000};  // that the destructor gives to jobs, 0 to 1 h
    std::chrono::milliseconds start_timeout{30'000};   // for a worker to say that it is ready, 1 ms to 1 h

    // What a worker is: an executable that calls quarry::process::serve, and its arguments.
    std::vector<std::string> command = {};
    std::vector<std::string> environment = {};  // NAME=VALUE, for workers only
    int output = -1;                            // descriptor for what workers print; -1: where this process prints
    int spares = 0;                             // started workers that wait to take the place of a dead one, 0 to 64
    bool wait = true;                           // the constructor waits until all workers are ready or have failed

    std::size_t ring_slots = 512;               // jobs that a worker may hold, a power of two, 2 to 65,536
    std::size_t max_payload = 64 << 20;         // of a job or a broadcast state, bytes
    std::size_t job_arena = 128 << 20;          // room for payloads of jobs and state, of all workers together
    std::size_t result_arena = 64 << 20;        // room for results, of each worker
    std::size_t max_states = 256;               // keys of broadcast, 1 to 1,000,000
    std::uint64_t memory_limit = 0;             // bytes that a worker may allocate; 0: no limit
    std::chrono::microseconds work_ahead{100};  // of work that a worker is handed in advance, 0 to 10 s

    // At most, while a worker looks for its next job, or a host that waits for a result, before it sleeps; 0 to 1 s.
    std::chrono::microseconds spin{50};

    FrameLedger* ledger = nullptr;  // told of jobs with a frame when they are polled; outlives the engine
    bool portable = false;          // only what every POSIX system has: pipes and waitpid
};

}  // namespace quarry::process
