#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <quarry/frame/impl/item_cost.hpp>

#include "sync/loop.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {

struct BareHostOptions {
    int workers = 0;
    std::size_t slots = 256;  // jobs that run, and results that wait for the host, at once
    // CPU time that the host's thread spends on applying a result; empty: none.
    std::function<std::chrono::nanoseconds(std::uint64_t)> apply_cost = {};
    std::stop_token stop_token{};  // jobs that have not begun then do no work
};

// The loop's host without the engine: naked threads, one lock around what waits and what is done. Its bound and its
// rule for the end of a delivery are those of an inbox, so that both have the same time for the same work. What a
// machine does to any program of this timing happens to this one too.
class BareHost final : public SyncHost {
  public:
    BareHost(const CpuWork& work, BareHostOptions options);
    ~BareHost() override;

    time_point now() override { return std::chrono::steady_clock::now(); }
    void wait_until(time_point moment) override { std::this_thread::sleep_until(moment); }
    void render(std::chrono::nanoseconds cost) override { work_.run(cost); }
    void submit(std::chrono::nanoseconds length, std::uint64_t id) override;
    void deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) override;

  private:
    struct Job {
        std::chrono::nanoseconds length;
        std::uint64_t id;
    };

    void work();

    CpuWork work_;
    BareHostOptions options_;
    std::mutex mutex_;
    std::condition_variable submitted_;
    std::deque<Job> waiting_;
    std::deque<std::uint64_t> done_;
    std::size_t held_ = 0;  // slots in use
    bool over_ = false;
    impl::ItemCost cost_;
    std::vector<std::thread> threads_;
};

}  // namespace quarry::app
