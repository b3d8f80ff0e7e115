#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "jobs/completion/ledger.hpp"
#include "jobs/gate/gate_list.hpp"
#include "jobs/parking/crews.hpp"
#include "jobs/pool/guests.hpp"
#include "jobs/pool/host_lane.hpp"
#include "jobs/pool/lanes.hpp"
#include "jobs/pool/threads.hpp"
#include "jobs/worker/host_needs.hpp"
#include "jobs/worker/worker.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry::impl {

class PermitGate;
class TaskHome;

// Throws std::invalid_argument; `what` names the value.
void require_known(Priority priority, const char* what);
void require_known(Lane lane);

// A pool is its parts, each of which owns what it decides; here is what several of them do together.
class PoolCore {
  public:
    PoolCore(Pool& pool, PoolOptions pool_options);
    PoolCore(const PoolCore&) = delete;
    PoolCore& operator=(const PoolCore&) = delete;
    ~PoolCore();

    // Who calls.

    // In a forked child, where the pool's threads do not exist.
    bool is_forked_copy() const noexcept;
    // Whether one of the pool's jobs, or a scope of it, is further up on the calling thread's stack, be it as guest of
    // another pool by now; or one of the pool's threads calls.
    bool runs_on_this_thread() const noexcept;
    // The same without a pool's thread before its first job or after its last, in a hook: that is no job.
    bool has_job_on_this_thread() const noexcept;
    bool is_in_hook() const noexcept;
    // What the calling thread is in this pool, innermost: a worker or a guest; or null. The second one: no guest.
    Worker* worker_here() const noexcept {
        Worker* const worker = Worker::current();
        return worker != nullptr && &worker->core == this ? worker : nullptr;
    }
    Worker* own_worker() const noexcept {
        Worker* const worker = worker_here();
        return worker != nullptr && !worker->guest ? worker : nullptr;
    }
    // Whether the calling thread may run a job of that lane that it waits for.
    bool may_run_here(Lane lane) const noexcept { return lane != Lane::host || host.is_this_thread(); }
    // Throw quarry::Error: in a forked child; while the pool is being destroyed, if not within one of its own jobs; in
    // a forked child or on another thread than the host's.
    void require_usable() const;
    void require_open() const;
    void require_host_thread(const char* call) const;
    [[noreturn]] static void throw_closed();

    // Before the first job of a lane: starts the I/O threads. Throws quarry::Error when the pool has no such lane, or a
    // thread cannot be started.
    void prepare_lane(Lane lane);

    // A guest's seat for the calling thread; leave() gives it back.
    Worker& enter(GuestComputes computes);
    void leave(Worker& guest) noexcept;

    // A job was queued that somebody may rely on: wakes a sleeper unless a searcher is awake. by: the worker of this
    // pool that did it, or null.
    void job_queued(Worker* by, Lane lane, Node& node) noexcept { wake_for_job(by, lane, &node); }
    // The same for jobs that are not known any more. node: null only if `by` is.
    void wake_for_job(Worker* by, Lane lane, Node* node) noexcept;
    // A private job was offered: wakes a sleeper only if there is a core for it.
    void job_offered(Worker& by, Node& node) noexcept;
    // by: the worker of this pool that the calling thread is, or null.
    WakerGoesOn waker_goes_on(const Worker* by) const noexcept;
    // Whether there is anything for a worker of that crew, or the pool's end has come. Sequentially consistent.
    bool work_visible_to(const WorkerCrew& crew) noexcept;

    // A job was created by the calling thread.
    void count_spawned() noexcept;
    // The same for a continuation, which a thread outside may make at any time, for a job that has ended. False: the
    // pool is being destroyed and would not wait for it.
    [[nodiscard]] bool try_count_continuation() noexcept;
    // The same for any job of a thread that is no worker of this pool, within a visit; and if the job is not made after
    // all.
    [[nodiscard]] bool try_count_outside() noexcept;
    void take_count_back() noexcept;
    // While the pool is being destroyed, after a job has ended on a thread that is not a worker: was it the last one?
    void look_whether_drained() noexcept;

    std::size_t run_host_jobs(std::size_t most, std::uint64_t budget_ticks);

    // The workers, then the guests.
    template <class Visit>
    void for_each_worker(Visit visit) const {
        for (const auto& worker : workers) visit(*worker);
        guests.for_each(visit);
    }
    // Those whose queues may hold jobs of that lane.
    template <class Visit>
    void for_each_in(Lane lane, Visit visit) const {
        if (lane == Lane::frame) guests.for_each(visit);
        const std::size_t first = lane == Lane::io ? static_cast<std::size_t>(options.workers) : 0;
        const std::size_t last = lane == Lane::io ? workers.size() : static_cast<std::size_t>(options.workers);
        for (std::size_t i = first; i < last; ++i) visit(*workers[i]);
    }

    // From now on the workers and guests record in that trace; 0: in none.
    void set_trace(std::uint64_t serial_of_trace) noexcept;
    // Of frame and background; those of the I/O threads come after them in `workers`.
    int worker_count() const noexcept { return options.workers; }
    PoolStats stats() const;

    const PoolOptions options;
    const std::uint64_t serial;  // distinguishes pools that were made at the same address
    Pool& owner;
    Lanes lanes;  // before the home, which would have to be given back: there may be no memory for them
    TaskHome& task_home;
    Crews<DefaultAtomics, Worker> crews;
    std::vector<std::unique_ptr<Worker>> workers;
    Guests<Worker> guests;
    HostLane host;
    HostNeeds host_needs{*this};
    Ledger<DefaultAtomics> ledger;
    GateList<PermitGate> gates;
    std::atomic<std::uint64_t> trace{0};
    bool is_shared = false;  // Pool::shared() made it; set before anybody else has seen it

  private:
    void make_workers();
    void start_threads(std::size_t count);
    void thread_main(Worker& worker) noexcept;
    void stop_threads() noexcept;
    void finish_host_jobs() noexcept;
    void wake_waiter_for(Worker& by, Node& node, std::int64_t word) noexcept;
    void count_wake(Worker* by) noexcept;
    bool work_visible_in(Lane lane) noexcept;

    Threads threads_;
    std::atomic<bool> io_started_{false};
    std::atomic<std::uint64_t> wakes_outside_{0};
    const std::uint64_t fork_generation_;
};

// How a thread takes part in a pool, as a join has it, for code that needs all of the worker.
class Participation : public JoinEntry {
  public:
    using JoinEntry::JoinEntry;
    Worker& worker() const noexcept { return static_cast<Worker&>(context()); }
};

}  // namespace quarry::impl
