#include <array>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>
#include <quarry/jobs/pool.hpp>

#include "commands.hpp"
#include "harness/machine.hpp"
#include "stress/names.hpp"
#include "stress/report.hpp"
#include "stress/run.hpp"
#include "tools/input.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

constexpr double kLeastDuration = 0.1;
constexpr double kMostDuration = 3600;
constexpr std::array<std::string_view, 2> kBackends{"threads", "processes"};

StressOptions checked(const StressArguments& arguments) {
    StressOptions options;
    options.duration = real_number("--duration", arguments.duration, kLeastDuration, kMostDuration);
    options.workers = whole_number("--workers", arguments.workers, 1, Pool::kMostWorkers);
    options.queue = whole_number("--queue", arguments.queue, 1, static_cast<int>(Pool::kMostQueueCapacity));
    options.job = static_cast<JobKind>(one_of("--job", arguments.job, kJobNames));
    options.rules = static_cast<Rules>(one_of("--rules", arguments.rules, kRulesNames));
    options.poll = static_cast<Poll>(one_of("--poll", arguments.poll, kPollNames));
    if (one_of("--backend", arguments.backend, kBackends) != 0) {
        throw WrongInput("--backend processes is not there yet; this version has --backend threads");
    }
    return options;
}

}  // namespace

int stress(const StressArguments& arguments) {
    const StressOptions options = checked(arguments);
    const Grade required = arguments.require.empty() ? Grade::f : grade_from("--require", arguments.require);
    require_report_path("--json", arguments.json);
    const bench::Machine machine = bench::describe_machine();

    const StressOutcome outcome = run_stress(options, machine.cores);

    std::FILE* out = arguments.json == "-" ? stderr : stdout;
    fmt::print(out, "{}", format_stress(outcome, options, machine, Look::of(out)));
    write_report(arguments.json, stress_json(outcome, options, machine));
    const bool sound = outcome.lost() == 0 && outcome.failed == 0 && outcome.twice == 0;
    const Grade grade = burst_grade(outcome.figures(options), options.rules);
    return sound && grade >= required ? 0 : kFailed;
}

}  // namespace quarry::app
