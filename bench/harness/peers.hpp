#pragma once

#include <string>
#include <vector>

#include "harness/run.hpp"

namespace quarry::bench {

struct Peers {
    std::vector<EngineCommand> engines;
    std::vector<std::string> notes;  // one line for each program of peers that is left out, with what to do
};

// The C++ peers if their program has been built, and the Rust ones, which are built here if cargo can.
Peers find_peers();

// Quarry itself and the baseline are served by this very program. With a path for it also Quarry with a trace on, which
// is written there at the end.
std::vector<EngineCommand> own_engines(const std::string& trace_path);

}  // namespace quarry::bench
