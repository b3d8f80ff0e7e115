#pragma once

#include <quarry/jobs/trace.hpp>

#include "jobs/engine_quarry.hpp"

namespace quarry::bench {

// Quarry with a trace on: what that costs shows beside Quarry in the same run. One recording for all its pools, which
// come and go with the number of workers.
class TracedQuarryEngine : public QuarryEngine {
  public:
    TracedQuarryEngine(int workers, bool caller_apart) : QuarryEngine(workers, caller_apart) { trace().start(pool_); }

    static Trace& trace() {
        static Trace all(TraceOptions{.events_per_thread = 65'536});
        return all;
    }
};

}  // namespace quarry::bench
