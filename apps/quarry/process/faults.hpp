#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <quarry/process/engine.hpp>

namespace quarry::app {

enum class FaultKind { kill, stop, oom, garbage };

struct FaultOptions {
    std::vector<FaultKind> kinds;
    double rate = 1;  // a second

    bool any() const { return !kinds.empty(); }
};

// "kill,stop,oom,garbage". Throws WrongInput.
std::vector<FaultKind> faults_from(const std::string& typed);
std::string name_of(const std::vector<FaultKind>& kinds);

// Breaks workers of an engine while it runs, one after the other, at a steady rate; each only when it has done a job
// since it was broken last.
class FaultInjector {
  public:
    FaultInjector(process::Engine& engine, FaultOptions options);
    ~FaultInjector();
    FaultInjector(const FaultInjector&) = delete;
    FaultInjector& operator=(const FaultInjector&) = delete;

    void stop();
    std::uint64_t injected() const { return injected_.load(); }

  private:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

    void run();
    bool has_recovered(std::size_t worker);
    void inject(FaultKind kind, std::size_t worker);

    process::Engine& engine_;
    FaultOptions options_;
    std::vector<std::uint64_t> broken_at_;  // how many jobs each worker had done then
    std::atomic<bool> ending_{false};
    std::atomic<std::uint64_t> injected_{0};
    std::thread thread_;
};

// How an engine for the program's own workers is made.
process::EngineOptions own_workers(int workers, const FaultOptions& faults);

}  // namespace quarry::app
