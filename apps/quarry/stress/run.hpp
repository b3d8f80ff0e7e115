#pragma once

#include "stress/outcome.hpp"
#include "tools/progress.hpp"

namespace quarry::app {

// The burst test on worker threads, on a machine of so many cores.
// A stop request ends it early, with what has come back by then.
StressOutcome run_stress(const StressOptions& options, int cores, const RunControl& control = {});

}  // namespace quarry::app
