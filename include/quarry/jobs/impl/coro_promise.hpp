#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/coro_run.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/task.hpp"

// What coroutines of type coro<T> do when they await something and when they return.
namespace quarry::impl {

class ScheduleAwaiter {
  public:
    ScheduleAwaiter(CoroRun& run, const Schedule& where) noexcept : run_(run), where_(where) {}

    // What can fail fails here, where the coroutine is not suspended yet.
    bool await_ready() {
        job_ = &prepare_hop(run_, where_);
        return false;
    }
    void await_suspend(std::coroutine_handle<> coroutine) noexcept { hop(run_, *job_, where_, coroutine); }
    void await_resume() const { throw_if_stopped(run_); }

  private:
    CoroRun& run_;
    const Schedule where_;
    Job* job_ = nullptr;
};

template <class R>
class TaskAwaiter {
  public:
    TaskAwaiter(CoroRun& run, Task<R>&& task) noexcept : run_(run), task_(std::move(task)) {}
    TaskAwaiter(const TaskAwaiter&) = delete;
    TaskAwaiter& operator=(const TaskAwaiter&) = delete;

    bool await_ready() {
        if (!task_.valid()) throw_no_result();
        if (TaskAccess::job(task_) == run_.task) throw_awaits_itself();
        if (run_.must_stop() || task_.ready()) return true;
        listener_.hop = &prepare_hop_after(run_, *TaskAccess::job(task_));
        return false;
    }
    void await_suspend(std::coroutine_handle<> coroutine) noexcept {
        hop_after(run_, listener_, *TaskAccess::job(task_), coroutine);
    }
    R await_resume() {
        throw_if_stopped(run_);
        return task_.get();
    }

  private:
    CoroRun& run_;
    Task<R> task_;
    HopListener listener_{};
};

template <class U>
class CoroAwaiter {
  public:
    CoroAwaiter(CoroRun& run, coro<U>&& awaited) noexcept : run_(run), awaited_(std::move(awaited)) {}
    CoroAwaiter(const CoroAwaiter&) = delete;
    CoroAwaiter& operator=(const CoroAwaiter&) = delete;

    bool await_ready() const {
        if (!awaited_.valid()) throw_empty_coro();
        return false;
    }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
        auto& promise = awaited_.handle_.promise();
        promise.run = &run_;
        promise.awaiting = awaiting;
        return run_.transfer_to(awaited_.handle_);
    }
    U await_resume() { return awaited_.handle_.promise().take(); }

  private:
    CoroRun& run_;
    coro<U> awaited_;
};

struct CoroPromiseBase {
    CoroRun* run = nullptr;            // since it was started or awaited
    std::coroutine_handle<> awaiting;  // none: its end is that of the run
    std::exception_ptr error;

    struct FinalAwaiter {
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
            const CoroPromiseBase& promise = finished.promise();
            if (promise.awaiting) return promise.run->transfer_to(promise.awaiting);
            promise.run->loop->finished = true;
            return std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    FinalAwaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { error = std::current_exception(); }

    // Within the coroutine.
    CoroRun& running() const noexcept {
        return *run;  // NOLINT(clang-analyzer-core.*): the analyzer does not see that the promise was constructed
    }

    // Nothing else can be awaited: whoever waits for the coroutine's Task must be able to see in which job it goes on.
    ScheduleAwaiter await_transform(const Schedule& where) const noexcept { return {running(), where}; }
    template <class R>
    TaskAwaiter<R> await_transform(Task<R>& task) const noexcept {
        return {running(), std::move(task)};
    }
    template <class R>
    TaskAwaiter<R> await_transform(Task<R>&& task) const noexcept {
        return {running(), std::move(task)};
    }
    template <class U>
    CoroAwaiter<U> await_transform(coro<U>& awaited) const noexcept {
        return {running(), std::move(awaited)};
    }
    template <class U>
    CoroAwaiter<U> await_transform(coro<U>&& awaited) const noexcept {
        return {running(), std::move(awaited)};
    }
};

template <class T>
struct CoroPromise : CoroPromiseBase {
    coro<T> get_return_object() noexcept { return coro<T>(std::coroutine_handle<CoroPromise>::from_promise(*this)); }

    template <class Value = T>
    requires std::constructible_from<T, Value&&>
    void return_value(Value&& returned) { value.emplace(std::forward<Value>(returned)); }
    T take() {
        if (error) std::rethrow_exception(std::move(error));
        return std::move(*value);
    }

    std::optional<T> value;
};

template <>
struct CoroPromise<void> : CoroPromiseBase {
    coro<void> get_return_object() noexcept;

    void return_void() const noexcept {}
    void take() {
        if (error) std::rethrow_exception(std::move(error));
    }
};

// The job of a started coroutine's Task.
template <class T>
struct CoroBody {
    explicit CoroBody(coro<T>&& started) noexcept : coroutine(std::move(started)) {}

    TaskResult<T> result;
    coro<T> coroutine;
    CoroRun run;

    static void operate(Job& job, Job::Operation operation) {
        CoroBody& body = BodyIn<CoroBody>::get(job);
        if (operation == Job::Operation::destroy) {
            drop_result(job, body.result);
            return BodyIn<CoroBody>::destroy(job);
        }
        leave_hop(body.run);
        if (operation == Job::Operation::run) {
            body.take_result(job);
        } else {
            task_front(job).outcome = Outcome::cancelled;
        }
        body.coroutine = {};
        body.run.stop = {};
    }

  private:
    void take_result(Job& job) noexcept {
        auto take = [this]() -> T { return coroutine.handle_.promise().take(); };
        try {
            ::new (static_cast<void*>(&result.value)) NonVoid<T>(invoke_non_void(take));
            task_front(job).outcome = Outcome::value;
        } catch (const Cancelled&) {
            task_front(job).outcome = Outcome::cancelled;
        } catch (...) {
            ::new (static_cast<void*>(&result.error)) std::exception_ptr(std::current_exception());
            task_front(job).outcome = Outcome::error;
            coroutine_failed(job);
        }
    }
};

}  // namespace quarry::impl
