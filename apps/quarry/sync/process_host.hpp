#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <quarry/frame/impl/item_cost.hpp>
#include <quarry/process/engine.hpp>

#include "process/faults.hpp"
#include "sync/delivery.hpp"
#include "sync/loop.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {

struct ProcessHostOptions {
    int workers = 0;
    FaultOptions faults{};
    std::size_t slots = 0;  // results that may wait for the host; 0: as many as an engine allows by itself
    // CPU time that the host's thread spends on applying a result; empty: none.
    std::function<std::chrono::nanoseconds(std::uint64_t)> apply_cost = {};
};

// The loop's host with worker processes. A delivery ends by the rule of an inbox: when the next result would not fit
// into the budget.
class ProcessHost final : public SyncHost {
  public:
    ProcessHost(const CpuWork& work, ProcessHostOptions options);

    time_point now() override { return std::chrono::steady_clock::now(); }
    void wait_until(time_point moment) override;
    void render(std::chrono::nanoseconds cost) override { work_.run(cost); }
    void submit(std::chrono::nanoseconds length, std::uint64_t id) override;
    void deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) override;

    const DeliveryFigures& deliveries() const noexcept { return figures_; }
    std::uint64_t faults() const { return injector_.injected(); }

  private:
    // The next result of the loop, of those that have come.
    std::optional<std::uint64_t> take();

    CpuWork work_;
    std::function<std::chrono::nanoseconds(std::uint64_t)> apply_cost_;
    ::quarry::impl::ItemCost cost_;
    DeliveryFigures figures_;
    process::Engine engine_;
    FaultInjector injector_;
    std::vector<std::uint64_t> ids_;  // by the lower half of a job's number
};

}  // namespace quarry::app
