#include "jobs/measure.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace quarry::bench {

void sleep_until_ns(std::int64_t deadline) {
    timespec time{};
    time.tv_sec = static_cast<time_t>(deadline / 1'000'000'000);
    time.tv_nsec = static_cast<long>(deadline % 1'000'000'000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) != 0) {
    }
}

void sleep_ns(std::int64_t duration) {
    sleep_until_ns(now_ns() + duration);
}

void spin_until_ns(std::int64_t deadline) {
    while (now_ns() < deadline) {
    }
}

[[gnu::noinline]] std::uint64_t chain(std::uint64_t steps, std::uint64_t start) {
    std::uint64_t value = start;
    for (std::uint64_t step = 0; step < steps; ++step) {
        value = value * 6364136223846793005ULL + 1442695040888963407ULL;
        asm volatile("" : "+r"(value));
    }
    return value;
}

namespace {

std::uint64_t measure_chain() {
    constexpr std::uint64_t kSteps = 200'000;
    std::int64_t best = INT64_MAX;
    for (int attempt = 0; attempt < 15; ++attempt) {
        const std::int64_t start = thread_cpu_ns();
        std::uint64_t value = chain(kSteps, static_cast<std::uint64_t>(attempt));
        keep(value);
        best = std::min(best, thread_cpu_ns() - start);
    }
    return std::max<std::uint64_t>(1, kSteps * 1000 / static_cast<std::uint64_t>(std::max<std::int64_t>(1, best)));
}

}  // namespace

std::uint64_t chain_steps_per_us() {
    static const std::uint64_t steps = measure_chain();
    return steps;
}

void reset_peak_memory() {
    if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w")) {
        std::fputs("5", file);
        std::fclose(file);
    }
}

namespace {

// A line of the process's status that is in KiB, as MiB.
double status_mib(const char* key) {
    double mib = 0;
    if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
        char line[256];
        const std::size_t length = std::strlen(key);
        while (std::fgets(line, sizeof line, file) != nullptr) {
            if (std::strncmp(line, key, length) == 0) mib = std::strtod(line + length, nullptr) / 1024.0;
        }
        std::fclose(file);
    }
    return mib;
}

}  // namespace

double peak_memory_mib() {
    return status_mib("VmHWM:");
}

double resident_mib() {
    return status_mib("VmRSS:");
}

double allocated_mib() {
    return status_mib("VmData:");
}

double units_in_a_second(std::string_view unit) {
    if (unit == "ns") return 1e9;
    if (unit == "us") return 1e6;
    if (unit == "ms") return 1e3;
    if (unit == "s") return 1;
    throw std::logic_error("a time has the unit ns, us, ms or s, not '" + std::string(unit) + "'");
}

}  // namespace quarry::bench
