#pragma once

#include <version>

#if !defined(__cpp_impl_coroutine) || !defined(__cpp_lib_coroutine)
#error "quarry/jobs/coro.hpp needs C++20 coroutines: GCC 12 or Clang 14 with libstdc++ and -std=c++20, or newer ones"
#endif

#include <coroutine>
#include <type_traits>
#include <utility>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/impl/coro_promise.hpp"
#include "quarry/jobs/impl/coro_run.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/task.hpp"

namespace quarry {

// A function that can stop in the middle and go on elsewhere. It does nothing until it is started, by
// Pool::start or by `co_await` in another coro; dropping one that was not started destroys its arguments. In a coro:
//
// clang-format off
//   co_await pool.schedule(lane, priority)  the rest runs as a job of that lane; on the host's thread for Lane::host.
//                                           Never waits for room in the lane.
//   co_await task                           its value, once it has ended, or its exception, or Cancelled. The
//                                           coroutine goes on in the pool and lane where it was; at once if the task
//                                           has ended already.
//   co_await other_coro                     runs it to its end, here or wherever it leads; its value or its exception.
//                                           The two share the place: after it one is where it has ended.
// clang-format on
//
// Both of the last consume what they await, and throw quarry::Error if there is nothing in it. Nothing else can be
// awaited.
template <class T = void>
class [[nodiscard]] coro {
    static_assert(!std::is_reference_v<T>, "return a pointer instead of a reference");

  public:
    // For the compiler.
    using promise_type = impl::CoroPromise<T>;

    coro() noexcept = default;
    // Takes the coroutine over; the other one is empty.
    coro(coro&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    coro& operator=(coro&& other) noexcept {
        coro dropped(std::move(*this));
        handle_ = std::exchange(other.handle_, nullptr);
        return *this;
    }
    ~coro() {
        if (handle_) handle_.destroy();
    }

    // Whether there is a coroutine at all: false for a default coro, and after it was awaited, started or moved from.
    bool valid() const noexcept { return static_cast<bool>(handle_); }

  private:
    friend class Pool;
    friend promise_type;
    friend struct impl::CoroBody<T>;
    friend class impl::CoroAwaiter<T>;
    explicit coro(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

    std::coroutine_handle<promise_type> handle_ = nullptr;
};

inline coro<void> impl::CoroPromise<void>::get_return_object() noexcept {
    return coro<void>(std::coroutine_handle<CoroPromise>::from_promise(*this));
}

// The coroutine begins as a job of options.lane, for which this waits for room as submit does, and moves from it only
// on success. The Task ends when the coroutine does; a thread that waits for it runs whatever hop is next, as far as
// its lane allows. Cancelled, if it leaves the coroutine, makes the Task cancelled.
//
// Once options.stop_token is requested a coroutine that has not started does not start, and each `co_await` of a
// schedule or a Task throws Cancelled, where the coroutine then is.
template <class T>
Task<T> Pool::start(coro<T>&& coroutine, const SubmitOptions& options) {
    using Body = impl::CoroBody<T>;
    if (!coroutine.valid()) impl::throw_empty_coro();
    impl::Admission admission(*core_, options, impl::Admission::WhenFull::wait);
    impl::JobUnderConstruction hop(impl::allocate_job());
    impl::JobUnderConstruction under_construction(impl::allocate_job());
    Body& body = impl::BodyIn<Body>::emplace(under_construction.get(), std::move(coroutine));
    body.coroutine.handle_.promise().run = &body.run;
    impl::Job& job = under_construction.complete(&Body::operate);
    Task<T> task(job, body.result);
    impl::start_coroutine(admission, body.run, job, hop.complete(nullptr), body.coroutine.handle_, options);
    return task;
}

}  // namespace quarry
