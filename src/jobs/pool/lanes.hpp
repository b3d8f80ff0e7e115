#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include "jobs/pool/injection.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

// As traces and graphs print it.
inline const char* lane_name(Lane lane) noexcept {
    constexpr std::array<const char*, kLanes> kNames{"frame", "background", "io", "host"};
    return kNames[static_cast<std::size_t>(lane)];
}

// What was submitted and waits outside the workers' own queues, lane by lane.
class Lanes {
  public:
    explicit Lanes(std::size_t capacity) : Lanes(capacity, std::make_index_sequence<kLanes>()) {}

    Injection& operator[](Lane lane) noexcept { return queues_[static_cast<std::size_t>(lane)]; }

    // Background work is looked for from the first such job on.
    void use_background() noexcept {
        if (!background_in_use()) background_in_use_.store(true, std::memory_order_seq_cst);
    }
    bool background_in_use() const noexcept { return background_in_use_.load(std::memory_order_relaxed); }
    // For the look before a sleep.
    bool background_in_use_for_certain() const noexcept { return background_in_use_.load(std::memory_order_seq_cst); }

    // Lets all who wait for room look again whether they give up.
    void wake_all_waiters() noexcept {
        for (Injection& queue : queues_) queue.wake_all_waiters();
    }
    std::size_t size_hint() const noexcept {
        std::size_t jobs = 0;
        for (const Injection& queue : queues_) jobs += queue.size_hint();
        return jobs;
    }
    // The pool has ended: what is left are entries of jobs that were run or cancelled by another way.
    void drop_entries() noexcept {
        for (Injection& queue : queues_) {
            while (Node* const node = queue.take_important()) release(node);
            for (Node* node = nullptr; queue.take(&node, 1, false) != 0;) release(node);
        }
    }

  private:
    template <std::size_t... Index>
    Lanes(std::size_t capacity, std::index_sequence<Index...>) : queues_{((void)Index, Injection(capacity))...} {}

    std::array<Injection, kLanes> queues_;
    std::atomic<bool> background_in_use_{false};
};

}  // namespace quarry::impl
