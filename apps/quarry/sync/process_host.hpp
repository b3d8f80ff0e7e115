#pragma once

#include <vector>

#include <quarry/process/engine.hpp>

#include "process/faults.hpp"
#include "sync/loop.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {

// The loop's host with worker processes.
class ProcessHost final : public SyncHost {
  public:
    ProcessHost(const CpuWork& work, int workers, const FaultOptions& faults);

    time_point now() override { return std::chrono::steady_clock::now(); }
    void wait_until(time_point moment) override;
    void render(std::chrono::nanoseconds cost) override { work_.run(cost); }
    void submit(std::chrono::nanoseconds length, std::uint64_t id) override;
    void deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) override;

  private:
    CpuWork work_;
    process::Engine engine_;
    FaultInjector injector_;
    std::vector<std::uint64_t> ids_;  // by the lower half of a job's number
};

}  // namespace quarry::app
