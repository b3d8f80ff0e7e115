#pragma once

#include <string>

#include "harness/machine.hpp"
#include "sync/run.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {

std::string format_sync(const SyncOutcome& outcome, const SyncOptions& options, const bench::Machine& machine,
                        const Look& look);
std::string sync_json(const SyncOutcome& outcome, const SyncOptions& options, const bench::Machine& machine);

}  // namespace quarry::app
