#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "jobs/completion/drain.hpp"
#include "jobs/os/os.hpp"
#include "jobs/parking/crews.hpp"
#include "jobs/pool/injection.hpp"
#include "jobs/worker/worker.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry::impl {

class SlotGate;
class TaskHome;

// Threads from outside that can take part in one pool at the same time.
inline constexpr int kMostGuests = 256;

// Throws std::invalid_argument; `what` names the value.
void require_known(Priority priority, const char* what);
void require_known(Lane lane);

class PoolCore {
  public:
    PoolCore(Pool& pool, PoolOptions pool_options);
    PoolCore(const PoolCore&) = delete;
    PoolCore& operator=(const PoolCore&) = delete;
    ~PoolCore();

    // In a forked child, where the pool's threads do not exist.
    bool is_forked_copy() const noexcept;
    // Whether one of the pool's jobs, or a scope of it, is further up on the calling thread's stack, be it as guest of
    // another pool by now; or one of the pool's threads calls.
    bool runs_on_this_thread() const noexcept;
    // The same without a pool's thread before its first job or after its last, in a hook: that is no job.
    bool has_job_on_this_thread() const noexcept;
    bool is_in_hook() const noexcept;
    // Throw quarry::Error: in a forked child; while the pool is being destroyed, if not within one of its own jobs; in
    // a forked child or on another thread than the host's.
    void require_usable() const;
    void require_open() const;
    void require_host_thread(const char* call) const;
    [[noreturn]] static void throw_closed();
    // Before the first job of a lane: starts the I/O threads. Throws quarry::Error when the pool has no such lane, or a
    // thread cannot be started.
    void prepare_lane(Lane lane);

    // A guest's place for the calling thread; leave() gives it back.
    Worker& enter(GuestComputes computes);
    void leave(Worker& guest) noexcept;

    // A job was queued that somebody may rely on: wakes a sleeper unless a searcher is awake. by: the worker of this
    // pool that did it, or null.
    void job_queued(Worker* by, Lane lane, Node& node) noexcept { wake_for_job(by, lane, &node); }
    // The same for jobs that are not known any more. node: null only if `by` is.
    void wake_for_job(Worker* by, Lane lane, Node* node) noexcept;
    // A private job was offered: wakes a sleeper only if there is a core for it.
    void job_offered(Worker& by, Node& node) noexcept;
    // Whether there is anything for a worker of that crew, or the pool's end has come. Sequentially consistent.
    bool work_visible_to(const WorkerCrew& crew) noexcept;

    Injection& injection(Lane lane) noexcept { return injections_[static_cast<std::size_t>(lane)]; }
    // Background work is looked for from the first such job on.
    bool background_in_use() const noexcept { return background_in_use_.load(std::memory_order_relaxed); }
    // Whether the calling thread may run a job of that lane that it waits for.
    bool may_run_here(Lane lane) const noexcept { return lane != Lane::host || is_host_thread(); }
    // The worker of this pool that the calling thread is, no guest; or null.
    Worker* own_worker() const noexcept;

    // Makes a submitted job of a node whose body is built. Not armed: it continues something.
    void make_task(Node& node, const SubmitOptions& submit_options, bool armed) noexcept;
    // A job was created by the calling thread.
    void count_spawned() noexcept;
    // The same for a continuation, which a thread outside may make at any time, for a job that has ended. False: the
    // pool is being destroyed and would not wait for it.
    [[nodiscard]] bool try_count_continuation() noexcept;
    // The same for any job of a thread that is no worker of this pool, within a visit; and if the job is not made after
    // all.
    [[nodiscard]] bool try_count_outside() noexcept;
    void take_count_back() noexcept;
    // What the job continues has ended: queues it, unless it was cancelled.
    void queue_continuation(Node& node) noexcept;
    // Queues a job that must not wait for room, whether its lane has some or not.
    void queue_beyond_bound(Node& node, Priority priority) noexcept;
    // Throws if that job, of another pool than the caller's, never ends here: it is one of a forked child's parent.
    static void require_end_of(Node& task);
    // The caller has claimed the job in order not to run it.
    void end_cancelled(Node& node) noexcept;
    // The caller has claimed the job, and it is over: counts it and tells those who listen.
    void end_task(Node& node, JobEnd end) noexcept;

    // Jobs that wait at the gate are given up when the pool ends. Throws std::bad_alloc.
    void add_gate(SlotGate& gate);
    void remove_gate(SlotGate& gate) noexcept;

    // Drops entries of a lane's queues whose jobs others have claimed: they take up room.
    void sweep_entries(Lane lane) noexcept;
    // A job of that lane was claimed, and its entry may be in the queue.
    void entry_left_behind(Lane lane) noexcept;

    // Whether a job waits that only the host's thread can run; and whether that thread sleeps until a lane has room.
    bool host_is_needed() noexcept { return !injection(Lane::host).looks_empty(); }
    void host_waits_for_room(bool waits) noexcept { host_waits_.store(waits, std::memory_order_relaxed); }

