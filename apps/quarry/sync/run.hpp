#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "process/faults.hpp"
#include "sync/loop.hpp"
#include "tools/cpu_supply.hpp"
#include "tools/progress.hpp"

namespace quarry::app {

struct SyncOptions {
    std::vector<Scenario> scenarios;
    double hertz = 30;
    double render_ms = 4;
    int workers = 0;
    std::uint64_t seed = 1;
    bool processes = false;    // instead of threads
    FaultOptions faults = {};  // of processes
};

struct ScenarioOutcome {
    Scenario scenario;
    Playback real;
    Playback ideal;  // the same load, first in first out, on as many cores that cost nothing to use
    CpuShares cpu{};
};

struct SyncOutcome {
    std::vector<ScenarioOutcome> scenarios;
    bool cut_short = false;    // it was stopped before its end
    double work_accuracy = 0;  // measured after the last scenario: CPU time that a job takes over what it should

    Grade worst() const;
    bool complete() const;  // nothing was lost, and nothing came twice
};

// A stop request ends it early, with the scenarios so far.
SyncOutcome run_sync(const SyncOptions& options, int cores, const RunControl& control = {});
// In virtual time; the same on every machine.
Playback play_ideal(const Scenario& scenario, const SyncOptions& options, int cores);

}  // namespace quarry::app
