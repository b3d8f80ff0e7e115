#pragma once

#include <atomic>
#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"
#include "quarry/jobs/stats.hpp"

namespace quarry::impl {

// How the job that runs on a worker ended, as far as its closure can tell.
enum class JobEnd : std::uint8_t { completed, failed, cancelled };

// A figure that one thread writes and any thread reads: no read-modify-write, no fence. Who reads it sees what the
// writer did before (see Drain).
template <class Policy>
class BasicCounter {
  public:
    void add(std::uint64_t amount = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + amount,
                     Policy::order(Mutation::drain_count, std::memory_order_release));
    }
    void take_back() noexcept { add(static_cast<std::uint64_t>(-1)); }
    void raise_to(std::uint64_t value) noexcept {
        if (value > value_.load(std::memory_order_relaxed)) value_.store(value, std::memory_order_relaxed);
    }
    std::uint64_t get() const noexcept {
        return value_.load(Policy::order(Mutation::drain_sum, std::memory_order_acquire));
    }

  private:
    typename Policy::template Atomic<std::uint64_t> value_{0};
};
using Counter = BasicCounter<DefaultAtomics>;

// The same for a figure that any thread writes.
template <class Policy>
class BasicSharedCounter {
  public:
    void add() noexcept { value_.fetch_add(1, Policy::order(Mutation::drain_count_shared, std::memory_order_release)); }
    void take_back() noexcept { value_.fetch_sub(1, std::memory_order_relaxed); }
    std::uint64_t get() const noexcept {
        return value_.load(Policy::order(Mutation::drain_sum, std::memory_order_acquire));
    }

  private:
    typename Policy::template Atomic<std::uint64_t> value_{0};
};
using SharedCounter = BasicSharedCounter<DefaultAtomics>;

// On lines of its own, so that a reader of the figures does not disturb what the worker is doing.
struct alignas(128) WorkerCounters {
    Counter spawned, completed, failed, cancelled;
    Counter promoted, taken_back, run_inline;
    Counter stolen, steals, steal_attempts, lost_races;
    Counter spins, parks, wakes;
    Counter queue_high_water;
    Counter steal_ticks;  // from running out of work to having stolen some

    void count(JobEnd end) noexcept {
        switch (end) {
            case JobEnd::completed:
                return completed.add();
            case JobEnd::failed:
                return failed.add();
            case JobEnd::cancelled:
                return cancelled.add();
        }
    }
    std::uint64_t ended() const noexcept { return completed.get() + failed.get() + cancelled.get(); }
    WorkerStats snapshot() const;
};

}  // namespace quarry::impl