    std::size_t run_host_jobs(std::size_t most, std::uint64_t budget_ticks);
    void adopt_host_thread() noexcept {
        in_frame_.store(false, std::memory_order_relaxed);
        host_thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    }
    bool is_host_thread() const noexcept {
        return host_thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
    }

    // Whether the host's thread is known to compute. Throws quarry::Error on another one.
    void set_in_frame(bool in_frame);
    // by: the worker of this pool that the calling thread is, or null.
    WakerGoesOn waker_goes_on(const Worker* by) const noexcept;

    // While the pool is being destroyed, after a job has ended on a thread that is not a worker: was it the last one?
    void look_whether_drained() noexcept;
    bool is_drained() const noexcept { return drain.is_drained(); }

    template <class Visit>
    void for_each_guest(Visit visit) const {
        const int count = guest_count_.load(std::memory_order_seq_cst);
        for (int i = 0; i < count; ++i) {
            Worker* const guest = guests_[static_cast<std::size_t>(i)].load(std::memory_order_acquire);
            if (guest != nullptr) visit(*guest);
        }
    }

    // Those whose queues may hold jobs of that lane.
    template <class Visit>
    void for_each_in(Lane lane, Visit visit) const {
        if (lane == Lane::frame) for_each_guest(visit);
        const std::size_t first = lane == Lane::io ? static_cast<std::size_t>(options.workers) : 0;
        const std::size_t last = lane == Lane::io ? workers.size() : static_cast<std::size_t>(options.workers);
        for (std::size_t i = first; i < last; ++i) visit(*workers[i]);
    }

    // From now on the workers and guests record in that trace; 0: in none.
    void set_trace(std::uint64_t serial_of_trace) noexcept;
    // Jobs that wait to be taken in, about.
    std::size_t injected_hint() const noexcept {
        std::size_t jobs = 0;
        for (const Injection& lane : injections_) jobs += lane.size_hint();
        return jobs;
    }

    // Of frame and background; those of the I/O threads come after them in `workers`.
    int worker_count() const noexcept { return options.workers; }
    PoolStats stats() const;

    const PoolOptions options;
    const std::uint64_t serial;  // distinguishes pools that were made at the same address
    Pool& owner;

  private:
    // Before the home, which would have to be given back: there may be no memory for them.
    std::array<Injection, kLanes> injections_;

  public:
    TaskHome& task_home;
    Crews<DefaultAtomics, Worker> crews;
    std::vector<std::unique_ptr<Worker>> workers;
    std::atomic<std::uint64_t> trace{0};
    Drain<DefaultAtomics> drain;
    bool is_shared = false;  // Pool::shared() made it; set before anybody else has seen it

  private:
    void make_workers();
    void use_background() noexcept {
        if (!background_in_use()) background_in_use_.store(true, std::memory_order_seq_cst);
    }
    void start_threads(std::size_t first, std::size_t last);
    void start_io_threads();
    void stop_threads() noexcept;
    void thread_main(Worker& worker) noexcept;
    void wake_waiter_for(Worker& by, Node& node, std::int64_t word) noexcept;
    void count_wake(Worker* by) noexcept;
    bool work_visible_in(Lane lane) noexcept;
    Worker& add_guest();
    Node* take_host_job() noexcept;
    void finish_host_jobs() noexcept;
    void give_up_gated_jobs() noexcept;
    std::uint64_t jobs_ended() const noexcept;
    std::uint64_t jobs_created() const noexcept;
    std::uint64_t ended_outside(JobEnd end) const noexcept {
        return ended_outside_[static_cast<std::size_t>(end)].get();
    }
    void release_leftovers() noexcept;

    mutable std::mutex threads_mutex_;
    std::vector<std::thread> threads_;
    std::atomic<bool> io_started_{false};
    std::atomic<bool> background_in_use_{false};
    alignas(128) SharedCounter submitted_outside_;
    std::array<SharedCounter, 3> ended_outside_{};  // by JobEnd
    std::atomic<std::uint64_t> wakes_outside_{0};

    std::atomic<std::thread::id> host_thread_;
    Turns host_turns_;
    std::atomic<bool> in_frame_{false};    // the host's thread is
    std::atomic<bool> host_waits_{false};  // for room in a lane

    std::mutex guests_mutex_;
    std::array<std::atomic<Worker*>, kMostGuests> guests_{};
    std::atomic<int> guest_count_{0};
    std::vector<std::unique_ptr<Worker>> guest_storage_;
    std::mutex gates_mutex_;
    std::vector<SlotGate*> gates_;
    const std::uint64_t fork_generation_;
};

// The same place in a pool as a join has, for code that needs all of the worker.
class Participation : public JoinEntry {
  public:
    using JoinEntry::JoinEntry;
    Worker& worker() const noexcept { return static_cast<Worker&>(context()); }
};

}  // namespace quarry::impl
