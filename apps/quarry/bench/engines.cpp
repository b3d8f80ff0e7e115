#include "bench/engines.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/choices.hpp"
#include "bench/report.hpp"
#include "harness/machine.hpp"
#include "harness/table.hpp"
#include "tools/report_file.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

constexpr int kEngineBenchRuns = 5;
constexpr int kQuickEngineBenchRuns = 3;

}  // namespace

void declare_engine_bench(Options& options, EngineBenchArguments& arguments, const char* peers_help) {
    options.text("--filter", arguments.filter, "NAME", "Only the row of that name, or rows whose name contains it");
    declare_workers(options, arguments.workers);
    if (peers_help != nullptr) options.flag("--peers", arguments.peers, peers_help);
    options.flag("--quick", arguments.quick, "A run of seconds: all cores, few repetitions, with explanations");
    declare_runs(options, arguments.runs, "Repetitions (default: 5; quick: 3)");
    options.json(arguments.json);
    options.flag("--list", arguments.list, "List the rows and what they measure");
}

int run_engine_bench(std::string_view program, const EngineBenchArguments& arguments,
                     const std::vector<bench::RowInfo>& rows, std::vector<bench::EngineCommand> own,
                     std::vector<bench::EngineCommand> peers) {
    std::vector<std::string_view> names;
    for (const bench::RowInfo& row : rows) names.push_back(row.name);
    bench::RunOptions run;
    for (const std::size_t index : chosen_rows(arguments.filter, names)) run.rows.push_back(rows[index]);
    const bench::Machine machine = bench::describe_machine();
    run.quick = arguments.quick;
    run.runs = arguments.runs.value_or(arguments.quick ? kQuickEngineBenchRuns : kEngineBenchRuns);
    run.workers = arguments.quick && !arguments.workers ? std::vector<int>{machine.cores}
                                                        : worker_counts(arguments.workers, machine.cores);
    ReportFile file("--json", arguments.json);
    std::vector<std::string> own_names;
    for (const bench::EngineCommand& engine : own) own_names.push_back(engine.name);
    run.engines = std::move(own);
    std::move(peers.begin(), peers.end(), std::back_inserter(run.engines));

    const bench::RunReport report = bench::run(run);

    std::FILE* out = file.for_people();
    fmt::print(out, "{}", bench::format_table(report, run, machine, Look::of(out).is_for_terminal()));
    if (arguments.quick) fmt::print(out, "{}", bench::explain(run));
    const nlohmann::ordered_json options{{"filter", arguments.filter},
                                         {"workers", run.workers},
                                         {"peers", arguments.peers},
                                         {"quick", run.quick},
                                         {"runs", run.runs}};
    file.write(format_report(program, machine, options, report.results, [](std::string_view) { return false; }));
    const bool complete = std::none_of(report.gaps.begin(), report.gaps.end(), [&](const bench::Gap& gap) {
        return gap.mark != "-" && std::find(own_names.begin(), own_names.end(), gap.engine) != own_names.end();
    });
    return complete ? 0 : kFailed;
}

}  // namespace quarry::app
