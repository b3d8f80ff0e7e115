#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/choices.hpp"
#include "bench/report.hpp"
#include "command.hpp"
#include "harness/machine.hpp"
#include "harness/peers.hpp"
#include "harness/run.hpp"
#include "harness/table.hpp"
#include "jobs/rows/list.hpp"
#include "tools/input.hpp"
#include "tools/report_file.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

struct BenchJobsArguments {
    std::string filter;
    std::optional<int> workers;
    std::optional<int> runs;
    std::string json;
    std::string trace;
    bool peers = false;
    bool quick = false;
    bool list = false;
};

void declare_bench_jobs(Options& options, BenchJobsArguments& arguments) {
    options.text("--filter", arguments.filter, "NAME", "Only the row of that name, or rows whose name contains it");
    declare_workers(options, arguments.workers);
    options.flag("--peers", arguments.peers,
                 "Also measure oneTBB, OpenMP, std::async, rayon, chili, forte, bevy_tasks");
    options.flag("--quick", arguments.quick, "A run of seconds: all cores, few repetitions, with explanations");
    declare_runs(options, arguments.runs, "Repetitions (default: 7; quick: 3, and 1 of the long rows)");
    options.json(arguments.json);
    options.text("--trace", arguments.trace, "FILE",
                 "Also measure Quarry with a trace, and write the trace: a timeline for ui.perfetto.dev");
    options.flag("--list", arguments.list, "List the rows and what they measure");
}

constexpr int kJobsRuns = 7;
constexpr int kQuickJobsRuns = 3;

std::vector<bench::RowInfo> jobs_rows_named(const std::string& filter) {
    std::vector<std::string_view> names;
    for (const bench::RowInfo& row : bench::all_rows()) names.push_back(row.name);
    std::vector<bench::RowInfo> rows;
    for (const std::size_t index : chosen_rows(filter, names)) rows.push_back(bench::all_rows()[index]);
    return rows;
}

int list_jobs_rows() {
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

bool quarry_has_all_of_jobs(const bench::RunReport& report) {
    return std::none_of(report.gaps.begin(), report.gaps.end(), [](const bench::Gap& gap) {
        return gap.engine == "quarry" || gap.engine == "traced" || gap.engine == "bare";
    });
}

std::string jobs_json(const bench::RunReport& report, const bench::RunOptions& run, const bench::Machine& machine,
                      const BenchJobsArguments& arguments) {
    const nlohmann::ordered_json options{{"filter", arguments.filter},
                                         {"workers", run.workers},
                                         {"peers", arguments.peers},
                                         {"quick", run.quick},
                                         {"runs", run.runs}};
    return format_report("quarry bench jobs", machine, options, report.results, [](std::string_view) { return false; });
}

void check_trace_path(const std::string& path) {
    // It travels to the engine's process in a line.
    if (path.find_first_of("\n\r") != std::string::npos) throw WrongInput("--trace takes a path without line breaks");
    require_output_path("--trace", path);
}

int bench_jobs(const BenchJobsArguments& arguments) {
    if (arguments.list) return list_jobs_rows();
    bench::RunOptions options;
    options.quick = arguments.quick;
    options.rows = jobs_rows_named(arguments.filter);
    options.runs = arguments.runs.value_or(arguments.quick ? kQuickJobsRuns : kJobsRuns);
    const bench::Machine machine = bench::describe_machine();
    // A quick run takes all cores only.
    options.workers = arguments.quick && !arguments.workers ? std::vector<int>{machine.cores}
                                                            : worker_counts(arguments.workers, machine.cores);
    ReportFile file("--json", arguments.json);
    if (!arguments.trace.empty()) check_trace_path(arguments.trace);
    options.engines = chosen_engines(arguments.peers, arguments.trace);

    const bench::RunReport report = bench::run(options);

    std::FILE* out = file.for_people();
    const bool colour = Look::of(out).is_for_terminal();
    fmt::print(out, "{}", bench::format_table(report, options, machine, colour));
    if (arguments.quick) fmt::print(out, "{}", bench::explain(options));
    file.write(jobs_json(report, options, machine, arguments));
    for (const std::string& failure : report.trace_failures) fmt::print(stderr, "quarry: {}\n", failure);
    return quarry_has_all_of_jobs(report) && report.trace_failures.empty() ? 0 : kFailed;
}

}  // namespace

template <>
Command command<struct BenchJobsCommand>() {
    return make_command("bench jobs", "Measure fork and join, loops, sorting, waking and idling", declare_bench_jobs,
                        bench_jobs);
}

}  // namespace quarry::app
