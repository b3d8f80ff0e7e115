#pragma once

#include "stress/outcome.hpp"

namespace quarry::app {

// The burst test on worker threads, on a machine of so many cores.
StressOutcome run_stress(const StressOptions& options, int cores);

}  // namespace quarry::app
