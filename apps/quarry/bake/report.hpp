#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bake/options.hpp"
#include "bake/run.hpp"
#include "harness/machine.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {

std::string format_bake(const BakeOutcome& outcome, const BakeOptions& options, const bench::Machine& machine,
                        const Look& look);

// The options and figures as members of a report.
nlohmann::ordered_json bake_options_json(const BakeOptions& options);
nlohmann::ordered_json bake_figures_json(const BakeOutcome& outcome);

std::string bake_json(const BakeOutcome& outcome, const BakeOptions& options, const bench::Machine& machine);

// 4.2 M, 12 M, 812
std::string in_millions(std::uint64_t number);
// 31.2 MB
std::string size_text(double bytes);
// "50.1 / 49.9 %"
std::string shares_text(const BakeOutcome& outcome);
std::string hash_text(std::uint64_t hash);
// "0 cracks in 1.2 M edges"
std::string cracks_text(const terrain::Closedness& closedness);

}  // namespace quarry::app
