#pragma once

#include <cstdint>

#include "jobs/rows/context.hpp"
#include "jobs/rows/fork.hpp"
#include "jobs/rows/loops.hpp"

// Rows that look at CPU time as a host with frames sees it: work in bursts, pauses between them, nothing to do.
namespace quarry::bench {

// A series of bursts of jobs with serial stretches between them, then a pause.
struct FrameLoad {
    int bursts;
    int jobs;
    std::uint64_t (*job_us)(int job);
    std::uint64_t serial_us;

    // CPU time of the whole load in one thread, without any engine.
    std::int64_t serial_cpu_ns() const;
};

const FrameLoad& tick_load();     // 12 bursts of 32 jobs of 1 to 5 us, 200 us of serial work after each
const FrameLoad& burst60_load();  // one burst of 200 jobs of 10 us

inline void work_us(std::uint64_t microseconds) {
    std::uint64_t value = chain(microseconds * chain_steps_per_us(), microseconds);
    keep(value);
}

template <class E>
void run_frame(E& engine, const FrameLoad& load) {
    for (int burst = 0; burst < load.bursts; ++burst) {
        engine.batch(load.jobs, [&load](int job) { work_us(load.job_us(job)); });
        if (load.serial_us != 0) work_us(load.serial_us);
    }
}

struct FrameCost {
    double cpu_over_work;
    double seconds_per_frame;  // without the pause
};

// The work itself is measured before and after, so that a change of the clock rate meets both alike.
template <class E, class Pause>
FrameCost measure_frames(E& engine, const FrameLoad& load, int frames, Pause pause) {
    run_frame(engine, load);
    const std::int64_t work_before = load.serial_cpu_ns();
    std::int64_t busy = 0;
    pause(0);
    const std::int64_t cpu_start = process_cpu_ns();
    for (int frame = 0; frame < frames; ++frame) {
        const std::int64_t start = now_ns();
        run_frame(engine, load);
        busy += now_ns() - start;
        pause(frame + 1);
    }
    const std::int64_t cpu = process_cpu_ns() - cpu_start;
    const auto work = static_cast<double>(work_before + load.serial_cpu_ns()) / 2 * frames;
    return {static_cast<double>(cpu) / work, static_cast<double>(busy) / 1e9 / frames};
}

template <class E>
void run_tick(E& engine, RowContext& context) {
    engine.attach([&] {
        const FrameCost cost =
            measure_frames(engine, tick_load(), context.quick ? 15 : 40, [](int) { sleep_ns(3'000'000); });
        context.add("tick", cost.cpu_over_work);
        context.answer.add("tick_time", "ms", cost.seconds_per_frame * 1e3);
    });
}

template <class E>
void run_burst60(E& engine, RowContext& context) {
    engine.attach([&] {
        std::int64_t start = 0;
        const auto pause = [&start](int frame) {
            if (frame == 0) start = now_ns();
            sleep_until_ns(start + (frame + 1) * 16'666'667LL);
        };
        const FrameCost cost = measure_frames(engine, burst60_load(), context.quick ? 30 : 60, pause);
        context.add("burst60", cost.cpu_over_work);
        context.answer.add("burst60_time", "us", cost.seconds_per_frame * 1e6);
    });
}

// Threads that have worked, and have nothing to do for 10 s.
template <class E>
void run_idle(E& engine, RowContext& context) {
    engine.attach([&] { engine.batch(64, [](int) { work_us(10); }); });
    const std::int64_t duration = context.quick ? 2'000'000'000 : 10'000'000'000;
    sleep_ns(200'000'000);
    const std::int64_t cpu_start = process_cpu_ns();
    const std::int64_t start = now_ns();
    sleep_ns(duration);
    const auto cpu = static_cast<double>(process_cpu_ns() - cpu_start);
    context.add("idle", 100.0 * cpu / static_cast<double>(now_ns() - start));
}

}  // namespace quarry::bench
