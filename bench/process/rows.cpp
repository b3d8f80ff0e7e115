#include "process/rows.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <quarry/process/engine.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "jobs/measure.hpp"
#include "process/bare.hpp"

namespace quarry::bench {
namespace {

using namespace std::chrono_literals;
using process::Engine;
using process::EngineOptions;
using process::JobId;
using process::JobRequest;
using process::Result;

constexpr int kJobs = 1'000'000;
constexpr int kRounds = 20'000;
constexpr int kParkedRounds = 400;
constexpr std::uint32_t kLarge = 4 << 20;
constexpr int kLargeRounds = 60;

EngineOptions one_worker() {
    EngineOptions options;
    options.workers = 1;
    options.command = {"/proc/self/exe", "worker"};
    return options;
}

void warm(Engine& engine) {
    std::vector<Result> results;
    for (int i = 0; i < 5'000; ++i) {
        engine.submit("ping");
        results.clear();
        engine.poll_into(results);
    }
    engine.drain(std::chrono::steady_clock::now() + 10s);
    engine.poll();
}

template <class Submit>
double jobs_per_us(Submit submit) {
    Engine engine(one_worker());
    warm(engine);
    std::vector<Result> results;
    results.reserve(20'000);
    int sent = 0;
    int back = 0;
    const std::int64_t start = now_ns();
    while (back < kJobs) {
        sent += submit(engine, kJobs - sent);
        results.clear();
        back += static_cast<int>(engine.poll_into(results));
    }
    return static_cast<double>(kJobs) * 1e3 / static_cast<double>(now_ns() - start);
}

double many() {
    const std::vector<JobRequest> jobs(256, JobRequest{"ping"});
    return jobs_per_us([&](Engine& engine, int left) {
        const auto count = std::min<std::size_t>(jobs.size(), static_cast<std::size_t>(left));
        if (count == 0) return 0;
        return static_cast<int>(engine.submit_many(std::span(jobs).first(count)));
    });
}

double one_by_one() {
    return jobs_per_us([](Engine& engine, int left) {
        int sent = 0;
        while (sent < std::min(left, 32) && engine.submit("ping")) ++sent;
        return sent;
    });
}

double submit_cost() {
    Engine engine(one_worker());
    warm(engine);
    std::vector<Result> results;
    results.reserve(1'000);
    std::vector<double> times;
    for (int round = 0; round < 2'000; ++round) {
        constexpr int kBatch = 32;
        const std::int64_t start = now_ns();
        for (int i = 0; i < kBatch; ++i) engine.submit("ping");
        times.push_back(static_cast<double>(now_ns() - start) / kBatch);
        engine.drain(std::chrono::steady_clock::now() + 10s);
        results.clear();
        engine.poll_into(results);
    }
    std::nth_element(times.begin(), times.begin() + 1'000, times.end());
    return times[1'000];
}

double there_and_back(int rounds, bool parked) {
    Engine engine(one_worker());
    warm(engine);
    std::vector<Result> results;
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        if (parked) std::this_thread::sleep_for(1ms);
        const std::int64_t start = now_ns();
        const JobId id = engine.submit("ping").id;
        if (parked) engine.wait(std::span(&id, 1), std::chrono::steady_clock::now() + 10s);
        do {
            results.clear();
        } while (engine.poll_into(results) == 0);
        times.push_back(static_cast<double>(now_ns() - start) / 1e3);
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[static_cast<std::size_t>(rounds) / 2];
}

double large_result() {
    Engine engine(one_worker());
    warm(engine);
    std::vector<double> times;
    for (int i = 0; i < kLargeRounds; ++i) {
        const std::int64_t start = now_ns();
        engine.submit("bench_copy", std::as_bytes(std::span(&kLarge, 1)));
        std::vector<Result> results;
        while (engine.poll_into(results) == 0) {
        }
        times.push_back(static_cast<double>(now_ns() - start) / 1e3);
        if (results[0].payload.size() != kLarge) throw std::runtime_error("a large result is not whole");
    }
    std::nth_element(times.begin(), times.begin() + kLargeRounds / 2, times.end());
    return times[kLargeRounds / 2];
}

double replaced(int spares) {
    EngineOptions options = one_worker();
    options.spares = spares;
    std::vector<double> times;
    Engine engine(options);
    constexpr int kDeaths = 9;
    for (int i = 0; i < kDeaths; ++i) {
        warm(engine);
        std::this_thread::sleep_for(spares == 0 ? 20ms : 150ms);
        const int victim = engine.health().workers[0].process;
        const std::int64_t start = now_ns();
        kill(victim, SIGKILL);
        // Until the death is noticed a job may go to the dead one; it has not started there, so it is run again.
        const JobId id = engine.submit("ping").id;
        engine.wait(std::span(&id, 1), std::chrono::steady_clock::now() + 10s);
        times.push_back(static_cast<double>(now_ns() - start) / 1e6);
        engine.poll();
    }
    std::nth_element(times.begin(), times.begin() + kDeaths / 2, times.end());
    return times[kDeaths / 2];
}

// From the process's own clock: /proc counts in ticks of 10 ms, and one of them would be more than the aim.
double cpu_seconds_of(int process) {
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

double own_cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Host and two workers together, in percent of one core.
double idle() {
    EngineOptions options = one_worker();
    options.workers = 2;
    Engine engine(options);
    warm(engine);
    std::this_thread::sleep_for(100ms);
    const auto all = [&] {
        double seconds = own_cpu_seconds();
        for (const auto& worker : engine.health().workers) seconds += cpu_seconds_of(worker.process);
        return seconds;
    };
    constexpr double kSeconds = 4;
    const double before = all();
    std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
    return (all() - before) / kSeconds * 100;
}

double bare_idle() {
    const double before = own_cpu_seconds();
    std::this_thread::sleep_for(1s);
    return (own_cpu_seconds() - before) * 100;
}

constexpr std::array kRows{
    ProcessRow{"many", "M/s", true, 3, false, "empty jobs by submit_many, 1 worker; bare: plain rings", many,
               [] { return bare_rings(kJobs); }},
    ProcessRow{"one_by_one", "M/s", true, 1.5, false, "empty jobs by submit; bare: plain rings", one_by_one,
               [] { return bare_rings(kJobs); }},
    ProcessRow{"submit", "ns", false, 200, false, "one call of submit", submit_cost, nullptr},
    ProcessRow{"hot", "us", false, 2, false, "there and back, the worker awake; bare: two processes that spin",
               [] { return there_and_back(kRounds, false); }, [] { return bare_there_and_back(kRounds, false); }},
    ProcessRow{"parked", "us", false, 1.3, true, "there and back, both asleep; bare: a futex pair between processes",
               [] { return there_and_back(kParkedRounds, true); },
               [] { return bare_there_and_back(kParkedRounds, true); }},
    ProcessRow{"large", "us", false, 1.2, true, "a result of 4 MiB; bare: one memcpy", large_result,
               [] { return bare_copy(kLarge, kLargeRounds); }},
    ProcessRow{"replaced", "ms", false, 30, false,
               "from a worker's death to the end of the next job; bare: the program's start",
               [] { return replaced(0); }, [] { return bare_start(9); }},
    ProcessRow{"spare", "ms", false, 30, false, "the same with a spare worker", [] { return replaced(1); }, nullptr},
    ProcessRow{"idle", "%", false, 0.1, false, "CPU of host and two workers without work", idle, bare_idle},
};

}  // namespace

std::span<const ProcessRow> process_rows() {
    return kRows;
}

}  // namespace quarry::bench
