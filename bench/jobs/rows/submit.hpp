#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/rows/context.hpp"
#include "jobs/rows/fork.hpp"

// Rows of jobs that a thread outside the pool hands over one by one.
namespace quarry::bench {

// Counts the jobs that ran, in a line of its own for each thread, so that the count costs a job about a nanosecond and
// the threads do not meet in it.
class RunCount {
  public:
    void add() {
        std::atomic<std::uint64_t>& mine = lines_[line_of_this_thread()].count;
        mine.store(mine.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const Line& line : lines_) sum += line.count.load(std::memory_order_acquire);
        return sum;
    }

  private:
    static constexpr std::size_t kLines = 256;  // threads that ever run a job of these rows, in one process
    struct alignas(128) Line {
        std::atomic<std::uint64_t> count{0};
    };

    static std::size_t line_of_this_thread() {
        static std::atomic<std::size_t> next{0};
        thread_local const std::size_t line = next.fetch_add(1, std::memory_order_relaxed);
        if (line >= kLines) throw std::runtime_error("more threads than RunCount has lines");
        return line;
    }

    std::array<Line, kLines> lines_;
};

inline constexpr int kFloodJobs = 200'000;
inline constexpr std::int64_t kFloodPatienceNs = 20'000'000'000;

// From the first hand-over until all jobs have run. E::flood may return before that.
template <class E>
void flood_once(E& engine) {
    static RunCount count;
    const std::uint64_t wanted = count.total() + kFloodJobs;
    engine.flood(kFloodJobs, [] { count.add(); });
    const std::int64_t give_up = now_ns() + kFloodPatienceNs;
    while (count.total() < wanted) {
        if (now_ns() > give_up) throw std::runtime_error("not all jobs of a flood have run");
        std::this_thread::yield();
    }
    require(count.total() == wanted, "flood");
}

template <class E>
void run_flood(E& engine, RowContext& context) {
    engine.outside([&] {
        const double seconds = seconds_per_call(context.min_seconds(), [&] { flood_once(engine); });
        context.add_time("flood", seconds / kFloodJobs);
    });
}

// One after the other without a pause, so that the threads of the pool are awake. Two readings of the clock are
// part of a sample.
template <class Trip>
std::vector<double> trips_ns(int count, Trip trip) {
    for (int warm = 0; warm < count / 10; ++warm) trip(warm);
    std::vector<double> samples(static_cast<std::size_t>(count));
    for (int sample = 0; sample < count; ++sample) {
        const std::int64_t start = now_ns();
        const int answer = trip(sample);
        samples[static_cast<std::size_t>(sample)] = static_cast<double>(now_ns() - start);
        require(answer == sample + 1, "a job there and back");
    }
    return samples;
}

template <class E>
void run_submit_wait(E& engine, RowContext& context) {
    const int count = context.quick ? 1'000 : 5'000;
    engine.outside([&] {
        const auto job_of = [](int input) { return [input] { return input + 1; }; };
        // The engine's way to wait for a result; it may run the job in the caller.
        context.add_samples("submit_wait",
                            trips_ns(count, [&](int input) { return engine.submit_wait(job_of(input)); }));
        // The caller only looks whether the result is there, so another thread runs the job.
        context.add_samples("submit_ready",
                            trips_ns(count, [&](int input) { return engine.submit_ready(job_of(input)); }));
    });
}

// For engines whose hand-over has no handle: the result behind a flag that the caller polls.
template <class HandOver, class F>
int poll_for(HandOver hand_over, F job) {
    std::atomic<bool> done{false};
    int result = 0;
    hand_over([&done, &result, job] {
        result = job();
        done.store(true, std::memory_order_release);
    });
    while (!done.load(std::memory_order_acquire)) relax();
    return result;
}

}  // namespace quarry::bench
