#pragma once

#include "tools/grade.hpp"

namespace quarry::app {

// How long a mean latency may be: for a host that lives by frames, or for one that waits in seconds.
enum class Rules { strict, lenient };

struct BurstFigures {
    double throughput = 0;       // jobs a second
    double completion = 0;       // of the jobs submitted, the share that came back right, 0 to 1
    double mean_latency_ms = 0;  // NaN if nothing came back
    int workers = 0;
    int workers_alive = 0;
};

// 0 to 3 points each.
struct BurstPoints {
    int throughput = 0;
    int completion = 0;
    int latency = 0;

    int sum() const { return throughput + completion + latency; }
};

BurstPoints burst_points(const BurstFigures& figures, Rules rules);
// By the sum; F if a worker is dead or less than 80 % came back, whatever the sum.
Grade burst_grade(const BurstFigures& figures, Rules rules);

}  // namespace quarry::app
