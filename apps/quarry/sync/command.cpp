#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <quarry/jobs/pool.hpp>

#include "commands.hpp"
#include "harness/machine.hpp"
#include "sync/report.hpp"
#include "sync/run.hpp"
#include "sync/soak.hpp"
#include "tools/input.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

constexpr std::array<std::string_view, 3> kRates{"30", "60", "120"};
constexpr std::array<double, 3> kHertz{30, 60, 120};
constexpr double kMostRender = 1000;
constexpr double kLeastSoak = 0.1;  // seconds
constexpr double kMostSoak = 86'400;

std::vector<Scenario> chosen(const std::vector<std::string>& names) {
    const std::span<const Scenario> all = all_scenarios();
    if (names.empty()) return {all.begin(), all.end()};
    std::vector<std::string_view> allowed;
    for (const Scenario& scenario : all) allowed.push_back(scenario.name);
    std::vector<Scenario> scenarios;
    for (const std::string& name : names) scenarios.push_back(all[one_of("--scenario", name, allowed)]);
    return scenarios;
}

double hertz_of(const SyncArguments& arguments, double otherwise) {
    return arguments.hertz.empty() ? otherwise : kHertz[one_of("--hertz", arguments.hertz, kRates)];
}

SyncOptions checked(const SyncArguments& arguments) {
    SyncOptions options;
    options.scenarios = chosen(arguments.scenarios);
    options.hertz = hertz_of(arguments, 30);
    options.render_ms = real_number("--render", arguments.render, 0, kMostRender);
    if (!arguments.workers.empty()) {
        options.workers = whole_number("--workers", arguments.workers, 1, Pool::kMostWorkers);
    }
    options.seed =
        static_cast<std::uint64_t>(whole_number("--seed", arguments.seed, 0, std::numeric_limits<int>::max()));
    return options;
}

std::optional<double> soak_seconds(const SyncArguments& arguments) {
    if (arguments.soak.empty()) return std::nullopt;
    if (!arguments.scenarios.empty() || !arguments.require.empty()) {
        throw WrongInput("--soak takes the place of the scenarios: leave out --scenario and --require");
    }
    return real_number("--soak", arguments.soak, kLeastSoak, kMostSoak);
}

int report_soak(const SoakOptions& options, const bench::Machine& machine, const std::string& json) {
    const SoakOutcome outcome = run_soak(options);
    std::FILE* out = json == "-" ? stderr : stdout;
    fmt::print(out, "{}", format_soak(outcome, options, machine, Look::of(out)));
    write_report(json, soak_json(outcome, options, machine));
    return outcome.failures().empty() ? 0 : kFailed;
}

}  // namespace

int sync(const SyncArguments& arguments) {
    SyncOptions options = checked(arguments);
    const Grade required = arguments.require.empty() ? Grade::f : grade_from("--require", arguments.require);
    const std::optional<double> seconds = soak_seconds(arguments);
    require_report_path("--json", arguments.json);
    const bench::Machine machine = bench::describe_machine();
    if (options.workers == 0) options.workers = machine.cores;
    if (seconds) {
        const SoakOptions soak{*seconds, hertz_of(arguments, 60), options.render_ms, options.workers, options.seed};
        return report_soak(soak, machine, arguments.json);
    }

    const SyncOutcome outcome = run_sync(options, machine.cores);

    std::FILE* out = arguments.json == "-" ? stderr : stdout;
    fmt::print(out, "{}", format_sync(outcome, options, machine, Look::of(out)));
    write_report(arguments.json, sync_json(outcome, options, machine));
    return outcome.complete() && outcome.worst() >= required ? 0 : kFailed;
}

}  // namespace quarry::app
