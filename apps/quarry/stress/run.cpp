#include "stress/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "stress/burst.hpp"
#include "stress/process_backend.hpp"
#include "stress/refusal.hpp"
#include "stress/thread_backend.hpp"

namespace quarry::app {
namespace {

using std::chrono::nanoseconds;

constexpr double kLongestBurst = 1;  // seconds, when results are collected meanwhile
constexpr nanoseconds kPlainLoop = std::chrono::milliseconds(100);
// Results that are not collected before the end have to be kept somewhere: with this many the test takes some 100 MB.
constexpr std::size_t kMostKept = 1'000'000;

nanoseconds from_seconds(double seconds) {
    return nanoseconds(std::llround(seconds * 1e9));
}

double plain_loop_rate(JobKind kind) {
    using Clock = std::chrono::steady_clock;
    constexpr std::uint64_t kJobsBetweenLooks = 10;
    std::uint64_t jobs = 0;
    std::uint32_t answers = 0;
    const Clock::time_point start = Clock::now();
    nanoseconds passed{};
    while (passed < kPlainLoop) {
        for (std::uint64_t job = 0; job < kJobsBetweenLooks; ++job) answers += run_job(kind, jobs++);
        passed = Clock::now() - start;
    }
    asm volatile("" : : "r"(answers));
    return static_cast<double>(jobs) / std::chrono::duration<double>(passed).count();
}

int comparable_loops(const StressOptions& options, int cores) {
    if (options.job == JobKind::mixed) return 0;
    return options.job == JobKind::sleep ? options.workers : std::min(options.workers, cores);
}

std::unique_ptr<Backend> make_backend(const StressOptions& options, std::size_t results) {
    const auto queue = static_cast<std::size_t>(options.queue);
    if (options.backend == BackendKind::threads) {
        return std::make_unique<ThreadBackend>(options.workers, queue, results);
    }
    return std::make_unique<ProcessBackend>(options.workers, queue, results, options.faults);
}

}  // namespace

StressOutcome run_stress(const StressOptions& options, int cores, const RunControl& control) {
    // It offers to a pool of threads; what worker processes refuse is counted in the bursts.
    const RefusalFigures refusal = options.backend == BackendKind::threads ? offer_too_much(options) : RefusalFigures{};
    const bool at_once = options.poll == Poll::afterwards;
    const std::size_t results = at_once ? kMostKept : static_cast<std::size_t>(options.queue);
    const int bursts = at_once ? 1 : std::max(1, static_cast<int>(std::lround(options.duration / kLongestBurst)));
    StressOutcome outcome;
    outcome.refusal = refusal;
    outcome.plain.threads = comparable_loops(options, cores);
    const std::unique_ptr<Backend> backend = make_backend(options, results);
    Burst burst(*backend, options, results);
    burst.set_stop_token(control.stop_token);
    const double all_seconds = options.duration + std::chrono::duration<double>(kPlainLoop).count() * (bursts + 1);
    if (control.progress != nullptr) show_time(*control.progress, "stress", all_seconds);
    const CpuSupply supply;
    const auto measure_plain_loop = [&] {
        if (outcome.plain.threads != 0) outcome.plain.rates.push_back(plain_loop_rate(options.job));
    };
    measure_plain_loop();
    for (int each = 0; each < bursts && !control.stop_token.stop_requested(); ++each) {
        burst.run(from_seconds(options.duration / bursts), outcome);
        measure_plain_loop();
    }
    outcome.cut_short = control.stop_token.stop_requested();
    outcome.cpu = supply.shares();
    if (control.progress != nullptr) control.progress->end();
    outcome.workers_alive = backend->workers_alive();
    outcome.worker_jobs = backend->worker_jobs();
    if (const auto* processes = dynamic_cast<const ProcessBackend*>(backend.get())) {
        outcome.faults = processes->faults();
        outcome.restarts = processes->restarts();
    }
    std::uint64_t all = 0;
    for (const std::uint64_t jobs : outcome.worker_jobs) all += jobs;
    for (const std::uint64_t jobs : outcome.worker_jobs) {
        outcome.shares.push_back(all == 0 ? 0 : static_cast<double>(jobs) / static_cast<double>(all));
    }
    return outcome;
}

}  // namespace quarry::app
