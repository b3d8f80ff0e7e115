#include "jobs/engine_host.hpp"
#include "jobs/engine_quarry.hpp"
#include "jobs/own_engines.hpp"

namespace quarry::bench {

int serve_quarry_engine() {
    EngineHostOf<QuarryEngine> host;
    return serve(host);
}

}  // namespace quarry::bench
