#include "jobs/own_engines.hpp"

#include "ecs/rows.hpp"
#include "graph/engine.hpp"
#include "jobs/engine_bare.hpp"
#include "jobs/engine_host.hpp"
#include "jobs/recording.hpp"
#include "terrain/engine.hpp"

namespace quarry::bench {

int serve_own_engine(std::string_view name) {
    if (name == "quarry") return serve_quarry_engine();
    if (name == "traced") {
        start_recording();
        return serve_quarry_engine();
    }
    if (name == "bare") {
        EngineHostOf<BareEngine> host;
        return serve(host);
    }
    if (name.starts_with(kTerrainEnginePrefix)) return serve_terrain_engine(name.substr(kTerrainEnginePrefix.size()));
    if (name.starts_with(kGraphEnginePrefix)) return serve_graph_engine(name.substr(kGraphEnginePrefix.size()));
    if (name.starts_with(kEcsEnginePrefix)) return serve_ecs_engine(name.substr(kEcsEnginePrefix.size()));
    return 2;
}

}  // namespace quarry::bench
