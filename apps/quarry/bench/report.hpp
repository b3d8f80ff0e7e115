#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "harness/machine.hpp"
#include "harness/run.hpp"

namespace quarry::app {

// The shape that the reports of benchmarks against other engines share.
std::string format_report(std::string_view program, const bench::Machine& machine,
                          const nlohmann::ordered_json& options, std::span<const bench::Result> results,
                          bool (*higher_is_better)(std::string_view unit));

}  // namespace quarry::app
