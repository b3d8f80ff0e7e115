#pragma once

#include <coroutine>
#include <stop_token>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/admission.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/impl/task_body.hpp"
#include "quarry/jobs/lane.hpp"

// A coroutine that was started, with all coroutines that it awaits: at any time one of them runs or is suspended, the
// others wait for it. It runs in jobs: each hop is one. See src/jobs/task/coro.cpp for how its Task ends.
namespace quarry::impl {

struct Schedule;

// In the job in which a coroutine runs. When the coroutine is suspended, another thread may go on with it at once, so
// what this job needs afterwards must not be in the coroutine.
struct HopLoop {
    std::coroutine_handle<> next;  // to be resumed by this job
    int transfers_left;
    bool finished;
};

// Told of the end of a Task of another pool.
struct HopListener : EndListener {
    Job* hop = nullptr;
};

struct CoroRun {
    Job* task = nullptr;
    Job* hop = nullptr;  // the job in which the coroutine runs or will go on; the run holds its handle
    HopLoop* loop = nullptr;
    std::stop_token stop;
    bool abandoned = false;  // its lane will never run it

    // From a coroutine to the one that it awaits or that awaits it: the compiler's symmetric transfer. GCC makes that
    // a jump only when it optimises and no sanitizer is on, else a call, so now and then the way leads over the loop
    // of the job, which is the bottom of the stack.
    std::coroutine_handle<> transfer_to(std::coroutine_handle<> other) const noexcept {
        if (--loop->transfers_left > 0) return other;
        loop->next = other;
        return std::noop_coroutine();
    }

    bool must_stop() const noexcept { return abandoned || stop.stop_requested(); }
};

// Queues the first hop, for which there is room. The task's body, which holds the run, is complete.
QUARRY_API void start_coroutine(Admission& admission, CoroRun& run, Job& task, Job& hop,
                                std::coroutine_handle<> coroutine, const SubmitOptions& options) noexcept;

// A job for the next hop. Throws as submit does, and std::bad_alloc; the coroutine is then where it was.
QUARRY_API Job& prepare_hop(const CoroRun& run, const Schedule& where);
// The coroutine is suspended and goes on in that job, maybe before this returns.
QUARRY_API void hop(CoroRun& run, Job& job, const Schedule& where, std::coroutine_handle<> coroutine) noexcept;
// A job for a hop that follows another job, which has not ended. Throws quarry::Error if it never will, because it is
// one of a forked child's parent, and std::bad_alloc.
QUARRY_API Job& prepare_hop_after(const CoroRun& run, Job& antecedent);
// The coroutine goes on in listener.hop when the antecedent has ended; in the pool and lane where the coroutine is.
QUARRY_API void hop_after(CoroRun& run, HopListener& listener, Job& antecedent,
                          std::coroutine_handle<> coroutine) noexcept;

// The coroutine has finished or will not start: the last hop is over for it.
QUARRY_API void leave_hop(CoroRun& run) noexcept;
// Its task has failed: the home is kept for the report.
QUARRY_API void coroutine_failed(Job& task) noexcept;

QUARRY_API void throw_if_stopped(const CoroRun& run);
[[noreturn]] QUARRY_API void throw_empty_coro();
[[noreturn]] QUARRY_API void throw_awaits_itself();

}  // namespace quarry::impl
