#pragma once

#include <atomic>
#include <thread>

#include "jobs/pool/injection.hpp"
#include "jobs/worker/turns.hpp"

namespace quarry::impl {

// The jobs that only the host's thread runs, and what is known of that thread: the one that made the pool, or took its
// part since.
class HostLane {
  public:
    explicit HostLane(Injection& queue) noexcept : queue_(queue), thread_(std::this_thread::get_id()) {}

    void adopt_this_thread() noexcept {
        in_frame_.store(false, std::memory_order_relaxed);
        thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    }
    bool is_this_thread() const noexcept {
        return thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
    }
    // Throws quarry::Error on another thread.
    void require_this_thread(const char* call) const;

    // Whether the thread is known to compute, and not to be about to wait.
    void set_in_frame(bool in_frame) noexcept { in_frame_.store(in_frame, std::memory_order_relaxed); }
    bool is_this_thread_in_frame() const noexcept {
        return in_frame_.load(std::memory_order_relaxed) && is_this_thread();
    }

    // Whether a job waits that only the host's thread can run; and whether that thread sleeps until a lane has room.
    bool is_needed() const noexcept { return !queue_.looks_empty(); }
    void set_waits_for_room(bool waits) noexcept { waits_for_room_.store(waits, std::memory_order_relaxed); }
    bool waits_for_room() const noexcept { return waits_for_room_.load(std::memory_order_relaxed); }

    // The next job, claimed, or null. For the host's thread, or the one that destroys the pool.
    Node* take() noexcept;

  private:
    Injection& queue_;
    std::atomic<std::thread::id> thread_;
    Turns turns_;
    std::atomic<bool> in_frame_{false};
    std::atomic<bool> waits_for_room_{false};
};

}  // namespace quarry::impl
