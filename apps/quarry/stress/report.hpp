#pragma once

#include <string>

#include "harness/machine.hpp"
#include "stress/outcome.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {

std::string format_stress(const StressOutcome& outcome, const StressOptions& options, const bench::Machine& machine,
                          const Look& look);
std::string stress_json(const StressOutcome& outcome, const StressOptions& options, const bench::Machine& machine);

// One word for a grade, and the test's result in a sentence.
std::string stress_status(Grade grade);
std::string stress_verdict(const StressOutcome& outcome, const StressOptions& options);

}  // namespace quarry::app
