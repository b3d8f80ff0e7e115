#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

// What several tests of the core need: clocks, and a look at the process from outside.
namespace quarry::test_support {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif
#if defined(__OPTIMIZE__)
inline constexpr bool kFullSpeed = !kSanitized;
#else
inline constexpr bool kFullSpeed = false;
#endif

// Sanitizers slow everything down by an order of magnitude: the same test with less of it.
constexpr std::size_t scaled(std::size_t count, std::size_t divisor = 10) {
    return kSanitized ? std::max<std::size_t>(1, count / divisor) : count;
}

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Keeps the processor busy: a closure that computes, as far as the engine can tell.
inline void spin_for(Clock::duration duration) {
    const auto end = Clock::now() + duration;
    while (Clock::now() < end) {
    }
}

// Waits for another thread without blocking on anything of the library. False when that took absurdly long.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition, std::chrono::seconds limit = std::chrono::seconds(60)) {
    const auto end = Clock::now() + limit;
    while (!condition()) {
        if (Clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

inline std::size_t count_entries(const char* folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}
inline std::size_t threads_of_process() {
    return count_entries("/proc/self/task");
}
inline std::size_t open_files_of_process() {
    return count_entries("/proc/self/fd");
}

// A thread is gone for the kernel only some time after it was joined.
[[nodiscard]] inline bool threads_return_to(std::size_t expected) {
    return eventually([&] { return threads_of_process() <= expected; }, std::chrono::seconds(10));
}

inline std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    file >> all >> resident;
    return resident * 4096;
}

inline double process_cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Whether every thread of the process but the calling one sleeps: the workers are parked.
inline bool all_others_sleep() {
    std::size_t awake = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(entry.path() / "stat");
        std::string line;
        std::getline(file, line);
        const std::size_t name_end = line.rfind(')');
        if (name_end == std::string::npos || name_end + 2 >= line.size()) continue;
        if (line[name_end + 2] != 'S') ++awake;
    }
    return awake <= 1;
}
[[nodiscard]] inline bool workers_park() {
    return eventually(all_others_sleep, std::chrono::seconds(20));
}

// The smallest of a few measurements: what is left when nobody else disturbs.
template <class Measure>
double best_of(int tries, double good_enough, Measure measure) {
    double best = measure();
    for (int i = 1; i < tries && best > good_enough; ++i) best = std::min(best, measure());
    return best;
}

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace quarry::test_support
