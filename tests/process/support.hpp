#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <dirent.h>
#include <gtest/gtest.h>
#include <quarry/process/engine.hpp>
#include <unistd.h>

// The sanitizers' own memory counts against a limit, and the thread sanitizer does not follow a fork.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define QUARRY_UNDER_A_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define QUARRY_UNDER_A_SANITIZER 1
#endif
#endif

namespace process_tests {

using namespace std::chrono_literals;
using quarry::process::Engine;
using quarry::process::EngineOptions;
using quarry::process::EngineStats;
using quarry::process::JobId;
using quarry::process::Result;
using quarry::process::Status;
using quarry::process::Submitted;

inline std::chrono::steady_clock::time_point in(std::chrono::nanoseconds time) {
    return std::chrono::steady_clock::now() + time;
}
constexpr auto kLong = 60s;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

inline EngineOptions small_engine(int workers, bool portable = false) {
    EngineOptions options;
    options.workers = workers;
    options.command = {QUARRY_TEST_WORKER};
    options.portable = portable;
    options.heartbeat = 10s;  // the machine may be busy with other tests; those of hangs choose their own
    options.result_arena = 8 << 20;
    options.job_arena = 8 << 20;
    options.max_payload = 4 << 20;
    return options;
}

inline bool eventually(const std::function<bool()>& holds, std::chrono::nanoseconds patience = kLong) {
    const auto end = in(patience);
    while (std::chrono::steady_clock::now() < end) {
        if (holds()) return true;
        std::this_thread::sleep_for(2ms);
    }
    return holds();
}

inline bool is_running(int process) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    if (!std::getline(stat, line)) return false;
    const std::size_t name_end = line.rfind(')');
    return name_end != std::string::npos && line[name_end + 2] != 'Z' && line[name_end + 2] != 'X';
}

inline std::vector<int> numbers_in(const std::string& folder) {
    std::vector<int> numbers;
    DIR* open = opendir(folder.c_str());
    if (open == nullptr) return numbers;
    while (const dirent* entry = readdir(open)) {  // NOLINT(concurrency-mt-unsafe): its own stream
        const int number = std::atoi(entry->d_name);
        if (number > 0 || entry->d_name[0] == '0') numbers.push_back(number);
    }
    closedir(open);
    return numbers;
}

inline std::size_t open_descriptors() {
    return numbers_in("/proc/self/fd").size();
}

// Children of this process, dead ones that nobody has taken note of included.
inline std::vector<int> children() {
    std::vector<int> found;
    for (const int process : numbers_in("/proc")) {
        std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
        std::string line;
        if (!std::getline(stat, line)) continue;
        const std::size_t name_end = line.rfind(')');
        if (name_end == std::string::npos) continue;
        char state = 0;
        int parent = 0;
        if (std::sscanf(line.c_str() + name_end + 1, " %c %d", &state, &parent) == 2 && parent == getpid()) {
            found.push_back(process);
        }
    }
    return found;
}

// Collects results by id until so many have come.
inline std::map<JobId, Result> collect(Engine& engine, std::size_t count, std::chrono::nanoseconds patience = kLong) {
    std::map<JobId, Result> results;
    const auto end = in(patience);
    while (results.size() < count && std::chrono::steady_clock::now() < end) {
        for (Result& result : engine.poll()) {
            const JobId id = result.id;
            EXPECT_TRUE(results.emplace(id, std::move(result)).second) << "a job has two results";
        }
        std::this_thread::sleep_for(200us);
    }
    return results;
}

inline Result run_one(Engine& engine, quarry::process::JobType type, std::span<const std::byte> payload = {},
                      const quarry::process::JobOptions& options = {}) {
    const Submitted submitted = engine.submit(type, payload, options);
    EXPECT_TRUE(submitted) << quarry::process::describe(submitted.refusal);
    const JobId id = submitted.id;
    EXPECT_TRUE(engine.wait(std::span(&id, 1), in(kLong)));
    std::vector<Result> results = engine.poll();
    EXPECT_EQ(results.size(), 1U);
    return results.empty() ? Result{} : std::move(results.front());
}

inline std::string text_of(const Result& result) {
    return std::string(result.payload.text());
}

// What must hold when nothing is on its way.
inline void expect_balanced(const EngineStats& stats) {
    EXPECT_EQ(stats.accepted, stats.ok + stats.errors + stats.cancelled + stats.deadline + stats.lost);
    EXPECT_EQ(stats.waiting, 0U);
    EXPECT_EQ(stats.running, 0U);
    EXPECT_EQ(stats.polled + stats.results, stats.accepted);
}

// Names for tests that run with both implementations of the system's interface.
inline const auto kSystemName = [](const testing::TestParamInfo<bool>& about) {
    return std::string(about.param ? "Portable" : "Native");
};

}  // namespace process_tests
