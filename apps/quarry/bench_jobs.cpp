#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <quarry/jobs/pool.hpp>
#include <unistd.h>

#include "commands.hpp"
#include "harness/machine.hpp"
#include "harness/peers.hpp"
#include "harness/report.hpp"
#include "harness/run.hpp"
#include "harness/table.hpp"
#include "jobs/rows/list.hpp"
#include "tools/input.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

constexpr int kMostRuns = 1'000;
constexpr int kDefaultRuns = 7;
constexpr int kQuickRuns = 3;

std::vector<bench::RowInfo> chosen_rows(const std::string& filter) {
    const auto all = bench::all_rows();
    if (bench::find_row(filter) != nullptr) return {*bench::find_row(filter)};
    std::vector<bench::RowInfo> rows;
    for (const bench::RowInfo& row : all) {
        if (row.name.find(filter) != std::string_view::npos) rows.push_back(row);
    }
    if (rows.empty()) {
        std::vector<std::string_view> names;
        for (const bench::RowInfo& row : all) names.push_back(row.name);
        throw WrongInput(fmt::format("--filter '{}' matches no row; there are {}", filter, fmt::join(names, ", ")));
    }
    return rows;
}

// 1, 2 and all cores; a quick run takes all cores only.
std::vector<int> worker_counts(const std::string& typed, int cores, bool quick) {
    if (!typed.empty()) return {whole_number("--workers", typed, 1, Pool::kMostWorkers)};
    if (quick) return {cores};
    std::vector<int> counts{1, 2, cores};
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

int list_rows() {
    for (const bench::RowInfo& row : bench::all_rows()) fmt::print("{:<12} {}\n", row.name, row.what);
    return 0;
}

std::vector<bench::EngineCommand> chosen_engines(bool with_peers, const std::string& trace_path) {
    std::vector<bench::EngineCommand> engines = bench::own_engines(trace_path);
    if (with_peers) {
        bench::Peers peers = bench::find_peers();
        for (const std::string& note : peers.notes) fmt::print(stderr, "{}\n", note);
        std::move(peers.engines.begin(), peers.engines.end(), std::back_inserter(engines));
    }
    return engines;
}

bool quarry_has_all(const bench::RunReport& report) {
    return std::none_of(report.gaps.begin(), report.gaps.end(), [](const bench::Gap& gap) {
        return gap.engine == "quarry" || gap.engine == "traced" || gap.engine == "bare";
    });
}

void check_trace_path(const std::string& path) {
    // It travels to the engine's process in a line.
    if (path.find_first_of("\n\r") != std::string::npos) throw WrongInput("--trace takes a path without line breaks");
    if (const std::optional<std::string> reason = bench::why_not_writable(path)) {
        throw WrongInput(
            fmt::format("--trace '{}': {}; name a file in a folder that can be written to", path, *reason));
    }
}

}  // namespace

int bench_jobs(const BenchJobsArguments& arguments) {
    if (arguments.list) return list_rows();
    bench::RunOptions options;
    options.quick = arguments.quick;
    options.rows = chosen_rows(arguments.filter);
    options.runs = arguments.runs.empty() ? (arguments.quick ? kQuickRuns : kDefaultRuns)
                                          : whole_number("--runs", arguments.runs, 1, kMostRuns);
    if (!arguments.workers.empty()) whole_number("--workers", arguments.workers, 1, Pool::kMostWorkers);
    const bool json_to_output = arguments.json == "-";
    require_report_path("--json", arguments.json);
    if (!arguments.trace.empty()) check_trace_path(arguments.trace);
    const bench::Machine machine = bench::describe_machine();
    options.workers = worker_counts(arguments.workers, machine.cores, arguments.quick);
    options.engines = chosen_engines(arguments.peers, arguments.trace);

    const bench::RunReport report = bench::run(options);

    std::FILE* out = json_to_output ? stderr : stdout;
    const bool colour = isatty(fileno(out)) == 1;
    fmt::print(out, "{}", bench::format_table(report, options, machine, colour));
    if (arguments.quick) fmt::print(out, "{}", bench::explain(options));
    if (!arguments.json.empty()) {
        write_report(arguments.json, bench::format_json(report, options, {arguments.filter, arguments.peers}, machine));
    }
    for (const std::string& failure : report.trace_failures) fmt::print(stderr, "quarry: {}\n", failure);
    return quarry_has_all(report) && report.trace_failures.empty() ? 0 : kFailed;
}

}  // namespace quarry::app
