#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "harness/machine.hpp"
#include "harness/run.hpp"

namespace quarry::bench {

// Rows against engines, one block per number of workers, at most 120 columns wide; colour where `colour`.
std::string format_table(const RunReport& report, const RunOptions& options, const Machine& machine, bool colour);
// What the rows and figures mean.
std::string explain(const RunOptions& options);

}  // namespace quarry::bench
