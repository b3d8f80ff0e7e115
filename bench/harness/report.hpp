#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "harness/machine.hpp"
#include "harness/run.hpp"

namespace quarry::bench {

struct ReportOptions {
    std::string filter;
    bool peers = false;
};

// The shape that the reports of all benchmarks share.
std::string format_report(std::string_view program, const Machine& machine, const nlohmann::ordered_json& options,
                          std::span<const Result> results, bool (*higher_is_better)(std::string_view unit));
// Of `quarry bench jobs`.
std::string format_json(const RunReport& report, const RunOptions& run, const ReportOptions& options,
                        const Machine& machine);

// Why a report can not be written there, found out before hours are spent on a run; nothing if it can.
std::optional<std::string> why_not_writable(const std::string& path);
// Writes to a temporary name beside it, then renames. Throws std::runtime_error.
void write_file(const std::string& path, const std::string& text);

}  // namespace quarry::bench
