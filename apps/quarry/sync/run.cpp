#include "sync/run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <stop_token>
#include <utility>

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

std::unique_ptr<SyncHost> make_host(const CpuWork& work, const SyncOptions& options, std::stop_token stop_token) {
    if (options.processes) {
        return std::make_unique<ProcessHost>(work,
                                             ProcessHostOptions{.workers = options.workers, .faults = options.faults});
    }
    ThreadHostOptions threads{.workers = options.workers};
    threads.stop_token = std::move(stop_token);
    return std::make_unique<ThreadHost>(work, std::move(threads));
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

SyncOutcome run_sync(const SyncOptions& options, int cores, const RunControl& control) {
    const CpuWork work = CpuWork::calibrate();
    SyncOutcome outcome;
    std::atomic<std::uint64_t> steps{0};
    if (control.progress != nullptr) {
        std::uint64_t all = 0;
        for (const Scenario& scenario : options.scenarios) all += static_cast<std::uint64_t>(scenario.frames);
        control.progress->begin("sync", "frames", [&steps, all] { return ProgressCount{steps, all}; });
    }
    LoopOptions loop = loop_options(options);
    loop.stop_token = control.stop_token;
    loop.steps = &steps;
    for (const Scenario& scenario : options.scenarios) {
        if (control.stop_token.stop_requested()) break;
        const CpuSupply supply;
        const std::unique_ptr<SyncHost> host = make_host(work, options, control.stop_token);
        Playback real = play(make_load(scenario, options.seed), loop, *host);
        outcome.scenarios.push_back({scenario, std::move(real), play_ideal(scenario, options, cores), supply.shares()});
    }
    if (control.progress != nullptr) control.progress->end();
    outcome.cut_short = control.stop_token.stop_requested();
    outcome.work_accuracy = accuracy_of(work);
    return outcome;
}

}  // namespace quarry::app
