#pragma once

#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

#include "sync/loop.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {

// The loop's host as it is: this thread, a pool, and an inbox between them.
class ThreadHost final : public SyncHost {
  public:
    ThreadHost(int workers, const CpuWork& work);

    time_point now() override { return std::chrono::steady_clock::now(); }
    void wait_until(time_point moment) override;
    void render(std::chrono::nanoseconds cost) override { work_.run(cost); }
    void submit(std::chrono::nanoseconds length, std::uint64_t id) override;
    void deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) override;

  private:
    CpuWork work_;
    Inbox<std::uint64_t> inbox_;
    Pool pool_;
};

}  // namespace quarry::app
