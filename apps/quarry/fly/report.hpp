#pragma once

#include <string>

#include "fly/flight.hpp"
#include "harness/machine.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {

// For people.
std::string format_flight(const FlyOutcome& outcome, const FlyOptions& options, const bench::Machine& machine,
                          const Look& look);
// For other programs.
std::string flight_json(const FlyOutcome& outcome, const FlyOptions& options, const bench::Machine& machine);

}  // namespace quarry::app
