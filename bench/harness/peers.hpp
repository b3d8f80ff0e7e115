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

// Quarry itself and the baseline are served by this very program.
std::vector<EngineCommand> own_engines();

}  // namespace quarry::bench
