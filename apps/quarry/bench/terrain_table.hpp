#pragma once

#include <string>

#include "harness/machine.hpp"
#include "terrain/run.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {

// The figures of a run, with what they are compared with and whether they reach their aims.
std::string terrain_table(const bench::RunReport& report, const bench::TerrainRun& run, const bench::Machine& machine,
                          const Look& look);

}  // namespace quarry::app
