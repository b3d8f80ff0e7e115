#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/choices.hpp"
#include "command.hpp"
#include "harness/machine.hpp"
#include "process/rows.hpp"
#include "tools/report_file.hpp"
#include "tools/report_head.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

struct ProcessFigure {
    double median = 0;
    double spread = 0;  // (75th - 25th percentile) / median
};

struct ProcessFigures {
    const bench::ProcessRow* row;
    ProcessFigure quarry;
    std::optional<ProcessFigure> bare;

    double ratio() const { return bare && bare->median > 0 ? quarry.median / bare->median : std::nan(""); }
    bool reached() const {
        const double value = row->aim_is_ratio ? ratio() : quarry.median;
        return row->higher_is_better ? value >= row->aim : value <= row->aim;
    }
};

struct BenchProcessArguments {
    std::string filter;
    int runs = 5;
    std::string json;
};

void declare_bench_process(Options& options, BenchProcessArguments& arguments) {
    options.text("--filter", arguments.filter, "NAME", "Only rows whose name contains it");
    options.whole("--runs", arguments.runs, {1, 1000}, "N", "Repetitions (default: 5)");
    options.json(arguments.json);
}

ProcessFigure process_figure(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t last = values.size() - 1;
    const double median = values[last / 2];
    return {median, median > 0 ? (values[last * 3 / 4] - values[last / 4]) / median : 0};
}

// In turns, so that noise hits both alike.
ProcessFigures measure_processes(const bench::ProcessRow& row, int runs) {
    std::vector<double> own;
    std::vector<double> bare;
    for (int run = 0; run < runs; ++run) {
        own.push_back(row.quarry());
        if (row.bare != nullptr) bare.push_back(row.bare());
    }
    ProcessFigures figures{&row, process_figure(std::move(own)), std::nullopt};
    if (!bare.empty()) figures.bare = process_figure(std::move(bare));
    return figures;
}

std::string process_table(const std::vector<ProcessFigures>& figures, const bench::Machine& machine, int runs,
                          const Look& look) {
    std::string text = fmt::format("{}, {} usable core{}; median of {} run{}\n\n", machine.cpu, machine.cores,
                                   machine.cores == 1 ? "" : "s", runs, runs == 1 ? "" : "s");
    text +=
        look.strong(fmt::format("{:<15}{:>9}{:>9}{:>8}{:>12}{:>8}\n", "", "quarry", "bare", "ratio", "aim", "spread"));
    for (const ProcessFigures& each : figures) {
        const std::string own = fmt::format("{:>9.2f}", each.quarry.median);
        const std::string aim = fmt::format("{} {:g}{}", each.row->higher_is_better ? ">=" : "<=", each.row->aim,
                                            each.row->aim_is_ratio ? "x" : "");
        text += fmt::format(
            "{:<11} {:<3}{}{:>9}{:>8}{:>12}{:>7.0f}%   {}\n", each.row->name, each.row->unit,
            each.reached() ? look.good(own) : look.bad(own), each.bare ? fmt::format("{:.2f}", each.bare->median) : "-",
            each.bare ? fmt::format("{:.2f}", each.ratio()) : "-", aim, each.quarry.spread * 100, each.row->what);
    }
    return text;
}

std::string process_json(const std::vector<ProcessFigures>& figures, const bench::Machine& machine,
                         const BenchProcessArguments& arguments) {
    nlohmann::ordered_json json = report_head("quarry bench process", machine);
    json["options"] = {{"filter", arguments.filter}, {"runs", arguments.runs}};
    json["results"] = nlohmann::ordered_json::array();
    const auto add = [&](const ProcessFigures& each, const char* engine, const ProcessFigure& figure) {
        json["results"].push_back({{"name", each.row->name},
                                   {"engine", engine},
                                   {"workers", each.row->name == "idle" ? 2 : 1},
                                   {"value", figure.median},
                                   {"unit", each.row->unit},
                                   {"better", each.row->higher_is_better ? "higher" : "lower"},
                                   {"runs", arguments.runs},
                                   {"spread", figure.spread}});
    };
    for (const ProcessFigures& each : figures) {
        add(each, "quarry", each.quarry);
        if (each.bare) add(each, "bare", *each.bare);
    }
    return json.dump(2) + "\n";
}

int bench_process(const BenchProcessArguments& arguments) {
    std::vector<std::string_view> names;
    for (const bench::ProcessRow& row : bench::process_rows()) names.push_back(row.name);
    const std::vector<std::size_t> chosen_indices = chosen_rows(arguments.filter, names);
    ReportFile report("--json", arguments.json);
    const bench::Machine machine = bench::describe_machine();
    std::vector<ProcessFigures> figures;
    for (const std::size_t index : chosen_indices) {
        figures.push_back(measure_processes(bench::process_rows()[index], arguments.runs));
    }
    std::FILE* out = report.for_people();
    fmt::print(out, "{}", process_table(figures, machine, arguments.runs, Look::of(out)));
    report.write(process_json(figures, machine, arguments));
    return 0;
}

}  // namespace

template <>
Command command<struct BenchProcessCommand>() {
    return make_command("bench process", "Measure jobs in worker processes", declare_bench_process, bench_process);
}

}  // namespace quarry::app
