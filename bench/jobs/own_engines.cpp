#include "jobs/own_engines.hpp"

#include "jobs/engine_bare.hpp"
#include "jobs/engine_host.hpp"
#include "jobs/engine_quarry.hpp"

namespace quarry::bench {

int serve_own_engine(std::string_view name) {
    if (name == "quarry") {
        EngineHostOf<QuarryEngine> host;
        return serve(host);
    }
    if (name == "traced") return serve_traced_engine();
    if (name == "bare") {
        EngineHostOf<BareEngine> host;
        return serve(host);
    }
    return 2;
}

}  // namespace quarry::bench
