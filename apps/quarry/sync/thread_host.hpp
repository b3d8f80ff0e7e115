#pragma once

#include <functional>
#include <stop_token>

#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

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

// Whether deliveries kept to their budget, in CPU time of the host's thread: what others do on its core is not theirs.
struct DeliveryFigures {
    // A delivery reads clocks and keeps order on top of what its items take.
    static constexpr std::chrono::nanoseconds kSlack = std::chrono::microseconds(100);

    std::uint64_t deliveries = 0;             // that had something to deliver
    std::uint64_t over = 0;                   // beyond the budget by more than the last item took
    std::chrono::nanoseconds worst_excess{};  // over the budget without the last item, at most; negative: under it
    std::chrono::nanoseconds worst_wall{};    // over the budget altogether, by the wall clock, at most
    std::uint64_t carried_over = 0;           // items, summed up over the deliveries
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
