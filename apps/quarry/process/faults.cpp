#include "process/faults.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>

#include <fmt/format.h>

#include "process/handlers.hpp"
#include "tools/input.hpp"

namespace quarry::app {
namespace {

constexpr std::array<std::string_view, 4> kFaultNames{"kill", "stop", "oom", "garbage"};
constexpr std::uint64_t kFaultMemoryLimit = std::uint64_t{1} << 30;

}  // namespace

std::vector<FaultKind> faults_from(const std::string& typed) {
    std::vector<FaultKind> kinds;
    std::size_t start = 0;
    while (start <= typed.size()) {
        const std::size_t end = std::min(typed.find(',', start), typed.size());
        kinds.push_back(static_cast<FaultKind>(one_of("--faults", typed.substr(start, end - start), kFaultNames)));
        start = end + 1;
    }
    return kinds;
}

std::string name_of(const std::vector<FaultKind>& kinds) {
    std::string text;
    for (const FaultKind kind : kinds) {
        text += text.empty() ? "" : ",";
        text += kFaultNames[static_cast<std::size_t>(kind)];
    }
    return text;
}

process::EngineOptions own_workers(int workers, const FaultOptions& faults) {
    process::EngineOptions options;
    options.workers = workers;
    options.command = {"/proc/self/exe", "worker"};
    if (faults.any()) {
        options.environment.push_back(std::string(kFaultsVariable) + "=1");
        const bool fills = std::find(faults.kinds.begin(), faults.kinds.end(), FaultKind::oom) != faults.kinds.end();
        if (fills) options.memory_limit = kFaultMemoryLimit;
    }
    return options;
}

FaultInjector::FaultInjector(process::Engine& engine, FaultOptions options)
    : engine_(engine),
      options_(std::move(options)),
      broken_at_(static_cast<std::size_t>(engine.options().workers), kNever) {
    if (options_.any()) thread_ = std::thread([this] { run(); });
}

FaultInjector::~FaultInjector() {
    stop();
}

void FaultInjector::stop() {
    ending_.store(true);
    if (thread_.joinable()) thread_.join();
}

void FaultInjector::run() {
    const auto pause = std::chrono::duration<double>(1 / options_.rate);
    auto next = std::chrono::steady_clock::now();
    for (std::size_t turn = 0;; ++turn) {
        next += std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause);
        while (std::chrono::steady_clock::now() < next) {
            if (ending_.load()) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        const std::size_t worker = turn % static_cast<std::size_t>(engine_.options().workers);
        while (!has_recovered(worker)) {
            if (ending_.load()) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        if (ending_.load()) return;
        inject(options_.kinds[turn % options_.kinds.size()], worker);
    }
}

// Where a process takes longer to start than faults are apart, nothing would ever be done, and nothing learnt from it.
bool FaultInjector::has_recovered(std::size_t worker) {
    const process::WorkerHealth health = engine_.health().workers[worker];
    if (!health.alive) return false;
    constexpr std::uint64_t kItsOwn = 1;  // a fault can be a job itself
    return broken_at_[worker] == kNever || health.jobs > broken_at_[worker] + kItsOwn;
}

void FaultInjector::inject(FaultKind kind, std::size_t worker) {
    const process::WorkerHealth health = engine_.health().workers[worker];
    const int process = health.process;
    broken_at_[worker] = health.jobs;
    const process::JobOptions pinned{.priority = Priority::urgent, .worker = static_cast<int>(worker)};
    switch (kind) {
        case FaultKind::kill:
            if (process > 0) kill(process, SIGKILL);
            break;
        case FaultKind::stop:
            if (process > 0) kill(process, SIGSTOP);
            break;
        case FaultKind::oom:
            engine_.submit(kFillMemoryJob, "", pinned);
            break;
        case FaultKind::garbage:
            engine_.submit(kGarbageJob, "", pinned);
            break;
    }
    injected_.fetch_add(1);
}

}  // namespace quarry::app
