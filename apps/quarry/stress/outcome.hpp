#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "process/faults.hpp"
#include "stress/grade.hpp"
#include "stress/work.hpp"
#include "tools/cpu_supply.hpp"
#include "tools/latency_histogram.hpp"

namespace quarry::app {

enum class Poll {
    during,     // results are collected while jobs are submitted
    afterwards  // results wait until the last job is submitted
};

enum class BackendKind { threads, processes };

struct StressOptions {
    double duration = 5;  // seconds
    int workers = 4;
    int queue = 10'000;
    JobKind job = JobKind::compute_heavy;
    Rules rules = Rules::strict;
    Poll poll = Poll::during;
    BackendKind backend = BackendKind::threads;
    FaultOptions faults = {};  // of processes
};

// One thread that does the same jobs in a plain loop while the pool is idle: what the machine gives without an engine.
struct PlainLoop {
    std::vector<double> rates;  // jobs a second, between the bursts
    int threads = 0;            // how many such loops the workers could be at best; 0: no such comparison makes sense

    double rate() const;  // the mean; 0 without any
};

// More jobs than the queue holds, offered while no worker is free.
struct RefusalFigures {
    std::uint64_t offered = 0;
    std::uint64_t fitting = 0;  // what the queue holds
    std::uint64_t accepted = 0;
    std::uint64_t ran = 0;

    bool is_exact() const { return accepted == fitting && ran == accepted; }
};

struct StressOutcome {
    std::uint64_t submitted = 0;
    std::uint64_t received = 0;
    std::uint64_t success = 0;
    std::uint64_t failed = 0;    // wrong answers, and jobs that threw
    std::uint64_t twice = 0;     // results of jobs that had come back already
    std::uint64_t rejected = 0;  // submits that found the queue full
    int workers_alive = 0;
    int bursts = 0;
    double seconds = 0;          // from the first submit of each burst to its last result
    double submit_seconds = 0;   // of these, the host's thread in submit
    double collect_seconds = 0;  // and in deliver
    LatencyHistogram latency;
    std::vector<double> shares;  // of each worker, 0 to 1
    std::vector<std::uint64_t> worker_jobs;
    PlainLoop plain;
    RefusalFigures refusal;
    std::uint64_t faults = 0;           // that were injected
    std::uint64_t restarts = 0;         // workers that took the place of another
    bool result_bound_reached = false;  // submission ended early: no room for further results
    bool cut_short = false;             // it was stopped before its time
    CpuShares cpu;

    // Nothing was lost, wrong, twice or refused without need.
    bool is_sound() const;
    std::uint64_t lost() const { return submitted - received; }
    double throughput() const { return seconds > 0 ? static_cast<double>(received) / seconds : 0; }
    double completion() const;
    // Throughput over that of as many plain loops as there are cores to run them; NaN where that makes no sense.
    double efficiency() const;
    BurstFigures figures(const StressOptions& options) const;
};

// What is wrong, one sentence each, with what to do about it; empty if nothing is.
std::vector<std::string> issues_of(const StressOutcome& outcome, const StressOptions& options);

}  // namespace quarry::app
