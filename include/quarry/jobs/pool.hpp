#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "quarry/export.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/admission.hpp"
#include "quarry/jobs/impl/join_frame.hpp"
#include "quarry/jobs/impl/misuse.hpp"
#include "quarry/jobs/lane.hpp"
#include "quarry/jobs/stats.hpp"
#include "quarry/jobs/task.hpp"

namespace quarry {

namespace impl {

// What a coroutine awaits in order to go on elsewhere.
struct Schedule {
    Pool& pool;
    Lane lane;
    Priority priority;
};

}  // namespace impl

// How a pool is made; the defaults suit most programs.
struct PoolOptions {
    int workers = 0;                      // 0: one per usable CPU (affinity mask and cgroup quota count); at most 1,024
    int io_threads = 2;                   // of Lane::io, started by its first job; 0: no such lane; at most 256
    int reserved_for_frame = 0;           // workers that never start background work; less than `workers`
    std::size_t queue_capacity = 10'000;  // jobs waiting in each lane, and in a worker's own queue; 1 to 1,048,576
    std::size_t steal_batch = 32;         // most jobs a thief takes at once; 1 to 256
    bool lifo_slot = true;                // keep the job a worker submitted last where it is found first
    std::string name = "quarry";          // of the threads, with their number behind it
    std::function<void(std::exception_ptr)> on_error = {};  // a detached task failed; empty: counted, first one logged
    std::function<void(int)> on_thread_start = {};          // on each thread of the pool, with its index
    std::function<void(int)> on_thread_stop = {};           // on each thread of the pool, before it ends
};

// Worker threads that share their work by stealing. Every call may come from any thread: from outside, from a job of
// this pool, from a job of another pool. Destroying a pool finishes all that was accepted.
class Pool {
  public:
    // Limits of the options.
    static constexpr int kMostWorkers = 1024;
    static constexpr int kMostIoThreads = 256;
    static constexpr std::size_t kMostQueueCapacity = std::size_t{1} << 20;
    static constexpr std::size_t kMostStealBatch = 256;

    // Throws std::invalid_argument for an option out of range, quarry::Error when a thread cannot be started.
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

    // Hands f() to the threads of a lane. From outside it waits for room in the lane's queue; from within a job, a
    // scope, a join or a loop of any pool it never waits, because the worker that would make room may be waiting for
    // that job; nor does the host's thread for its own lane, or while a job waits in that lane. Throws quarry::Error
    // when the pool is being destroyed; its own jobs may still submit then, and all of it is run.
    template <class F>
    Task<std::invoke_result_t<std::decay_t<F>&>> submit(F&& f, const SubmitOptions& options = {});
    // Submits without ever waiting: std::nullopt when the lane is full, and f is then untouched.
    template <class F>
    std::optional<Task<std::invoke_result_t<std::decay_t<F>&>>> try_submit(F&& f, const SubmitOptions& options = {});

    // Starts a coroutine as a job of its own; inside it, `co_await pool.schedule(lane)` goes on as a job of that lane.
    // See coro.hpp.
    template <class T>
    Task<T> start(coro<T>&& coroutine, const SubmitOptions& options = {});
    [[nodiscard]] impl::Schedule schedule(Lane lane, Priority priority = Priority::normal) noexcept {
        return {*this, lane, priority};
    }

    // Runs jobs of Lane::host, most important first: all that wait, at most `most`, or until the budget is spent (but
    // one at least). Returns how many. What they submit meanwhile is among them, so one that submits itself again, for
    // the next frame say, needs `most` or a budget. Only on the host's thread: the one that made the pool, or adopted
    // it since.
    QUARRY_API std::size_t run_host_jobs(std::size_t most = static_cast<std::size_t>(-1));
    QUARRY_API std::size_t run_host_jobs(std::chrono::nanoseconds budget);
    // From now on the calling thread is the host's.
    QUARRY_API void adopt_host_thread() noexcept;
    // A hint, on the host's thread: between the two that thread computes and does not sleep, so a worker that it wakes
    // by a submit had better start on another CPU. Without a frame the pool supposes that it is about to sleep. Throws
    // quarry::Error on another thread. Costs a store; see docs/decisions/0014-frame-phase-hint.md.
    QUARRY_API void begin_frame();
    QUARRY_API void end_frame();

    // How many workers there are.
    QUARRY_API int worker_count() const noexcept;
    // What they have done; exact when the pool is idle.
    QUARRY_API PoolStats stats() const;

    // A pool with the default options, made at first use. It is never destroyed, unless by stop_shared(): no thread is
    // left to a static destructor.
    QUARRY_API static Pool& shared();
    // Destroys that pool, if there is one, as any pool: all that was accepted is finished first. To its own jobs it
    // stays the shared one meanwhile; for everybody else the next use makes a new one. Waits for a `join` of another
    // thread in it. Whoever holds a reference from shared() must be done with it before.
    QUARRY_API static void stop_shared();
    // The pool whose job runs on this thread, or in whose scope this thread takes part; else null.
    QUARRY_API static Pool* current() noexcept;
    // The calling thread's index in that pool: its workers come first, then guests, then its I/O threads;
    // -1 outside.
    QUARRY_API static int current_index() noexcept;
    // Lane and priority of the job that runs on this thread; frame and normal outside.
    QUARRY_API static Lane current_lane() noexcept;
    QUARRY_API static Priority current_priority() noexcept;

    // For the layers that build on this one.
    impl::PoolCore& core() const noexcept { return *core_; }

  private:
    template <class F>
    static auto admit(impl::Admission& admission, F&& f, const SubmitOptions& options);

    std::unique_ptr<impl::PoolCore> core_;
};

template <class F, class G>
auto Pool::join(F&& f, G&& g) {
    if constexpr (impl::check_join<F, G>()) {
        impl::WorkerContext* const context = impl::current_context;
        if (context != nullptr && &context->core == core_.get()) [[likely]] {
            return impl::join_on<F, G>(*context, f, g);
        }
        return impl::join_as_guest<impl::Passed<F>, impl::Passed<G>>(*this, std::forward<F>(f), std::forward<G>(g));
    } else {
        return impl::Misused{};
    }
}

template <class F>
auto Pool::admit(impl::Admission& admission, F&& f, const SubmitOptions& options) {
    using R = std::invoke_result_t<std::decay_t<F>&>;
    static_assert(impl::kMovesOut<R>,
                  "Pool::submit: the result can neither be moved nor copied; return a std::unique_ptr to it");
    using Body = impl::TaskBody<std::decay_t<F>, R>;
    impl::JobUnderConstruction under_construction(impl::allocate_job());
    Body& body = impl::BodyIn<Body>::emplace(under_construction.get(), std::forward<F>(f));
    impl::Job& job = under_construction.complete(&Body::operate);
    Task<R> task(job, body.result);
    admission.submit(job, options);
    return task;
}

template <class F>
Task<std::invoke_result_t<std::decay_t<F>&>> Pool::submit(F&& f, const SubmitOptions& options) {
    impl::Admission admission(*core_, options, impl::Admission::WhenFull::wait);
    return admit(admission, std::forward<F>(f), options);
}

template <class F>
std::optional<Task<std::invoke_result_t<std::decay_t<F>&>>> Pool::try_submit(F&& f, const SubmitOptions& options) {
    impl::Admission admission(*core_, options, impl::Admission::WhenFull::refuse);
    if (!admission.granted()) return std::nullopt;
    return admit(admission, std::forward<F>(f), options);
}

}  // namespace quarry

// The bodies of Pool::scope. At the end: it needs Pool.
#include "quarry/jobs/scope.hpp"  // IWYU pragma: export
