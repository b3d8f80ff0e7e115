#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "harness/run.hpp"

namespace quarry::app {

// What benchmarks of rows against engines can be given.
struct EngineBenchArguments {
    std::string filter;
    std::optional<int> workers;
    std::optional<int> runs;
    std::string json;
    bool peers = false;
    bool quick = false;
    bool list = false;
};

void declare_engine_bench(Options& options, EngineBenchArguments& arguments, const char* peers_help);

// Measures all rows that are meant on all engines, prints the table and writes the report. Fails if one of Quarry's own
// engines has no figure where it should have one.
int run_engine_bench(std::string_view program, const EngineBenchArguments& arguments,
                     const std::vector<bench::RowInfo>& rows, std::vector<bench::EngineCommand> own,
                     std::vector<bench::EngineCommand> peers);

}  // namespace quarry::app
