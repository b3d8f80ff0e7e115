#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/impl/join_frame.hpp"

namespace quarry {

namespace impl {

class PoolCore;
struct TaskHome;  // what a task needs of its pool, and may outlive it

QUARRY_API std::shared_ptr<TaskHome> task_home(PoolCore& core);
// A task failed and nobody asked for its result.
QUARRY_API void report_detached_error(TaskHome& home, std::exception_ptr error) noexcept;
QUARRY_API void submit_task(PoolCore& core, Job& job);
QUARRY_API bool task_ready(const Job& job) noexcept;
QUARRY_API void wait_for_task(Job& job, TaskHome& home);
[[noreturn]] QUARRY_API void throw_no_result();
// The task's closure threw: counted where it ran.
QUARRY_API void task_failed() noexcept;

template <class R>
struct TaskOutcome {
    explicit TaskOutcome(std::shared_ptr<TaskHome> pool_home) noexcept : home(std::move(pool_home)) {}

    std::shared_ptr<TaskHome> home;
    std::optional<NonVoid<R>> value;
    std::exception_ptr error;
};

template <class F, class R>
struct TaskPayload {
    template <class Closure>
    TaskPayload(Closure&& closure, std::shared_ptr<TaskHome> home)
        : function(std::forward<Closure>(closure)), outcome(std::move(home)) {}
    std::optional<F> function;
    TaskOutcome<R> outcome;

    static void operate(Job& job, Job::Operation operation) {
        auto& payload = PayloadIn<TaskPayload>::get(job);
        if (operation == Job::Operation::destroy) {
            if (payload.outcome.error) report_detached_error(*payload.outcome.home, std::move(payload.outcome.error));
            return PayloadIn<TaskPayload>::destroy(job);
        }
        if (operation == Job::Operation::run) {
            try {
                payload.outcome.value.emplace(invoke_non_void(*payload.function));
            } catch (...) {
                payload.outcome.error = std::current_exception();
                task_failed();
            }
        }
        payload.function.reset();
    }
};

}  // namespace impl

// One submitted job and what becomes of it. Dropping a Task detaches the job: it still runs, and if it throws, the
// error goes to PoolOptions::on_error. A Task may outlive its pool.
template <class R>
class Task {
    static_assert(!std::is_reference_v<R>, "return a pointer instead of a reference");

  public:
    Task() noexcept = default;
    Task(Task&& other) noexcept
        : job_(std::exchange(other.job_, nullptr)), outcome_(std::exchange(other.outcome_, nullptr)) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(job_, other.job_);
        std::swap(outcome_, other.outcome_);
        return *this;
    }
    ~Task() {
        if (job_ != nullptr) impl::drop_handle(*job_);
    }

    bool ready() const noexcept { return job_ != nullptr && impl::task_ready(*job_); }

    // Returns when the job has ended. If it has not started, the caller runs it.
    void wait() {
        if (job_ == nullptr) impl::throw_no_result();
        impl::wait_for_task(*job_, *outcome_->home);
    }

    // Waits, then gives the result, once, or rethrows the job's exception. The Task is empty afterwards.
    R get() {
        wait();
        Task finished(std::move(*this));
        if (finished.outcome_->error) std::rethrow_exception(std::exchange(finished.outcome_->error, nullptr));
        if constexpr (!std::is_void_v<R>) return std::move(*finished.outcome_->value);
    }

  private:
    friend class Pool;
    Task(impl::Job& job, impl::TaskOutcome<R>& outcome) noexcept : job_(&job), outcome_(&outcome) {}

    impl::Job* job_ = nullptr;
    impl::TaskOutcome<R>* outcome_ = nullptr;
};

}  // namespace quarry
