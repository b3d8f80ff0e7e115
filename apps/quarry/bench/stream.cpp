#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bake/arguments.hpp"
#include "bake/fields.hpp"
#include "bench/choices.hpp"
#include "bench/stream_peer.hpp"
#include "bench/stream_rows.hpp"
#include "command.hpp"
#include "harness/machine.hpp"
#include "tools/report_file.hpp"
#include "tools/report_head.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

struct BenchStreamArguments {
    std::string filter;
    std::string field = "noise";
    std::optional<int> workers;
    std::optional<int> runs;
    double seconds = 20;
    std::string json;
    bool list = false;
    bool full = false;
    bool peers = false;
};

// Rows of one benchmark, and what its figures should be.
struct FigureBench {
    const char* program;
    std::span<const StreamRow> rows;
    std::optional<double> (*aim)(std::string_view figure);
};

void declare_figures(Options& options, BenchStreamArguments& arguments) {
    options.text("--filter", arguments.filter, "NAME", "Only the row of that name, or rows whose name contains it");
    options.text("--field", arguments.field, "FIELD|FILE.json",
                 "noise (default), showcase, or a description of a field");
    options.whole("--workers", arguments.workers, {1, Pool::kMostWorkers}, "N",
                  "Worker threads (default: one for each usable core)");
    declare_runs(options, arguments.runs, "Repetitions of rows that are not flights (default: 5)");
    options.real("--seconds", arguments.seconds, {0.1, 3'600}, "S", "Length of each flight (default: 20)");
    options.json(arguments.json);
    options.flag("--list", arguments.list, "List the rows and what they measure");
}

void declare_bench_stream(Options& options, BenchStreamArguments& arguments) {
    declare_figures(options, arguments);
    options.flag("--peers", arguments.peers,
                 "In fill, also mesh the chunks with the Rust crates transvoxel and rayon (field noise only)");
}

void declare_bench_edit(Options& options, BenchStreamArguments& arguments) {
    declare_figures(options, arguments);
    options.flag("--full", arguments.full,
                 "Also rows that take minutes, which otherwise run only if --filter names them");
}

constexpr int kStreamRuns = 5;
constexpr std::string_view kOwnEngine = "quarry";

// The median of the runs.
struct StreamResult {
    std::string name;
    std::string unit;
    double value = 0;
    double spread = 0;  // (75th - 25th percentile) / median
    int runs = 1;
    std::string_view engine;
    bool is_rate() const { return unit == kRateUnit; }
    // Figures that a peer may have, too.
    bool is_compared() const { return is_rate() || unit == kTrianglesUnit; }
};

void add_results(const StreamRow& row, const StreamBench& bench, int runs, std::vector<StreamResult>& results) {
    if (row.is_flight) runs = 1;
    std::vector<std::vector<StreamFigure>> all;
    for (int run = 0; run < runs; ++run) all.push_back(row.measure(bench));
    for (std::size_t i = 0; i < all.front().size(); ++i) {
        std::vector<double> values;
        for (const std::vector<StreamFigure>& figures : all) values.push_back(figures[i].value);
        std::sort(values.begin(), values.end());
        const std::size_t last = values.size() - 1;
        const double median = values[last / 2];
        const double spread = median > 0 ? (values[last * 3 / 4] - values[last / 4]) / median : 0;
        results.push_back({all.front()[i].name, all.front()[i].unit, median, spread, runs, all.front()[i].engine});
    }
}

std::string own_line(const StreamResult& result, std::optional<double> aim, const Look& look) {
    const std::string value = fmt::format("{:>10.2f}", result.value);
    const std::string shown = !aim ? value : result.value <= *aim ? look.good(value) : look.bad(value);
    return fmt::format("{:<24}{:<7}{}{:>10}{:>7.0f}%\n", result.name, result.unit, shown,
                       aim ? fmt::format("{:g}", *aim) : "", result.spread * 100);
}

const StreamResult* find_result(const std::vector<StreamResult>& results, std::string_view name, bool own) {
    const auto found = std::find_if(results.begin(), results.end(), [&](const StreamResult& result) {
        return result.name == name && (result.engine == kOwnEngine) == own;
    });
    return found == results.end() ? nullptr : &*found;
}

std::string peer_lines(const std::vector<StreamResult>& results, const Look& look) {
    constexpr std::string_view kLine = "{:<28}{:>10}{:>12}{:>9}\n";
    std::string text;
    for (const StreamResult& result : results) {
        const StreamResult* const own = find_result(results, result.name, true);
        const StreamResult* const peer = find_result(results, result.name, false);
        if (!result.is_compared() || (own != nullptr && own != &result)) continue;
        const auto cell = [](const StreamResult* of) { return of == nullptr ? "" : fmt::format("{:.0f}", of->value); };
        const bool is_judged = own != nullptr && peer != nullptr && own->is_rate();
        text += fmt::format(kLine, result.name, cell(own), cell(peer),
                            is_judged ? fmt::format("{:.1f}x", own->value / peer->value) : "");
    }
    if (text.empty()) return text;
    return "\n" + look.strong(fmt::format(kLine, "chunks/s, higher is better", "quarry", "transvoxel", "times")) + text;
}

std::string stream_table(const std::vector<StreamResult>& results, const bench::Machine& machine, int workers,
                         const FigureBench& which, const std::string& field, const Look& look) {
    std::string text = fmt::format("{}, {} worker{}, field {}; lower is better\n\n", machine.cpu, workers,
                                   workers == 1 ? "" : "s", field);
    text += look.strong(fmt::format("{:<24}{:<7}{:>10}{:>10}{:>8}\n", "", "", "quarry", "aim", "spread"));
    for (const StreamResult& result : results) {
        if (!result.is_compared()) text += own_line(result, which.aim(result.name), look);
    }
    return text + peer_lines(results, look);
}

std::string stream_json(const std::vector<StreamResult>& results, const bench::Machine& machine, int workers,
                        const FigureBench& which, const BenchStreamArguments& arguments) {
    nlohmann::ordered_json json = report_head(which.program, machine);
    json["options"] = {{"filter", arguments.filter},
                       {"field", arguments.field},
                       {"seconds", arguments.seconds},
                       {"peers", arguments.peers}};
    json["results"] = nlohmann::ordered_json::array();
    for (const StreamResult& result : results) {
        json["results"].push_back({{"name", result.name},
                                   {"engine", result.engine},
                                   {"workers", workers},
                                   {"value", result.value},
                                   {"unit", result.unit},
                                   {"better", result.is_rate() ? "higher" : "lower"},
                                   {"runs", result.runs},
                                   {"spread", result.spread}});
    }
    return json.dump(2) + "\n";
}

std::unique_ptr<StreamPeer> peer_for(const std::string& field) {
    if (field == "noise") return StreamPeer::find();
    fmt::print(stderr, "Rust peers left out: they have the field noise only\n");
    return nullptr;
}

int run_rows(const FigureBench& which, const BenchStreamArguments& arguments) {
    std::vector<std::string_view> names;
    for (const StreamRow& row : which.rows) names.push_back(row.name);
    if (arguments.list) {
        for (const StreamRow& row : which.rows) fmt::print("{:<10} {}\n", row.name, row.what);
        return 0;
    }
    const std::vector<std::size_t> rows = chosen_rows(arguments.filter, names);
    BakeArguments named;
    named.field = arguments.field;
    const terrain::Described described = checked_field(named, checked_noise(named));
    ReportFile report("--json", arguments.json);
    const bench::Machine machine = bench::describe_machine();
    const int workers = arguments.workers.value_or(machine.cores);
    const std::unique_ptr<StreamPeer> peer = arguments.peers ? peer_for(arguments.field) : nullptr;
    Pool pool(workers);
    const StreamBench bench{pool, described, arguments.seconds, peer.get()};
    std::vector<StreamResult> results;
    for (const std::size_t row : rows) {
        if (which.rows[row].takes_long && !arguments.full && arguments.filter != names[row]) continue;
        add_results(which.rows[row], bench, arguments.runs.value_or(kStreamRuns), results);
    }
    std::FILE* out = report.for_people();
    fmt::print(out, "{}", stream_table(results, machine, workers, which, arguments.field, Look::of(out)));
    report.write(stream_json(results, machine, workers, which, arguments));
    return 0;
}

int bench_stream(const BenchStreamArguments& arguments) {
    return run_rows({"quarry bench stream", stream_rows(), stream_aim}, arguments);
}

int bench_edit(const BenchStreamArguments& arguments) {
    return run_rows({"quarry bench edit", edit_rows(), edit_aim}, arguments);
}

}  // namespace

template <>
Command command<struct BenchEditCommand>() {
    return make_command("bench edit", "Measure edits of a streamed world: how soon they show, what they cost",
                        declare_bench_edit, bench_edit);
}

template <>
Command command<struct BenchStreamCommand>() {
    return make_command("bench stream", "Measure a streamed world: filling, hand-over, flights", declare_bench_stream,
                        bench_stream);
}

}  // namespace quarry::app
