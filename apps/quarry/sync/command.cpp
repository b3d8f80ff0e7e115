#include "command.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <quarry/jobs/pool.hpp>

#include "harness/machine.hpp"
#include "sync/report.hpp"
#include "sync/run.hpp"
#include "sync/soak.hpp"
#include "tools/input.hpp"
#include "tools/interrupt.hpp"
#include "tools/progress.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

constexpr std::array<std::string_view, 3> kRates{"30", "60", "120"};
constexpr std::array<double, 3> kHertz{30, 60, 120};
constexpr std::array<std::string_view, 2> kBackends{"threads", "processes"};
constexpr std::string_view kIdeal = "ideal";

struct SyncArguments {
    std::vector<std::string> scenarios;
    std::optional<std::size_t> rate;  // of kHertz; nothing: 30 Hz for the scenarios, 60 for the soak
    double render_ms = 4;
    int workers = 0;  // 0: one for each usable core
    int seed = 1;
    std::optional<double> soak_seconds;  // nothing: no soak, but scenarios
    std::string required;                // a grade, or kIdeal; empty: none
    bool processes = false;
    FaultOptions faults;
    std::string json;
};

void declare_sync(Options& options, SyncArguments& arguments) {
    options.texts("--scenario", arguments.scenarios, "NAME ...",
                  "BASELINE, LIGHT, MEDIUM, HEAVY, BURST or CATCHUP (default: all)");
    options.choice("--hertz", arguments.rate, kRates, "RATE", "Frames per second: 30 (default; soak: 60), 60 or 120");
    options.real("--render", arguments.render_ms, {0, 1000}, "MS",
                 "CPU time that the host's thread spends on each picture (default: 4)");
    options.whole("--workers", arguments.workers, {1, Pool::kMostWorkers}, "N",
                  "Worker threads (default: one for each usable core)");
    options.whole("--seed", arguments.seed, {0, std::numeric_limits<int>::max()}, "N",
                  "Seed for the lengths of the jobs (default: 1)");
    options.real("--soak", arguments.soak_seconds, {0.1, 86'400}, "SECONDS",
                 "Instead of the scenarios: run bursts and stalls for this long, and check the results");
    options.choice("--backend", arguments.processes, kBackends, "BACKEND",
                   "What runs the jobs: threads (default) or processes");
    options.option(
        "--faults", [&arguments](const std::string& typed) { arguments.faults.kinds = faults_from(typed); }, "KIND,...",
        "Break worker processes during the run: kill, stop, oom, garbage");
    options.real("--rate", arguments.faults.rate, {0.1, 100}, "N", "Faults per second (default: 1)");
    options.option(
        "--require",
        [&arguments](const std::string& typed) {
            if (!same_word(typed, kIdeal) && !grade_of(typed)) {
                throw WrongInput(fmt::format("--require takes A, B, C or F, or ideal, not {}", in_quotes(typed)));
            }
            arguments.required = typed;
        },
        "GRADE", "Exit status 1 if a scenario is below this grade: A, B, F, or ideal (that of an ideal machine)");
    options.json(arguments.json);
}

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
    return arguments.rate ? kHertz[*arguments.rate] : otherwise;
}

SyncOptions checked(const SyncArguments& arguments) {
    SyncOptions options;
    options.scenarios = chosen(arguments.scenarios);
    options.hertz = hertz_of(arguments, 30);
    options.render_ms = arguments.render_ms;
    options.workers = arguments.workers;
    options.processes = arguments.processes;
    options.faults = arguments.faults;
    if (options.faults.any() && !options.processes) {
        throw WrongInput("--faults needs --backend processes: a thread cannot be broken without its process");
    }
    options.seed = static_cast<std::uint64_t>(arguments.seed);
    return options;
}

int run_and_report_soak(const SoakOptions& options, const bench::Machine& machine, ReportFile& report) {
    const Interrupt interrupt;
    Progress progress;
    const SoakOutcome outcome = run_soak(options, {&progress, interrupt.stop_token()});
    std::FILE* out = report.for_people();
    fmt::print(out, "{}", format_soak(outcome, options, machine, Look::of(out)));
    report.write(soak_json(outcome, options, machine));
    if (interrupt.signal() != 0) return status_of_signal(interrupt.signal());
    if (outcome.verdict() == SoakVerdict::not_judged) return kNotJudged;
    return outcome.verdict() == SoakVerdict::holds ? 0 : kFailed;
}

int status_of(const SyncOutcome& outcome, const std::string& required) {
    if (required.empty()) return 0;
    int status = 0;
    for (const ScenarioOutcome& each : outcome.scenarios) {
        const Grade least = same_word(required, kIdeal) ? each.ideal.grade() : *grade_of(required);
        if (each.real.grade() >= least) continue;
        // The worse of the two: a grade that the machine is not to blame for.
        status = each.cpu.is_short() && status != kFailed ? kNotJudged : kFailed;
    }
    return status;
}

int sync(const SyncArguments& arguments) {
    SyncOptions options = checked(arguments);
    if (arguments.soak_seconds && (!arguments.scenarios.empty() || !arguments.required.empty())) {
        throw WrongInput("--soak takes the place of the scenarios: leave out --scenario and --require");
    }
    ReportFile report("--json", arguments.json);
    const bench::Machine machine = bench::describe_machine();
    if (options.workers == 0) options.workers = machine.cores;
    if (arguments.soak_seconds) {
        const SoakOptions soak{.seconds = *arguments.soak_seconds,
                               .hertz = hertz_of(arguments, 60),
                               .render_ms = options.render_ms,
                               .workers = options.workers,
                               .seed = options.seed,
                               .processes = options.processes,
                               .faults = options.faults};
        return run_and_report_soak(soak, machine, report);
    }

    const Interrupt interrupt;
    Progress progress;
    const SyncOutcome outcome = run_sync(options, machine.cores, {&progress, interrupt.stop_token()});

    std::FILE* out = report.for_people();
    fmt::print(out, "{}", format_sync(outcome, options, machine, Look::of(out)));
    report.write(sync_json(outcome, options, machine));
    if (outcome.cut_short) return status_of_signal(interrupt.signal());
    return outcome.complete() ? status_of(outcome, arguments.required) : kFailed;
}

}  // namespace

template <>
Command command<struct SyncCommand>() {
    return make_command("sync", "Frame sync: act as a host at a fixed rate, and grade how late results are",
                        declare_sync, sync);
}

}  // namespace quarry::app
