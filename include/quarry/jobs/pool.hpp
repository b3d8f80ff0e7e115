#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/join_frame.hpp"
#include "quarry/jobs/stats.hpp"
#include "quarry/jobs/task.hpp"

namespace quarry {

struct PoolOptions {
    int workers = 0;                      // 0: one per usable CPU (affinity mask and cgroup quota count); at most 1,024
    std::size_t queue_capacity = 10'000;  // jobs waiting in the injection queue, and in a worker's own; 1 to 1,048,576
    std::size_t steal_batch = 32;         // most jobs a thief takes at once; 1 to 256
    bool lifo_slot = true;                // keep the job a worker submitted last where it is found first
    std::string name = "quarry";          // of the threads, with their number behind it
    std::function<void(std::exception_ptr)> on_error = {};  // a detached task failed; empty: counted, first one logged
    std::function<void(int)> on_thread_start = {};          // on each worker's thread, with its index
    std::function<void(int)> on_thread_stop = {};
};

// Worker threads that share their work by stealing. Every call may come from any thread: from outside, from a job of
// this pool, from a job of another pool. Destroying a pool finishes all that was accepted.
class Pool {
  public:
    static constexpr int kMostWorkers = 1024;
    static constexpr std::size_t kMostQueueCapacity = std::size_t{1} << 20;
    static constexpr std::size_t kMostStealBatch = 256;

    // Throws std::invalid_argument for an option out of range, quarry::Error when a thread can not be started.
    QUARRY_API explicit Pool(PoolOptions options = {});
    explicit Pool(int workers) : Pool(PoolOptions{.workers = workers}) {}
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    QUARRY_API ~Pool();

    // Runs body(Scope&), then waits for all that was spawned in it. Rethrows the first error. See scope.hpp.
    template <class Body>
    void scope(Body&& body);
    template <class Body>
    void scope(Body&& body, const ScopeOptions& options);

    // Runs both, if possible at the same time; the results as a pair, void as std::monostate. See join.hpp.
    template <class F, class G>
    auto join(F&& f, G&& g);

    // Hands f() to the workers. From outside it waits for room in the queue; from within a job, a scope, a join or a
    // loop of any pool it never waits, because the worker that would make room may be waiting for that job.
    template <class F>
    Task<std::invoke_result_t<std::decay_t<F>&>> submit(F&& f);

    QUARRY_API int worker_count() const noexcept;
    QUARRY_API PoolStats stats() const;

    // A pool with the default options, made at first use. It is never destroyed, unless by stop_shared(): no thread is
    // left to a static destructor. After stop_shared() the next use makes a new one.
    QUARRY_API static Pool& shared();
    QUARRY_API static void stop_shared();
    // The pool whose job runs on this thread, or in whose scope this thread takes part; else null.
    QUARRY_API static Pool* current() noexcept;
    // Index of the calling thread's place in that pool: its workers first, then guests; -1 outside.
    QUARRY_API static int current_index() noexcept;

    impl::PoolCore& core() const noexcept { return *core_; }

  private:
    std::unique_ptr<impl::PoolCore> core_;
};

template <class F, class G>
auto Pool::join(F&& f, G&& g) {
    impl::JoinEntry entry(*this);
    return impl::join_on<F, G>(entry.context(), f, g);
}

template <class F>
Task<std::invoke_result_t<std::decay_t<F>&>> Pool::submit(F&& f) {
    using R = std::invoke_result_t<std::decay_t<F>&>;
    using Payload = impl::TaskPayload<std::decay_t<F>, R>;
    impl::JobUnderConstruction job(impl::allocate_job());
    auto& payload = impl::PayloadIn<Payload>::emplace(job.get(), std::forward<F>(f), impl::task_home(*core_));
    impl::Job& ready = job.complete(&Payload::operate);
    impl::submit_task(*core_, ready);
    return Task<R>(ready, payload.outcome);
}

}  // namespace quarry
