#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/impl/join_frame.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry {

// One failed job of a scope.
struct JobError {
    static constexpr std::size_t kBody = static_cast<std::size_t>(-2);    // the scope's own body threw
    static constexpr std::size_t kNested = static_cast<std::size_t>(-1);  // the job was spawned by another thread

    std::size_t index;         // in the order of spawning on the scope's own thread, or one of the above
    std::exception_ptr error;  // what it threw
};

// GCC takes the initialisation of a deprecated member for a use of it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// How a scope ends before its time, and what becomes of its errors.
struct ScopeOptions {
    std::stop_token stop_token = {};  // once requested, jobs that have not started are cancelled
    [[deprecated("use stop_token")]] std::stop_token stop = {};  // goes with the next version
    // Receives every error, in index order, and nothing is rethrown, unless there is no memory for one of them: then
    // the first error is.
    std::vector<JobError>* errors = nullptr;
    // What traces call the scope's jobs, instead of "scope job". Lives as long as the trace: a literal, or trace_name.
    const char* name = nullptr;
};
#pragma GCC diagnostic pop

// What a job of a scope returned. Valid once scope() has returned, and as long as one likes after that.
template <class R>
class ScopeResult;

namespace impl {

struct Group;
class Worker;

// Payload of a spawned job whose result somebody may want.
template <class F, class R>
struct ResultPayload {
    template <class Closure>
    explicit ResultPayload(Closure&& closure) : function(std::forward<Closure>(closure)) {}
    std::optional<F> function;
    std::optional<R> result;
};

QUARRY_API void run_scope(Pool& pool, const ScopeOptions& options, void (*body)(void*, Scope&), void* state);
// The job's closure threw; called from the handler.
QUARRY_API void scope_job_failed(Job& job) noexcept;
// What becomes of a job that is spawned: it is queued, or it runs at once where the caller's queue is full. Then,
// unless its result is wanted, it is no more than a call within the one that spawns it, and needs no node.
struct Spawning {
    Job* node;       // to build the closure in; null: it is a call
    Worker* caller;  // runs it at once; null: it is to be queued
};
QUARRY_API Spawning begin_spawn(Group& group, bool result);
QUARRY_API void end_spawn(Group& group, Job& job, Worker* caller, bool result);

class SpawnedCall {
  public:
    SpawnedCall(Group& group, Worker& caller) noexcept : group_(group), caller_(caller) {}
    SpawnedCall(const SpawnedCall&) = delete;
    SpawnedCall& operator=(const SpawnedCall&) = delete;

    // The closure is the job's own, as if it had been queued. If making it throws there was no job.
    template <class Closure>
    void run(Closure closure) noexcept {
        begin();
        try {
            std::invoke(closure);
            end();
        } catch (...) {
            fail();
        }
    }

  private:
    QUARRY_API void begin() noexcept;
    QUARRY_API void end() noexcept;
    QUARRY_API void fail() noexcept;  // from the handler

    Group& group_;
    Worker& caller_;
    std::size_t index_;
};

template <class F>
void operate_closure(Job& job, Job::Operation operation) {
    if (operation == Job::Operation::destroy) return;
    if (operation == Job::Operation::run) {
        try {
            std::invoke(PayloadIn<F>::get(job));
        } catch (...) {
            scope_job_failed(job);
        }
    }
    PayloadIn<F>::destroy(job);
}

template <class F, class R>
void operate_with_result(Job& job, Job::Operation operation) {
    using Payload = ResultPayload<F, R>;
    if (operation == Job::Operation::destroy) return PayloadIn<Payload>::destroy(job);
    auto& payload = PayloadIn<Payload>::get(job);
    if (operation == Job::Operation::run) {
        try {
            payload.result.emplace(std::invoke(*payload.function));
        } catch (...) {
            scope_job_failed(job);
        }
    }
    payload.function.reset();
}

}  // namespace impl

template <class R>
class ScopeResult {
  public:
    ScopeResult() noexcept = default;
    // Takes the result over; the other one is empty.
    ScopeResult(ScopeResult&& other) noexcept
        : job_(std::exchange(other.job_, nullptr)), value_(std::exchange(other.value_, nullptr)) {}
    ScopeResult& operator=(ScopeResult&& other) noexcept {
        std::swap(job_, other.job_);
        std::swap(value_, other.value_);
        return *this;
    }
    ~ScopeResult() {
        if (job_ != nullptr) impl::drop_handle(*job_);
    }

    // False when the job failed or was cancelled.
    bool has_value() const noexcept { return value_ != nullptr && value_->has_value(); }
    R& operator*() const noexcept { return **value_; }
    R* operator->() const noexcept { return &**value_; }
    // Throws std::bad_optional_access when the job failed or was cancelled.
    R& value() const { return value_ != nullptr ? value_->value() : throw std::bad_optional_access(); }

  private:
    friend class Scope;
    ScopeResult(impl::Job& job, std::optional<R>& value) noexcept : job_(&job), value_(&value) {}

    impl::Job* job_ = nullptr;
    std::optional<R>* value_ = nullptr;
};

template <>
class ScopeResult<void> {};

// A set of jobs that may borrow the locals of the function that called Pool::scope: it returns only when all have
// ended. Jobs may spawn further ones into the same scope, and so may any other thread, if its spawn() returns before
// the scope's body does, or the job that waits for it: nothing else keeps scope and pool until then.
class Scope {
  public:
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    // Queues f() for the workers. When the caller's queue is full, runs it at once instead.
    template <class F>
    ScopeResult<std::invoke_result_t<std::decay_t<F>&>> spawn(F&& f) {
        using Closure = std::decay_t<F>;
        using R = std::invoke_result_t<Closure&>;
        static_assert(!std::is_reference_v<R>, "return a pointer instead of a reference");
        constexpr bool kResult = !std::is_void_v<R>;
        const impl::Spawning spawning = impl::begin_spawn(group_, kResult);
        if constexpr (kResult) {
            using Payload = impl::ResultPayload<Closure, R>;
            impl::JobUnderConstruction job(*spawning.node);
            auto& payload = impl::PayloadIn<Payload>::emplace(job.get(), std::forward<F>(f));
            impl::Job& ready = job.complete(&impl::operate_with_result<Closure, R>);
            impl::end_spawn(group_, ready, spawning.caller, kResult);
            return ScopeResult<R>(ready, payload.result);
        } else if (spawning.node == nullptr) [[unlikely]] {
            impl::SpawnedCall(group_, *spawning.caller).template run<Closure>(std::forward<F>(f));
        } else {
            impl::JobUnderConstruction job(*spawning.node);
            impl::PayloadIn<Closure>::emplace(job.get(), std::forward<F>(f));
            impl::end_spawn(group_, job.complete(&impl::operate_closure<Closure>), spawning.caller, kResult);
        }
        return {};
    }

  private:
    friend QUARRY_API void impl::run_scope(Pool&, const ScopeOptions&, void (*)(void*, Scope&), void*);
    explicit Scope(impl::Group& group) noexcept : group_(group) {}

    impl::Group& group_;
};

template <class Body>
void Pool::scope(Body&& body, const ScopeOptions& options) {
    using Function = std::remove_reference_t<Body>;
    impl::run_scope(
        *this, options, [](void* state, Scope& scope) { std::invoke(*static_cast<Function*>(state), scope); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

template <class Body>
void Pool::scope(Body&& body) {
    scope(std::forward<Body>(body), ScopeOptions{});
}

}  // namespace quarry
