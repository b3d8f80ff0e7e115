#pragma once

#include <functional>
#include <stop_token>

#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

#include "sync/delivery.hpp"
#include "sync/loop.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {

struct ThreadHostOptions {
    int workers = 0;
    std::size_t slots = 1024;  // of the inbox
    // CPU time that the host's thread spends on applying a result; empty: none.
    std::function<std::chrono::nanoseconds(std::uint64_t)> apply_cost = {};
    std::stop_token stop_token{};  // jobs that have not begun then do no work
};

// The loop's host as it is: this thread, a pool, and an inbox between them.
class ThreadHost final : public SyncHost {
  public:
    ThreadHost(const CpuWork& work, ThreadHostOptions options);

    time_point now() override { return std::chrono::steady_clock::now(); }
    void wait_until(time_point moment) override;
    void render(std::chrono::nanoseconds cost) override { work_.run(cost); }
    void submit(std::chrono::nanoseconds length, std::uint64_t id) override;
    void deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) override;

    const DeliveryFigures& deliveries() const noexcept { return figures_; }

  private:
    CpuWork work_;
    std::function<std::chrono::nanoseconds(std::uint64_t)> apply_cost_;
    std::stop_token stop_token_;
    DeliveryFigures figures_;
    Inbox<std::uint64_t> inbox_;
    Pool pool_;
};

}  // namespace quarry::app
