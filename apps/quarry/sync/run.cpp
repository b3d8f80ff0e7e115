#include "sync/run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sync/ideal_host.hpp"
#include "sync/process_host.hpp"
#include "sync/thread_host.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {
namespace {

LoopOptions loop_options(const SyncOptions& options) {
    LoopOptions loop;
    loop.hertz = options.hertz;
    loop.render = std::chrono::nanoseconds(std::llround(options.render_ms * 1e6));
    return loop;
}

double accuracy_of(const CpuWork& work) {
    constexpr auto kLength = std::chrono::milliseconds(3);
    const std::chrono::nanoseconds start = thread_cpu_time();
    work.run(kLength);
    return std::chrono::duration<double>(thread_cpu_time() - start) / std::chrono::duration<double>(kLength);
}

std::unique_ptr<SyncHost> make_host(const CpuWork& work, const SyncOptions& options) {
    if (options.processes) return std::make_unique<ProcessHost>(work, options.workers, options.faults);
    return std::make_unique<ThreadHost>(work, ThreadHostOptions{.workers = options.workers});
}

}  // namespace

Grade SyncOutcome::worst() const {
    Grade grade = Grade::a;
    for (const ScenarioOutcome& each : scenarios) grade = std::min(grade, each.real.grade());
    return grade;
}

bool SyncOutcome::complete() const {
    return std::all_of(scenarios.begin(), scenarios.end(),
                       [](const ScenarioOutcome& each) { return each.real.figures().complete; });
}

Playback play_ideal(const Scenario& scenario, const SyncOptions& options, int cores) {
    IdealHost host(cores, options.workers);
    return play(make_load(scenario, options.seed), loop_options(options), host);
}

SyncOutcome run_sync(const SyncOptions& options, int cores) {
    const CpuWork work = CpuWork::calibrate();
    SyncOutcome outcome;
    for (const Scenario& scenario : options.scenarios) {
        const std::unique_ptr<SyncHost> host = make_host(work, options);
        Playback real = play(make_load(scenario, options.seed), loop_options(options), *host);
        outcome.scenarios.push_back({scenario, std::move(real), play_ideal(scenario, options, cores)});
    }
    outcome.work_accuracy = accuracy_of(work);
    return outcome;
}

}  // namespace quarry::app
