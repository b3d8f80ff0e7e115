#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "process/faults.hpp"
#include "sync/loop.hpp"

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
};

struct SyncOutcome {
    std::vector<ScenarioOutcome> scenarios;
    double work_accuracy = 0;  // measured after the last scenario: CPU time that a job takes over what it should

    Grade worst() const;
    bool complete() const;  // nothing was lost, and nothing came twice
};

SyncOutcome run_sync(const SyncOptions& options, int cores);
// In virtual time; the same on every machine.
Playback play_ideal(const Scenario& scenario, const SyncOptions& options, int cores);

}  // namespace quarry::app
