#include <string>

#include <quarry/jobs/trace.hpp>

#include "jobs/engine_host.hpp"
#include "jobs/engine_quarry.hpp"
#include "jobs/own_engines.hpp"

namespace quarry::bench {
namespace {

// One recording for all the pools, which come and go with the number of workers.
Trace& recording() {
    static Trace all(TraceOptions{.events_per_thread = 65'536});
    return all;
}

// Quarry with a trace on: what that costs shows beside Quarry in the same run.
class TracedQuarryEngine : public QuarryEngine {
  public:
    class Lanes : public QuarryLanes {
      public:
        explicit Lanes(int reserved) : QuarryLanes(reserved) { recording().start(pool_); }
    };

    TracedQuarryEngine(int workers, bool caller_apart) : QuarryEngine(workers, caller_apart) {
        recording().start(pool_);
    }
    static void write_trace(const std::string& path) { recording().write(path); }
};

}  // namespace

int serve_traced_engine() {
    EngineHostOf<TracedQuarryEngine> host;
    return serve(host);
}

}  // namespace quarry::bench
