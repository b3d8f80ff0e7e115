#include "jobs/engine_host.hpp"
#include "jobs/engine_quarry.hpp"
#include "jobs/own_engines.hpp"
#include "jobs/recording.hpp"

namespace quarry::bench {
namespace {

class QuarryHost final : public EngineHostOf<QuarryEngine> {
  public:
    void write_trace(const std::string& path) override {
        if (!write_recording(path)) EngineHost::write_trace(path);
    }
};

}  // namespace

int serve_quarry_engine() {
    QuarryHost host;
    return serve(host);
}

}  // namespace quarry::bench
