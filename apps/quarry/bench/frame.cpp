#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/choices.hpp"
#include "command.hpp"
#include "frame/rows.hpp"
#include "harness/machine.hpp"
#include "tools/report_file.hpp"
#include "tools/report_head.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

struct BenchFrameArguments {
    std::string filter;
    std::optional<int> runs;
    std::string json;
};

void declare_bench_frame(Options& options, BenchFrameArguments& arguments) {
    options.text("--filter", arguments.filter, "NAME", "Only rows whose name contains it");
    declare_runs(options, arguments.runs, "Repetitions (default: 9)");
    options.json(arguments.json);
}

constexpr int kFrameRuns = 9;

struct Figure {
    double median = 0;
    double spread = 0;  // (75th - 25th percentile) / median
};

struct RowFigures {
    const bench::FrameRow* row;
    Figure quarry;
    Figure bare;
};

Figure figure_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t last = values.size() - 1;
    const double median = values[last / 2];
    return {median, median > 0 ? (values[last * 3 / 4] - values[last / 4]) / median : 0};
}

std::vector<const bench::FrameRow*> frame_rows_named(const std::string& filter) {
    std::vector<std::string_view> names;
    for (const bench::FrameRow& row : bench::frame_rows()) names.push_back(row.name);
    std::vector<const bench::FrameRow*> rows;
    for (const std::size_t index : chosen_rows(filter, names)) rows.push_back(&bench::frame_rows()[index]);
    return rows;
}

// In turns, so that noise hits both alike.
RowFigures measure(const bench::FrameRow& row, int workers, int runs) {
    std::vector<double> own;
    std::vector<double> bare;
    for (int run = 0; run < runs; ++run) {
        own.push_back(row.quarry(workers));
        bare.push_back(row.bare(workers));
    }
    return {&row, figure_of(std::move(own)), figure_of(std::move(bare))};
}

std::string frame_table(const std::vector<RowFigures>& figures, const bench::Machine& machine, int runs,
                        const Look& look) {
    std::string text = fmt::format("{}, {} usable core{}; median of {} run{}, lower is better\n\n", machine.cpu,
                                   machine.cores, machine.cores == 1 ? "" : "s", runs, runs == 1 ? "" : "s");
    text += look.strong(fmt::format("{:<15}{:>8}{:>8}{:>8}{:>8}\n", "", "quarry", "bare", "aim", "spread"));
    for (const RowFigures& each : figures) {
        const std::string own = fmt::format("{:>8.2f}", each.quarry.median);
        text += fmt::format("{:<12} {:<2}{}{:>8.2f}{:>8}{:>7.0f}%   {}\n", each.row->name, each.row->unit,
                            each.quarry.median <= each.row->aim ? look.good(own) : look.bad(own), each.bare.median,
                            each.row->aim, each.quarry.spread * 100, each.row->what);
    }
    return text;
}

std::string frame_json(const std::vector<RowFigures>& figures, const bench::Machine& machine,
                       const BenchFrameArguments& arguments, int runs) {
    nlohmann::ordered_json json = report_head("quarry bench frame", machine);
    json["options"] = {{"filter", arguments.filter}, {"runs", runs}};
    json["results"] = nlohmann::ordered_json::array();
    const auto add = [&](const RowFigures& each, const char* engine, const Figure& figure) {
        json["results"].push_back({{"name", each.row->name},
                                   {"engine", engine},
                                   {"workers", machine.cores},
                                   {"value", figure.median},
                                   {"unit", each.row->unit},
                                   {"better", "lower"},
                                   {"runs", runs},
                                   {"spread", figure.spread}});
    };
    for (const RowFigures& each : figures) {
        add(each, "quarry", each.quarry);
        add(each, "bare", each.bare);
    }
    return json.dump(2) + "\n";
}

int bench_frame(const BenchFrameArguments& arguments) {
    const std::vector<const bench::FrameRow*> rows = frame_rows_named(arguments.filter);
    const int runs = arguments.runs.value_or(kFrameRuns);
    ReportFile report("--json", arguments.json);
    const bench::Machine machine = bench::describe_machine();
    std::vector<RowFigures> figures;
    for (const bench::FrameRow* row : rows) figures.push_back(measure(*row, machine.cores, runs));
    std::FILE* out = report.for_people();
    fmt::print(out, "{}", frame_table(figures, machine, runs, Look::of(out)));
    report.write(frame_json(figures, machine, arguments, runs));
    return 0;
}

}  // namespace

template <>
Command command<struct BenchFrameCommand>() {
    return make_command("bench frame", "Measure what a frame costs the host's thread", declare_bench_frame,
                        bench_frame);
}

}  // namespace quarry::app
