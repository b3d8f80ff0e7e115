#pragma once

#include <string_view>

namespace quarry::bench {

inline constexpr std::string_view kGraphEnginePrefix = "graph-";

// The engines `graph-quarry` and `graph-bare`, a plain loop over the nodes in order. Returns the exit status, 2 for an
// unknown one.
int serve_graph_engine(std::string_view name);

}  // namespace quarry::bench
