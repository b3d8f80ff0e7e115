#include "command.hpp"

#include <array>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>
#include <quarry/jobs/pool.hpp>

#include "harness/machine.hpp"
#include "stress/names.hpp"
#include "stress/report.hpp"
#include "stress/run.hpp"
#include "tools/input.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

enum class StressBackend { threads, processes };
constexpr std::array<std::string_view, 2> kBackends{"threads", "processes"};

struct StressArguments {
    StressOptions options;
    StressBackend backend = StressBackend::threads;
    Grade required = Grade::f;
    std::string json;
};

void declare_stress(Options& options, StressArguments& arguments) {
    StressOptions& stress = arguments.options;
    options.real("--duration", stress.duration, {0.1, 3600}, "SECONDS", "How long jobs are submitted (default: 5)");
    options.whole("--workers", stress.workers, {1, Pool::kMostWorkers}, "N", "Worker threads (default: 4)");
    options.whole("--queue", stress.queue, {1, static_cast<int>(Pool::kMostQueueCapacity)}, "N",
                  "Jobs that may wait (default: 10000)");
    options.choice("--job", stress.job, kJobNames, "KIND", "compute_heavy (default), sleep or mixed");
    options.choice("--rules", stress.rules, kRulesNames, "RULES", "How latency is graded: strict (default) or lenient");
    options.choice("--poll", stress.poll, kPollNames, "WHEN",
                   "Collect results while jobs are submitted (default), or after");
    options.choice("--backend", arguments.backend, kBackends, "BACKEND", "What runs the jobs: threads");
    options.grade("--require", arguments.required, "End with status 1 below this grade: A, B, C or F");
    options.json(arguments.json);
}

int stress(const StressArguments& arguments) {
    const StressOptions& options = arguments.options;
    if (arguments.backend != StressBackend::threads) {
        throw WrongInput("--backend processes is not there yet; this version has --backend threads");
    }
    require_report_path("--json", arguments.json);
    const bench::Machine machine = bench::describe_machine();

    const StressOutcome outcome = run_stress(options, machine.cores);

    std::FILE* out = arguments.json == "-" ? stderr : stdout;
    fmt::print(out, "{}", format_stress(outcome, options, machine, Look::of(out)));
    write_report(arguments.json, stress_json(outcome, options, machine));
    const bool sound = outcome.lost() == 0 && outcome.failed == 0 && outcome.twice == 0;
    const Grade grade = burst_grade(outcome.figures(options), options.rules);
    return sound && grade >= arguments.required ? 0 : kFailed;
}

}  // namespace

template <>
Command command<struct StressCommand>() {
    return make_command("stress", "The burst test: submit as fast as the queue takes jobs, and grade", declare_stress,
                        stress);
}

}  // namespace quarry::app
