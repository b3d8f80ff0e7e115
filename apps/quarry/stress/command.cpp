#include "command.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <quarry/jobs/pool.hpp>

#include "harness/machine.hpp"
#include "stress/names.hpp"
#include "stress/report.hpp"
#include "stress/run.hpp"
#include "tools/input.hpp"
#include "tools/interrupt.hpp"
#include "tools/progress.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

constexpr int kMostProcesses = 256;

struct StressArguments {
    StressOptions options;
    Grade required = Grade::f;
    std::string json;
};

void declare_stress(Options& options, StressArguments& arguments) {
    StressOptions& stress = arguments.options;
    options.real("--duration", stress.duration, {0.1, 3600}, "SECONDS", "How long jobs are submitted (default: 5)");
    options.whole("--workers", stress.workers, {1, Pool::kMostWorkers}, "N",
                  "Worker threads or processes (default: 4)");
    options.whole("--queue", stress.queue, {1, static_cast<int>(Pool::kMostQueueCapacity)}, "N",
                  "Jobs that may wait (default: 10000)");
    options.choice("--job", stress.job, kJobNames, "KIND", "compute_heavy (default), sleep or mixed");
    options.choice("--rules", stress.rules, kRulesNames, "RULES", "How latency is graded: strict (default) or lenient");
    options.choice("--poll", stress.poll, kPollNames, "WHEN",
                   "Collect results while jobs are submitted (default), or after");
    options.choice("--backend", stress.backend, kBackendNames, "BACKEND",
                   "What runs the jobs: threads (default) or processes");
    options.option(
        "--faults", [&stress](const std::string& typed) { stress.faults.kinds = faults_from(typed); }, "KIND,...",
        "Break worker processes during the run: kill, stop, oom, garbage");
    options.real("--rate", stress.faults.rate, {0.1, 100}, "N", "Faults per second (default: 1)");
    options.grade("--require", arguments.required, "Exit status 1 below this grade: A, B, C or F");
    options.json(arguments.json);
}

int stress(const StressArguments& arguments) {
    const StressOptions& options = arguments.options;
    if (options.faults.any() && options.backend != BackendKind::processes) {
        throw WrongInput("--faults needs --backend processes: a thread cannot be broken without its process");
    }
    if (options.backend == BackendKind::processes && options.workers > kMostProcesses) {
        throw WrongInput("--workers must be 1 to 256 with --backend processes");
    }
    ReportFile report("--json", arguments.json);
    const bench::Machine machine = bench::describe_machine();

    const Interrupt interrupt;
    Progress progress;
    const StressOutcome outcome = run_stress(options, machine.cores, {&progress, interrupt.stop_token()});

    std::FILE* out = report.for_people();
    fmt::print(out, "{}", format_stress(outcome, options, machine, Look::of(out)));
    report.write(stress_json(outcome, options, machine));
    if (outcome.cut_short) return status_of_signal(interrupt.signal());
    const Grade grade = burst_grade(outcome.figures(options), options.rules);
    if (outcome.is_sound() && grade >= arguments.required) return 0;
    return outcome.is_sound() && outcome.cpu.is_short() ? kNotJudged : kFailed;
}

}  // namespace

template <>
Command command<struct StressCommand>() {
    return make_command("stress", "The burst test: submit jobs as fast as the queue takes them, and grade the result",
                        declare_stress, stress);
}

}  // namespace quarry::app
