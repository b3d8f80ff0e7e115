#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <quarry/ecs/executor.hpp>
#include <quarry/jobs/pool.hpp>

#include "ecs/rows.hpp"

namespace quarry::bench {

// Naked threads that meet at a barrier by spinning: what parts of a loop cost without any engine.
class BareThreads {
  public:
    explicit BareThreads(int workers) {
        for (int i = 1; i < workers; ++i) threads_.emplace_back([this, i] { serve(i); });
    }
    BareThreads(const BareThreads&) = delete;
    BareThreads& operator=(const BareThreads&) = delete;
    ~BareThreads() {
        stop_ = true;
        round_.fetch_add(1);
        for (std::thread& thread : threads_) thread.join();
    }

    // body(first, last) on each thread's part of [0, count).
    void run(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
        count_ = count;
        body_ = &body;
        busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
        round_.fetch_add(1, std::memory_order_release);
        part(0);
        while (busy_.load(std::memory_order_acquire) != 0) relax();
    }

  private:
    void part(std::size_t index) {
        const std::size_t parts = threads_.size() + 1;
        (*body_)(count_ * index / parts, count_ * (index + 1) / parts);
    }
    void serve(int index) {
        std::uint64_t seen = 0;
        for (;;) {
            while (round_.load(std::memory_order_acquire) == seen) relax();
            ++seen;
            if (stop_) return;
            part(static_cast<std::size_t>(index));
            busy_.fetch_sub(1, std::memory_order_release);
        }
    }

    std::size_t count_ = 0;
    const std::function<void(std::size_t, std::size_t)>* body_ = nullptr;
    std::atomic<int> busy_{0};
    std::atomic<std::uint64_t> round_{0};
    std::atomic<bool> stop_{false};
    std::vector<std::thread> threads_;
};

// Runs a schedule as the engine says.
template <class World>
class Ticker {
  public:
    Ticker(EcsEngine engine, int workers) {
        if (engine == EcsEngine::parallel) pool_ = std::make_unique<Pool>(workers);
    }
    const ecs::TickReport& tick(ecs::Schedule<World>& schedule, World& world) {
        if (pool_ != nullptr) return ecs::ParallelExecutor(*pool_).run(schedule, world);
        return ecs::BlockingExecutor().run(schedule, world);
    }

  private:
    std::unique_ptr<Pool> pool_;
};

}  // namespace quarry::bench
