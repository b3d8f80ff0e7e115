#include "sync/soak.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "sync/bare_host.hpp"
#include "sync/process_host.hpp"
#include "sync/random_numbers.hpp"
#include "sync/scenario.hpp"
#include "sync/thread_host.hpp"

namespace quarry::app {
namespace {

using std::chrono::nanoseconds;

constexpr int kJobs = 4;  // each frame
constexpr int kBurstJobs = 100;
constexpr std::size_t kSlots = 64;
constexpr auto kStall = std::chrono::milliseconds(100);
constexpr double kPatience = 30;     // seconds
constexpr double kBareSeconds = 15;  // of the bare loop, at most
// Beyond what the bare loop has, as a share of all frames or results: the two do not run at the same time.
constexpr double kMoreThanBare = 0.01;

// A microsecond to a millisecond, each power of ten as often as the other.
nanoseconds apply_cost(std::uint64_t id) {
    RandomNumbers numbers(id);
    return from_ms(std::pow(10, -3 * numbers.next()));
}

// Says so, and ends the process, unless it is destroyed in time: a thread that waits for ever cannot report it.
class Watchdog {
  public:
    explicit Watchdog(double seconds)
        : thread_([this, seconds] {
              std::unique_lock lock(mutex_);
              if (over_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; })) return;
              fmt::print(stderr, "quarry: the soak has not ended after {:.0f} s: the loop is stuck\n", seconds);
              std::_Exit(1);
          }) {}
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog() {
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        over_.notify_one();
        thread_.join();
    }

  private:
    std::mutex mutex_;
    std::condition_variable over_;
    bool done_ = false;
    std::thread thread_;
};

}  // namespace

std::vector<FrameLoad> make_soak_load(const SoakOptions& options) {
    RandomNumbers numbers(options.seed);
    const auto each_second = static_cast<std::size_t>(options.hertz);
    std::vector<FrameLoad> load(static_cast<std::size_t>(std::ceil(options.seconds * options.hertz)));
    for (std::size_t frame = 0; frame < load.size(); ++frame) {
        for (int job = 0; job < kJobs; ++job) load[frame].jobs.push_back(from_ms(0.2 + 1.8 * numbers.next()));
        if (frame % each_second == each_second / 4) {
            for (int job = 0; job < kBurstJobs; ++job) load[frame].jobs.push_back(from_ms(0.1 + 0.9 * numbers.next()));
        }
        // Just before the burst at times, long after it at others.
        if (frame % each_second == each_second * 3 / 4 - frame / each_second % 2 * (each_second / 2)) {
            load[frame].stall = kStall;
        }
    }
    return load;
}

SoakOutcome run_soak(const SoakOptions& options, const RunControl& control) {
    const Watchdog watchdog((options.seconds + kBareSeconds) * 2 + 2 * kPatience);
    const std::vector<FrameLoad> load = make_soak_load(options);
    SoakOptions shorter = options;
    shorter.seconds = std::min(kBareSeconds, options.seconds);
    const std::vector<FrameLoad> bare_load = make_soak_load(shorter);
    std::atomic<std::uint64_t> steps{0};
    if (control.progress != nullptr) {
        const std::uint64_t all = load.size() + bare_load.size();
        control.progress->begin("soak", "frames", [&steps, all] { return ProgressCount{steps, all}; });
    }
    LoopOptions loop;
    loop.hertz = options.hertz;
    loop.render = from_ms(options.render_ms);
    loop.delivery_part = 4;
    loop.patience = from_ms(kPatience * 1e3);
    loop.stop_token = control.stop_token;
    loop.steps = &steps;
    const CpuWork work = CpuWork::calibrate();
    const CpuSupply supply;
    SoakOutcome outcome;
    for (const FrameLoad& frame : load) outcome.stalls += frame.stall > nanoseconds::zero() ? 1 : 0;
    {
        BareHost host(
            work,
            {.workers = options.workers, .slots = kSlots, .apply_cost = apply_cost, .stop_token = control.stop_token});
        outcome.bare = play(bare_load, loop, host);
    }
    const auto start = std::chrono::steady_clock::now();
    if (options.processes) {
        ProcessHost host(
            work, {.workers = options.workers, .faults = options.faults, .slots = kSlots, .apply_cost = apply_cost});
        outcome.playback = play(load, loop, host);
        outcome.deliveries = host.deliveries();
        outcome.faults = host.faults();
    } else {
        ThreadHost host(
            work,
            {.workers = options.workers, .slots = kSlots, .apply_cost = apply_cost, .stop_token = control.stop_token});
        outcome.playback = play(load, loop, host);
        outcome.deliveries = host.deliveries();
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.cpu = supply.shares();
    if (control.progress != nullptr) control.progress->end();
    return outcome;
}

std::vector<std::string> SoakOutcome::failures() const {
    std::vector<std::string> failures;
    if (const auto lost = playback.stats.outstanding(); lost != 0) {
        failures.push_back(fmt::format("{} of {} jobs were lost", lost, playback.stats.submitted));
    }
    if (playback.twice != 0) failures.push_back(fmt::format("{} results came twice", playback.twice));
    if (deliveries.over != 0) {
        failures.push_back(fmt::format("{} of {} deliveries went over their budget by more than one item, by up to {}",
                                       deliveries.over, deliveries.deliveries,
                                       duration_text(static_cast<double>(deliveries.worst_excess.count()))));
    }
    return failures;
}

std::vector<std::string> SoakOutcome::dropped_frames() const {
    const FrameLedgerStats& own = playback.stats;
    const FrameLedgerStats& other = bare.stats;
    std::vector<std::string> dropped;
    if (faults != 0) return dropped;
    const auto compare = [&](const char* what, std::uint64_t count, std::uint64_t of, std::uint64_t bare_count,
                             std::uint64_t bare_of) {
        if (of == 0 || bare_of == 0) return;
        const double bare_share = static_cast<double>(bare_count) / static_cast<double>(bare_of);
        // Few frames say little: three times what chance alone makes of the expected number is no difference.
        const double expected = bare_share * static_cast<double>(of);
        const double allowed =
            expected + kMoreThanBare * static_cast<double>(of) + 3 * std::sqrt(std::max(1.0, expected));
        if (static_cast<double>(count) <= allowed) return;
        dropped.push_back(fmt::format("{} of {} {}; with bare threads {} of {}", count, of, what, bare_count, bare_of));
    };
    compare("frames were late", own.missed_frames, own.frames, other.missed_frames, other.frames);
    compare("results were stale", own.stale, own.returned, other.stale, other.returned);
    return dropped;
}

SoakVerdict SoakOutcome::verdict() const {
    if (!failures().empty()) return SoakVerdict::fails;
    if (cpu.is_short() || playback.cut_short || bare.cut_short) return SoakVerdict::not_judged;
    return dropped_frames().empty() ? SoakVerdict::holds : SoakVerdict::fails;
}

}  // namespace quarry::app
