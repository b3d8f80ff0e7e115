#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <quarry/terrain/simd.hpp>

#include "bench/choices.hpp"
#include "bench/report.hpp"
#include "bench/terrain_table.hpp"
#include "command.hpp"
#include "harness/machine.hpp"
#include "harness/peers.hpp"
#include "terrain/run.hpp"
#include "tools/input.hpp"
#include "tools/report_file.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

struct BenchTerrainArguments {
    std::string filter;
    std::optional<int> workers;
    std::optional<int> runs;
    std::string simd;
    std::string json;
    bool peers = false;
    bool list = false;
};

void declare_bench_terrain(Options& options, BenchTerrainArguments& arguments) {
    options.text("--filter", arguments.filter, "NAME", "Only the row of that name, or rows whose name contains it");
    declare_workers(options, arguments.workers);
    declare_runs(options, arguments.runs, "Repetitions (default: 5)");
    options.text("--simd", arguments.simd, "TARGET",
                 "Only this instruction set (default: the best one, beside the others)");
    options.json(arguments.json);
    options.flag("--peers", arguments.peers, "Also measure the Rust crates transvoxel, noise and rayon");
    options.flag("--list", arguments.list, "List the rows and what they measure");
}

constexpr int kTerrainRuns = 5;

std::vector<bench::TerrainRow> terrain_rows_named(const std::string& filter) {
    std::vector<std::string_view> names;
    for (const bench::TerrainRow& row : bench::terrain_rows()) names.push_back(row.info.name);
    std::vector<bench::TerrainRow> rows;
    for (const std::size_t index : chosen_rows(filter, names)) rows.push_back(bench::terrain_rows()[index]);
    return rows;
}

// The target in use is the one that was typed, and then no other is measured, or the best that there is.
void choose_targets(const std::string& typed, bench::TerrainRun& run) {
    std::vector<std::string> names;
    for (const terrain::SimdTarget target : terrain::simd_targets()) names.emplace_back(terrain::name_of(target));
    if (typed.empty()) {
        run.target = names.back();
        names.pop_back();
        run.other_targets = std::move(names);
        return;
    }
    const std::vector<std::string_view> allowed(names.begin(), names.end());
    run.target = names[one_of("--simd", typed, allowed)];
}

int list_terrain_rows() {
    for (const bench::TerrainRow& row : bench::terrain_rows()) fmt::print("{:<13} {}\n", row.info.name, row.info.what);
    return 0;
}

std::string terrain_json(const bench::RunReport& report, const bench::TerrainRun& run, const bench::Machine& machine,
                         const BenchTerrainArguments& arguments) {
    const nlohmann::ordered_json options{{"filter", arguments.filter},
                                         {"workers", run.workers},
                                         {"peers", arguments.peers},
                                         {"simd", run.target},
                                         {"runs", run.runs}};
    return format_report("quarry bench terrain", machine, options, report.results, bench::higher_is_better);
}

bool quarry_has_all_of_terrain(const bench::RunReport& report, const bench::TerrainRun& run) {
    return std::all_of(report.gaps.begin(), report.gaps.end(), [&](const bench::Gap& gap) {
        return std::any_of(run.peers.begin(), run.peers.end(),
                           [&](const auto& peer) { return peer.name == gap.engine; });
    });
}

int bench_terrain(const BenchTerrainArguments& arguments) {
    if (arguments.list) return list_terrain_rows();
    const bench::Machine machine = bench::describe_machine();
    bench::TerrainRun run;
    run.rows = terrain_rows_named(arguments.filter);
    run.runs = arguments.runs.value_or(kTerrainRuns);
    run.workers = worker_counts(arguments.workers, machine.cores);
    choose_targets(arguments.simd, run);
    ReportFile file("--json", arguments.json);
    if (arguments.peers) {
        bench::Peers peers = bench::find_terrain_peers();
        for (const std::string& note : peers.notes) fmt::print(stderr, "{}\n", note);
        run.peers = std::move(peers.engines);
    }

    const bench::RunReport report = bench::run_terrain(run);

    std::FILE* out = file.for_people();
    fmt::print(out, "{}", terrain_table(report, run, machine, Look::of(out)));
    file.write(terrain_json(report, run, machine, arguments));
    return quarry_has_all_of_terrain(report, run) ? 0 : kFailed;
}

}  // namespace

template <>
Command command<struct BenchTerrainCommand>() {
    return make_command("bench terrain", "Measure fields, meshing and whole worlds", declare_bench_terrain,
                        bench_terrain);
}

}  // namespace quarry::app
