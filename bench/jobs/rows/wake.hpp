#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/prctl.h>

#include "jobs/rows/context.hpp"

namespace quarry::bench {

// Time from hand-over to the job's first instruction, on a worker that has had nothing to do for a while.
struct WakeProbe {
    std::atomic<std::int64_t> started{0};
    std::atomic<bool> done{false};

    void start() {
        started.store(now_ns(), std::memory_order_relaxed);
        done.store(true, std::memory_order_release);
    }
};

// What a series of hand-overs showed.
struct WakeSeries {
    std::vector<double> delays_us;
    double cpu_us = 0;  // CPU time of the process per hand-over, the waker's own part included
    int lost = 0;       // jobs that did not start until another one was handed over behind them
};

inline constexpr std::int64_t kNudgeAfterNs = 100'000'000;
inline constexpr std::int64_t kGiveUpAfterNs = 5'000'000'000;

// A waker that "just slept" sleeps before the hand-over and at once after it, so its processor is free for the
// worker; a busy one computes all the time.
template <class E>
WakeSeries wake_series(E& engine, std::int64_t quiet_ns, bool busy, int count) {
    static WakeProbe probe;  // a job that was given up may still come
    WakeSeries series;
    const auto pass_quiet = [&] {
        const std::int64_t until = now_ns() + quiet_ns;
        busy ? spin_until_ns(until) : sleep_until_ns(until);
    };
    pass_quiet();
    const std::int64_t cpu_start = process_cpu_ns();
    for (int sample = 0; sample < count; ++sample) {
        probe.done.store(false, std::memory_order_relaxed);
        const std::int64_t handed = now_ns();
        engine.hand_over([] { probe.start(); });
        std::int64_t nudge_at = handed + kNudgeAfterNs;
        for (pass_quiet(); !probe.done.load(std::memory_order_acquire); pass_quiet()) {
            if (now_ns() > handed + kGiveUpAfterNs) throw std::runtime_error("a job handed over never started");
            if (now_ns() < nudge_at) continue;
            if (nudge_at == handed + kNudgeAfterNs) ++series.lost;
            nudge_at += kNudgeAfterNs;
            engine.hand_over([] {});
        }
        series.delays_us.push_back(static_cast<double>(probe.started.load(std::memory_order_relaxed) - handed) / 1e3);
    }
    series.cpu_us = static_cast<double>(process_cpu_ns() - cpu_start) / 1e3 / count;
    return series;
}

template <class E>
void run_wake(E& engine, RowContext& context) {
    struct Quiet {
        const char* name;
        std::int64_t ns;
        int count;
        int quick_count;
    };
    constexpr std::array<Quiet, 3> kQuiet{
        {{"50us", 50'000, 1'000, 300}, {"1ms", 1'000'000, 200, 60}, {"16ms", 16'000'000, 60, 12}}};
    // Sleeps of 50 us need a timer that is not rounded up by another 50.
    const auto slack = static_cast<unsigned long>(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
    prctl(PR_SET_TIMERSLACK, 1ul, 0, 0, 0);
    wake_series(engine, 50'000, false, 20);
    int lost = 0;
    for (const Quiet& quiet : kQuiet) {
        for (const bool busy : {false, true}) {
            const std::string name = std::string("wake_") + quiet.name + (busy ? "_busy" : "_slept");
            const int count = context.quick ? quiet.quick_count : quiet.count;
            const WakeSeries series = wake_series(engine, quiet.ns, busy, count);
            context.add_samples(name, series.delays_us);
            if (!busy) context.add(name + "_cpu", series.cpu_us);
            lost += series.lost;
        }
    }
    context.answer.add("wake_lost", "jobs", lost);
    prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0);
}

}  // namespace quarry::bench
