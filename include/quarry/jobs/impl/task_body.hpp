#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/impl/join_frame.hpp"
#include "quarry/jobs/lane.hpp"

// What a submitted job keeps in its node: a header that the library alone reads, except for the part below, and
// behind it the body, which the templates know: closure and result.
namespace quarry::impl {

enum class Outcome : std::uint8_t { none, value, error, cancelled };

struct TaskFront {
    Outcome outcome;
    Lane lane;
    bool gated;  // it needs a permit
};

inline constexpr std::size_t kTaskHeaderBytes = 40;
template <class Body>
using BodyIn = PayloadIn<Body, kTaskHeaderBytes>;

inline TaskFront& task_front(Job& job) noexcept {
    return *std::launder(static_cast<TaskFront*>(closure_storage(job)));
}

// Told once when a job ends, by the thread that ended it. It may be gone when `ended` returns.
struct EndListener {
    std::uintptr_t next;
    void (*ended)(EndListener&) noexcept;
};

// The job has failed: counted where it runs, and its home is kept for the report.
QUARRY_API void task_failed(Job& job) noexcept;
// The job found out, when it was to run, that there is nothing to do.
QUARRY_API void task_cancelled_itself() noexcept;
// Nobody asked for the error.
QUARRY_API void report_detached_error(Job& job, std::exception_ptr error) noexcept;
// Somebody took the error: the job's home need not be kept any longer.
QUARRY_API void error_was_taken(Job& job) noexcept;
// From here on nobody reaches what this job continues through it. Before the Tasks it holds are dropped.
QUARRY_API void detach_antecedents(Job& job) noexcept;

// Which member is alive is said by TaskFront::outcome.
template <class R>
union TaskResult {
    NonVoid<R> value;
    std::exception_ptr error;

    TaskResult() noexcept {}  // NOLINT(modernize-use-equals-default): nothing is alive yet
    TaskResult(const TaskResult&) = delete;
    TaskResult& operator=(const TaskResult&) = delete;
    ~TaskResult() {}  // NOLINT(modernize-use-equals-default)
};

template <class R>
void put_error(Job& job, TaskResult<R>& result, std::exception_ptr error) noexcept {
    ::new (static_cast<void*>(&result.error)) std::exception_ptr(std::move(error));
    task_front(job).outcome = Outcome::error;
    task_failed(job);
}

// f: a callable without arguments that gives a NonVoid<R>.
template <class R, class F>
void put_result_of(Job& job, TaskResult<R>& result, F&& f) noexcept {
    try {
        ::new (static_cast<void*>(&result.value)) NonVoid<R>(std::forward<F>(f)());
        task_front(job).outcome = Outcome::value;
    } catch (...) {
        put_error(job, result, std::current_exception());
    }
}

template <class R>
std::exception_ptr take_error(Job& job, TaskResult<R>& result) noexcept {
    std::exception_ptr error = std::move(result.error);
    std::destroy_at(&result.error);
    task_front(job).outcome = Outcome::none;
    error_was_taken(job);
    return error;
}

// The job has ended and nobody can ask any more.
template <class R>
void drop_result(Job& job, TaskResult<R>& result) noexcept {
    if (task_front(job).outcome == Outcome::value) std::destroy_at(&result.value);
    if (task_front(job).outcome == Outcome::error) {
        std::exception_ptr error = std::move(result.error);
        std::destroy_at(&result.error);
        report_detached_error(job, std::move(error));
    }
}

// A closure that is alive from the beginning and ends before the body does.
template <class F>
union ClosureUntilRun {
    F function;

    template <class Closure>
    explicit ClosureUntilRun(Closure&& closure) : function(std::forward<Closure>(closure)) {}
    ClosureUntilRun(const ClosureUntilRun&) = delete;
    ClosureUntilRun& operator=(const ClosureUntilRun&) = delete;
    ~ClosureUntilRun() {}  // NOLINT(modernize-use-equals-default)
};

template <class F, class R>
struct TaskBody {
    template <class Closure>
    explicit TaskBody(Closure&& f) : closure(std::forward<Closure>(f)) {}

    TaskResult<R> result;
    ClosureUntilRun<F> closure;

    static void operate(Job& job, Job::Operation operation) {
        TaskBody& body = BodyIn<TaskBody>::get(job);
        if (operation == Job::Operation::destroy) {
            drop_result(job, body.result);
            return BodyIn<TaskBody>::destroy(job);
        }
        if (operation == Job::Operation::run) {
            put_result_of(job, body.result, [&] { return invoke_non_void(body.closure.function); });
        } else {
            task_front(job).outcome = Outcome::cancelled;
        }
        std::destroy_at(&body.closure.function);
    }
};

}  // namespace quarry::impl
