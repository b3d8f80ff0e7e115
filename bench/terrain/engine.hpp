#pragma once

#include <string>
#include <string_view>

namespace quarry::bench {

// The engine `terrain-TARGET`: the rows of `quarry bench terrain` on that SIMD target, served on standard input and
// output as jobs/engine_host.hpp says. Returns the exit status, 2 for a target that this machine does not have.
int serve_terrain_engine(std::string_view target);

inline constexpr std::string_view kTerrainEnginePrefix = "terrain-";

}  // namespace quarry::bench
