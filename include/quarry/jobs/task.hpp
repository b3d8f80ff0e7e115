#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/impl/task_body.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry {

namespace impl {

QUARRY_API bool task_ready(const Job& job) noexcept;
QUARRY_API void wait_for_task(Job& job);
QUARRY_API bool cancel_task(Job& job);
QUARRY_API bool raise_task(Job& job, Priority priority);
// False: it has ended already, and the listener is not told.
QUARRY_API bool listen_for_end(Job& job, EndListener& listener) noexcept;
[[noreturn]] QUARRY_API void throw_no_result();
[[noreturn]] QUARRY_API void throw_cancelled();

// Gives a new job the pool, lane and priority of the one it will continue. Throws quarry::Error when that pool has
// ended.
QUARRY_API void prepare_continuation(Job& job, Job& antecedent);
// The job runs once the antecedent has ended. It holds the antecedent's handle.
QUARRY_API void attach_continuation(Job& job, Job& antecedent) noexcept;

struct TaskAccess;
template <class F, class R>
struct ThenBody;

// What f returns when it is called with the value of a Task<R>.
template <class F, class R>
struct ThenResult : std::invoke_result<F&, R&&> {};
template <class F>
struct ThenResult<F, void> : std::invoke_result<F&> {};

}  // namespace impl

// One submitted job and what becomes of it. Dropping a Task detaches the job: it still runs, and if it throws, the
// error goes to PoolOptions::on_error. A Task may outlive its pool. One thread at a time may call its verbs.
template <class R>
class Task {
    static_assert(!std::is_reference_v<R>, "return a pointer instead of a reference");

  public:
    Task() noexcept = default;
    // Takes the job over; the other one is empty.
    Task(Task&& other) noexcept
        : job_(std::exchange(other.job_, nullptr)), result_(std::exchange(other.result_, nullptr)) {}
    Task& operator=(Task&& other) noexcept {
        Task dropped(std::move(*this));
        job_ = std::exchange(other.job_, nullptr);
        result_ = std::exchange(other.result_, nullptr);
        return *this;
    }
    ~Task() {
        if (job_ != nullptr) impl::drop_handle(*job_);
    }

    // Whether there is a job at all: false for a default Task, and after get, then or a move.
    bool valid() const noexcept { return job_ != nullptr; }
    // Whether the job has ended: completed, failed or cancelled.
    bool ready() const noexcept { return job_ != nullptr && impl::task_ready(*job_); }

    // Returns when the job has ended. If it has not started, the caller runs it; a job for the host's thread only on
    // that thread.
    void wait() const { impl::wait_for_task(job()); }

    // Waits, then gives the result, once, or rethrows the job's exception, or throws Cancelled. The Task is empty
    // afterwards.
    R get() {
        wait();
        Task finished(std::move(*this));
        switch (impl::task_front(*finished.job_).outcome) {
            case impl::Outcome::error:
                std::rethrow_exception(impl::take_error(*finished.job_, *finished.result_));
            case impl::Outcome::cancelled:
                impl::throw_cancelled();
            default:
                break;
        }
        if constexpr (!std::is_void_v<R>) return std::move(finished.result_->value);
    }

    // Gives the job up if it has not started. False: too late, it runs or has ended. Here and below quarry::Error in a
    // forked child for what the parent's pool has not ended, as everywhere.
    bool cancel() { return impl::cancel_task(job()); }

    // Puts the job in front of what waits at a lower priority. False: it has started, or had that priority already.
    // Throws std::invalid_argument for an unknown priority. Without memory std::bad_alloc: the job keeps its place, and
    // runs at the new priority when its turn comes.
    bool raise(Priority priority) { return impl::raise_task(job(), priority); }

