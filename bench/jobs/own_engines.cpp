#include "jobs/own_engines.hpp"

#include "jobs/engine_bare.hpp"
#include "jobs/engine_host.hpp"
#include "jobs/engine_quarry.hpp"
#include "jobs/engine_quarry_traced.hpp"

namespace quarry::bench {
namespace {

class TracedHost final : public EngineHostOf<TracedQuarryEngine> {
  public:
    void write_trace(const std::string& path) override { TracedQuarryEngine::trace().write(path); }
};

}  // namespace

int serve_own_engine(std::string_view name) {
    if (name == "quarry") {
        EngineHostOf<QuarryEngine> host;
        return serve(host);
    }
    if (name == "traced") {
        TracedHost host;
        return serve(host);
    }
    if (name == "bare") {
        EngineHostOf<BareEngine> host;
        return serve(host);
    }
    return 2;
}

}  // namespace quarry::bench
