#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/machine.hpp"
#include "process/faults.hpp"
#include "sync/delivery.hpp"
#include "sync/loop.hpp"
#include "sync/scenario.hpp"
#include "tools/cpu_supply.hpp"
#include "tools/progress.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {

struct SoakOptions {
    double seconds = 60;
    double hertz = 60;
    double render_ms = 4;
    int workers = 0;
    std::uint64_t seed = 1;
    bool processes = false;
    FaultOptions faults{};
};

enum class SoakVerdict {
    holds,
    fails,
    not_judged  // the machine had too little CPU time, or it was cut short
};

// A live loop under everything that disturbs one: a burst of jobs and a stall of 100 ms each second, fewer slots in the
// inbox than a burst has jobs, results that cost the host from a microsecond to a millisecond.
struct SoakOutcome {
    Playback playback;
    Playback bare;  // a loop of the same timing with bare threads, for a shorter time around this one
    DeliveryFigures deliveries;
    std::uint64_t stalls = 0;
    std::uint64_t faults = 0;  // workers that were broken; jobs of those may be late
    double seconds = 0;
    CpuShares cpu{};

    // What must never happen, one sentence each.
    std::vector<std::string> failures() const;
    // Frames that the loop was late for and results that came too late, beyond what happens to the bare loop. Nothing
    // if workers were broken: nobody breaks those of the bare loop.
    std::vector<std::string> dropped_frames() const;
    bool cut_short() const { return playback.cut_short || bare.cut_short; }
    SoakVerdict verdict() const;
};

std::vector<FrameLoad> make_soak_load(const SoakOptions& options);
// Ends the process with status 1 and a message if the loop has not come to its end long after it should have.
SoakOutcome run_soak(const SoakOptions& options, const RunControl& control = {});

std::string format_soak(const SoakOutcome& outcome, const SoakOptions& options, const bench::Machine& machine,
                        const Look& look);
std::string soak_json(const SoakOutcome& outcome, const SoakOptions& options, const bench::Machine& machine);

}  // namespace quarry::app