    // A job that starts when this one has ended, in the same lane and at the same priority: f(value), or f() for void.
    // If this one fails or is cancelled, f is not called and the new one ends in the same way. Consumes this Task, so
    // it is called on a temporary or on std::move(task); never waits for room.
    template <class F>
    auto then(F&& f) && -> Task<typename impl::ThenResult<std::decay_t<F>, R>::type>;
    template <class F>
    [[deprecated("then consumes the task: write std::move(task).then(f)")]] auto then(
        F&& f) & -> Task<typename impl::ThenResult<std::decay_t<F>, R>::type> {
        return std::move(*this).then(std::forward<F>(f));
    }

  private:
    friend class Pool;
    friend struct impl::TaskAccess;
    template <class Other>
    friend class Task;
    Task(impl::Job& job, impl::TaskResult<R>& result) noexcept : job_(&job), result_(&result) {}

    impl::Job& job() const {
        if (job_ == nullptr) impl::throw_no_result();
        return *job_;
    }

    impl::Job* job_ = nullptr;
    impl::TaskResult<R>* result_ = nullptr;
};

namespace impl {

// For what builds on tasks: continuations, when_all, coroutines.
struct TaskAccess {
    template <class R>
    static Job* job(const Task<R>& task) noexcept {
        return task.job_;
    }
    template <class R>
    static TaskResult<R>& result(const Task<R>& task) noexcept {
        return *task.result_;
    }
    template <class R>
    static Task<R> make(Job& job, TaskResult<R>& result) noexcept {
        return Task<R>(job, result);
    }
};

// F is called with the value of a Task<Before> and returns a Result.
template <class F, class Before>
struct ThenBody {
    using Result = typename ThenResult<F, Before>::type;

    template <class Closure>
    explicit ThenBody(Closure&& f) : closure(std::forward<Closure>(f)) {}

    TaskResult<Result> result;
    ClosureUntilRun<F> closure;
    Task<Before> antecedent;

    static void operate(Job& job, Job::Operation operation) {
        ThenBody& body = BodyIn<ThenBody>::get(job);
        if (operation == Job::Operation::destroy) {
            drop_result(job, body.result);
            return BodyIn<ThenBody>::destroy(job);
        }
        detach_antecedents(job);
        if (operation == Job::Operation::run) {
            body.run(job);
        } else {
            task_front(job).outcome = Outcome::cancelled;
        }
        std::destroy_at(&body.closure.function);
        body.antecedent = {};
    }

  private:
    void run(Job& job) noexcept {
        Job& before = *TaskAccess::job(antecedent);
        TaskResult<Before>& value = TaskAccess::result(antecedent);
        switch (task_front(before).outcome) {
            case Outcome::error:
                return put_error(job, result, take_error(before, value));
            case Outcome::cancelled:
                task_front(job).outcome = Outcome::cancelled;
                return task_cancelled_itself();
            default:
                put_result_of(job, result, [&] { return call(value); });
        }
    }
    NonVoid<Result> call(TaskResult<Before>& value) {
        auto bound = [&]() -> Result {
            if constexpr (std::is_void_v<Before>) {
                return std::invoke(closure.function);
            } else {
                return std::invoke(closure.function, std::move(value.value));
            }
        };
        return invoke_non_void(bound);
    }
};

}  // namespace impl

template <class R>
template <class F>
auto Task<R>::then(F&& f) && -> Task<typename impl::ThenResult<std::decay_t<F>, R>::type> {
    using Body = impl::ThenBody<std::decay_t<F>, R>;
    impl::Job& antecedent = job();
    impl::JobUnderConstruction under_construction(impl::allocate_job());
    Body& body = impl::BodyIn<Body>::emplace(under_construction.get(), std::forward<F>(f));
    try {
        impl::prepare_continuation(under_construction.get(), antecedent);
    } catch (...) {
        std::destroy_at(&body.closure.function);
        impl::BodyIn<Body>::destroy(under_construction.get());
        throw;
    }
    body.antecedent = std::move(*this);
    impl::Job& continuation = under_construction.complete(&Body::operate);
    Task<typename Body::Result> task(continuation, body.result);
    impl::attach_continuation(continuation, antecedent);
    return task;
}

}  // namespace quarry
