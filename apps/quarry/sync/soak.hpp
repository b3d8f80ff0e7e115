#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/machine.hpp"
#include "sync/scenario.hpp"
#include "sync/thread_host.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {

struct SoakOptions {
    double seconds = 60;
    double hertz = 60;
    double render_ms = 4;
    int workers = 0;
    std::uint64_t seed = 1;
};

// A live loop under everything that disturbs one: a burst of jobs and a stall of 100 ms each second, fewer slots in the
// inbox than a burst has jobs, results that cost the host from a microsecond to a millisecond.
struct SoakOutcome {
    Playback playback;
    DeliveryFigures deliveries;
    std::uint64_t stalls = 0;
    double seconds = 0;

    // What must never happen, one sentence each.
    std::vector<std::string> failures() const;
};

std::vector<FrameLoad> make_soak_load(const SoakOptions& options);
// Ends the process with status 1 and a message if the loop has not come to its end long after it should have.
SoakOutcome run_soak(const SoakOptions& options);

std::string format_soak(const SoakOutcome& outcome, const SoakOptions& options, const bench::Machine& machine,
                        const Look& look);
std::string soak_json(const SoakOutcome& outcome, const SoakOptions& options, const bench::Machine& machine);

}  // namespace quarry::app
