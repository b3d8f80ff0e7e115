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
// What the terrain is compared with, built in the same way: the Rust crates transvoxel, noise and rayon.
Peers find_terrain_peers();

// What graphs of tasks are compared with: oneTBB, OpenMP and Taskflow, and the Rust crates bevy_tasks and rayon, as far
// as they were found.
Peers find_graph_peers();
// What systems of entities are compared with: the Rust crate bevy_ecs, on many threads and on one.
Peers find_ecs_peers();
// Quarry's graphs and a plain loop, served by this very program; systems in parallel, on one thread, and without
// engine.
std::vector<EngineCommand> own_graph_engines();
std::vector<EngineCommand> own_ecs_engines();

// Quarry itself and the baseline are served by this very program. With a path for it also Quarry with a trace on, which
// is written there at the end.
std::vector<EngineCommand> own_engines(const std::string& trace_path);
// The terrain on that SIMD target, served by this very program.
EngineCommand own_terrain_engine(const std::string& name, const std::string& target);

}  // namespace quarry::bench
