#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Clocks, counters and the yardstick of work that every row of the benchmark shares.
namespace quarry::bench {

inline std::int64_t clock_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

inline std::int64_t now_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}
inline std::int64_t process_cpu_ns() {
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}
inline std::int64_t thread_cpu_ns() {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void sleep_ns(std::int64_t duration);
void sleep_until_ns(std::int64_t deadline);  // on the clock of now_ns()
void spin_until_ns(std::int64_t deadline);

// Between two looks of a thread that polls.
inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// The compiler must assume that the value is used, and that it may have changed.
template <class T>
inline void keep(T& value) {
    asm volatile("" : "+r"(value) : : "memory");
}

// The compiler must take the value as computed here: no call that yields it can be folded into a loop or into its
// caller. Costs no instruction.
template <class T>
inline void pin(T& value) {
    asm volatile("" : "+r"(value));
}

// A chain of dependent multiplications: the time of one step is the processor's latency, the same in every
// engine, and no compiler can shorten it.
std::uint64_t chain(std::uint64_t steps, std::uint64_t start);
// Steps of chain() that take a microsecond on this machine, measured once a process.
std::uint64_t chain_steps_per_us();

// Resident memory at its highest since the last reset, in MiB. A system that does not let the mark be reset
// reports the highest since the start of the process.
void reset_peak_memory();
double peak_memory_mib();
// Resident memory now.
double resident_mib();
// Memory that the process has mapped for itself to write to, touched or not.
double allocated_mib();

// Time of one call of f, from as many calls as fill min_seconds.
template <class F>
double seconds_per_call(double min_seconds, F&& f) {
    const std::int64_t start = now_ns();
    const auto enough = static_cast<std::int64_t>(min_seconds * 1e9);
    std::int64_t elapsed = 0;
    std::int64_t calls = 0;
    do {
        f();
        ++calls;
        elapsed = now_ns() - start;
    } while (elapsed < enough);
    return static_cast<double>(elapsed) / 1e9 / static_cast<double>(calls);
}

// Throws for what is no unit of time.
double units_in_a_second(std::string_view unit);

// What one measurement of a row yields: single values, and samples whose percentiles the harness takes over all
// repetitions.
struct Answer {
    struct Value {
        std::string name;
        std::string unit;
        double value;
    };
    struct Samples {
        std::string name;
        std::string unit;
        std::vector<double> values;
    };
    std::vector<Value> values;
    std::vector<Samples> samples;

    void add(std::string name, std::string unit, double value) {
        values.push_back({std::move(name), std::move(unit), value});
    }
};

}  // namespace quarry::bench
