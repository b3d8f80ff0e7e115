#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <quarry/jobs/pool.hpp>

#include "commands.hpp"
#include "harness/machine.hpp"
#include "sync/report.hpp"
#include "sync/run.hpp"
#include "tools/input.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

constexpr std::array<std::string_view, 3> kRates{"30", "60", "120"};
constexpr std::array<double, 3> kHertz{30, 60, 120};
constexpr double kMostRender = 1000;

std::vector<Scenario> chosen(const std::vector<std::string>& names) {
    const std::span<const Scenario> all = all_scenarios();
    if (names.empty()) return {all.begin(), all.end()};
    std::vector<std::string_view> allowed;
    for (const Scenario& scenario : all) allowed.push_back(scenario.name);
    std::vector<Scenario> scenarios;
    for (const std::string& name : names) scenarios.push_back(all[one_of("--scenario", name, allowed)]);
    return scenarios;
}

SyncOptions checked(const SyncArguments& arguments) {
    SyncOptions options;
    options.scenarios = chosen(arguments.scenarios);
    options.hertz = kHertz[one_of("--hertz", arguments.hertz, kRates)];
    options.render_ms = real_number("--render", arguments.render, 0, kMostRender);
    if (!arguments.workers.empty()) {
        options.workers = whole_number("--workers", arguments.workers, 1, Pool::kMostWorkers);
    }
    options.seed =
        static_cast<std::uint64_t>(whole_number("--seed", arguments.seed, 0, std::numeric_limits<int>::max()));
    return options;
}

}  // namespace

int sync(const SyncArguments& arguments) {
    SyncOptions options = checked(arguments);
    const Grade required = arguments.require.empty() ? Grade::f : grade_from("--require", arguments.require);
    require_report_path("--json", arguments.json);
    const bench::Machine machine = bench::describe_machine();
    if (options.workers == 0) options.workers = machine.cores;

    const SyncOutcome outcome = run_sync(options, machine.cores);

    std::FILE* out = arguments.json == "-" ? stderr : stdout;
    fmt::print(out, "{}", format_sync(outcome, options, machine, Look::of(out)));
    write_report(arguments.json, sync_json(outcome, options, machine));
    return outcome.complete() && outcome.worst() >= required ? 0 : kFailed;
}

}  // namespace quarry::app
