#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "jobs/os.hpp"
#include "jobs/overflow_list.hpp"
#include "jobs/parking/sleep.hpp"
#include "jobs/queue/bounded_queue.hpp"
#include "jobs/worker.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry::impl {

// What a task needs of its pool. It outlives the pool while tasks do.
struct TaskHome {
    TaskHome(PoolCore* pool_core, std::function<void(std::exception_ptr)> error_hook)
        : core(pool_core), on_error(std::move(error_hook)) {}

    // A thread that waits for a task enters before it looks, for the last time, whether the task has ended. If it has
    // not, the pool exists until the thread leaves. Both sides change one word, so one of them sees the other: the
    // pool's end the visitor, or the visitor the end of the task.
    void enter() noexcept { visitors_.fetch_add(1, std::memory_order_acq_rel); }
    void leave() noexcept {
        if (visitors_.fetch_sub(1, std::memory_order_acq_rel) == kClosing + 1) os::futex_wake_one(visitors_);
    }
    // All tasks have ended: returns when nobody is inside.
    void close() noexcept {
        visitors_.fetch_or(kClosing, std::memory_order_acq_rel);
        for (;;) {
            const std::uint32_t seen = visitors_.load(std::memory_order_acquire);
            if (seen == kClosing) return;
            os::futex_wait(visitors_, seen);
        }
    }

    PoolCore* const core;  // valid while a task has not ended
    const std::function<void(std::exception_ptr)> on_error;
    std::atomic<bool> error_logged{false};

  private:
    static constexpr std::uint32_t kClosing = std::uint32_t{1} << 31;
    std::atomic<std::uint32_t> visitors_{0};
};

// Threads from outside that can take part in one pool at the same time.
inline constexpr int kMostGuests = 256;

// Whether the thread that wakes another one has work of its own to go on with.
enum class WakerGoesOn { no, yes, unknown };

class PoolCore {
  public:
    PoolCore(Pool& pool, PoolOptions pool_options);
    PoolCore(const PoolCore&) = delete;
    PoolCore& operator=(const PoolCore&) = delete;
    ~PoolCore();

    // In a forked child, where the pool's threads do not exist.
    bool is_forked_copy() const noexcept;
    // Whether one of the pool's jobs, or a scope of it, is further up on the calling thread's stack.
    bool runs_on_this_thread() const noexcept;
    // Throws quarry::Error in a forked child.
    void require_usable() const;

    // A guest's place for the calling thread; leave() gives it back.
    Worker& enter();
    void leave(Worker& guest) noexcept;

    // A job was queued that somebody may rely on: wakes a sleeper unless a searcher is awake.
    void job_queued(Worker* by, Node& node) noexcept;
    // A private job was offered: wakes a sleeper only if there is a core for it.
    void job_offered(Worker& by, Node& node) noexcept;
    // A worker that a thread from outside woke has started this many ticks later.
    void started_after(std::uint64_t ticks) noexcept;
    // The last searcher found work: wakes another one if there is more.
    void last_searcher_found_work() noexcept;

    // Whether any queue holds something, or the pool stops. Sequentially consistent.
    bool work_visible() const noexcept;

    // Queues a submitted job; waits for room if the calling thread is outside any job.
    void submit(Node& node);
    bool try_inject(Node& node) noexcept;
    Node* take_injected() noexcept;

    template <class Visit>
    void for_each_guest(Visit visit) const {
        const int count = guest_count_.load(std::memory_order_seq_cst);
        for (int i = 0; i < count; ++i) {
            Worker* const guest = guests_[static_cast<std::size_t>(i)].load(std::memory_order_acquire);
            if (guest != nullptr) visit(*guest);
        }
    }

    // From now on the workers and guests record in that trace; 0: in none.
    void set_trace(std::uint64_t serial_of_trace) noexcept;
    // Jobs that wait to be taken in, about.
    std::size_t injected_hint() const noexcept { return injected_.size_hint(); }

    int worker_count() const noexcept { return static_cast<int>(workers.size()); }
    PoolStats stats() const;

    const PoolOptions options;
    const std::uint64_t serial;  // distinguishes pools that were made at the same address
    Pool& owner;
    const std::shared_ptr<TaskHome> task_home;
    std::vector<std::unique_ptr<Worker>> workers;
    Sleep<DefaultAtomics> sleep;
    std::atomic<bool> stopping{false};
    std::atomic<std::uint64_t> trace{0};

  private:
    void start_threads();
    void stop_threads() noexcept;
    void thread_main(Worker& worker) noexcept;
    bool wake_one(WakerGoesOn waker_goes_on, bool even_if_searching = false) noexcept;
    bool wake_waiter_for(Node& node) noexcept;
    Worker& add_guest();
    void wait_for_room() noexcept;

    std::vector<std::thread> threads_;
    BoundedQueue<DefaultAtomics, Node*> injected_;
    OverflowList overflow_;
    // Threads outside that wait for room in injected_, and the word they sleep on.
    std::atomic<std::uint32_t> room_waiters_{0};
    std::atomic<std::uint32_t> room_made_{0};
    std::atomic<std::uint64_t> submitted_outside_{0};
    std::atomic<std::uint64_t> wakes_outside_{0};

    std::mutex guests_mutex_;
    std::array<std::atomic<Worker*>, kMostGuests> guests_{};
    std::atomic<int> guest_count_{0};
    std::vector<std::unique_ptr<Worker>> guest_storage_;
    // Wake-ups by threads from outside that are steered to another CPU, because an earlier one started very late.
    std::atomic<std::int32_t> steered_wakes_left_{0};
    const std::uint64_t fork_generation_;
};

// The same place in a pool as a join has, for code that needs all of the worker.
class Participation : public JoinEntry {
  public:
    using JoinEntry::JoinEntry;
    Worker& worker() const noexcept { return static_cast<Worker&>(context()); }
};

}  // namespace quarry::impl
