#pragma once

#include "tools/grade.hpp"

namespace quarry::app {

// Latencies in frames: from the frame in which a job was handed over to the one in which its result was applied.
struct SyncFigures {
    double mean_latency = 0;
    double max_latency = 0;
    double stale = 0;  // share of results that came too late to be applied, 0 to 1
    bool complete = true;
};

// A, B or F; a run that lost a job is F.
Grade sync_grade(const SyncFigures& figures);

}  // namespace quarry::app
