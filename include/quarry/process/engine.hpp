#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/process/engine_options.hpp"
#include "quarry/process/job.hpp"
#include "quarry/process/result.hpp"
#include "quarry/process/stats.hpp"

namespace quarry::process {

namespace impl {
class Core;
}

// What became of a request to cancel.
enum class Cancel {
    done,    // it will not run; its result says cancelled
    asked,   // it runs; its handler can see the request
    no_job,  // it has ended, or there is no such job
};

// Runs jobs in worker processes: for hosts whose language or API forbids threads, and for work that may crash. Every
// job that submit accepts ends in exactly one result, whatever happens to the workers.
//
// submit, submit_many, poll, cancel, broadcast, stats and health never wait for a worker. They may be called from any
// thread; poll with a ledger only from the host's. In a forked child of the host they refuse or find nothing.
class Engine {
  public:
    // For poll: all results that have come, and as long as that takes.
    static constexpr std::size_t kAll = static_cast<std::size_t>(-1);
    static constexpr auto kNoLimit = std::chrono::nanoseconds::max();

    // Starts the workers. Throws std::invalid_argument for an option out of range, and quarry::Error if no worker can
    // be started: then with what it said.
    QUARRY_API explicit Engine(EngineOptions options);
    // As shutdown(options.shutdown_timeout).
    QUARRY_API ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Hands a job to the workers: its handler's name and what that is to work on, which is copied. Never waits: what
    // cannot be accepted now is refused, with the reason.
    QUARRY_API Submitted submit(JobType type, std::span<const std::byte> payload, const JobOptions& options = {});
    Submitted submit(JobType type, std::string_view payload = {}, const JobOptions& options = {}) {
        return submit(type, std::as_bytes(std::span(payload)), options);
    }
    // Submits a job with a payload in parts, which are put behind each other without a copy in between.
    QUARRY_API Submitted submit_parts(JobType type, std::span<const std::span<const std::byte>> parts,
                                      const JobOptions& options = {});
    // Submits several jobs. Answers how many were accepted: the first ones. `out`, if it is not empty, has a place for
    // each.
    QUARRY_API std::size_t submit_many(std::span<const JobRequest> jobs, std::span<Submitted> out = {});

    // Takes the results that have come, at most so many, and none after the budget is spent.
    QUARRY_API std::vector<Result> poll(std::size_t most = kAll, std::chrono::nanoseconds budget = kNoLimit);
    // Appends them to what `out` holds already; answers how many.
    QUARRY_API std::size_t poll_into(std::vector<Result>& out, std::size_t most = kAll,
                                     std::chrono::nanoseconds budget = kNoLimit);

    // Keeps a job from starting, or asks its handler to stop.
    QUARRY_API Cancel cancel(JobId id);
    // Waits until all of these have a result, which poll then gives. False: that moment has come first.
    QUARRY_API bool wait(std::span<const JobId> ids, std::chrono::steady_clock::time_point until);
    // Waits until every accepted job has a result. False: that moment has come first.
    QUARRY_API bool drain(std::chrono::steady_clock::time_point until);

    // State that every worker must have: the newest of each key, there before any job that is submitted later, and
    // given to a worker that takes another's place before its first job. Handlers reach it by JobContext::state.
    QUARRY_API Refusal broadcast(std::string_view key, std::span<const std::byte> payload);
    // Takes the state of a key from all workers. False: there is none.
    QUARRY_API bool forget(std::string_view key);

    // What becomes of jobs of that type whose worker dies. The default is Retry::at_most_once.
    QUARRY_API void set_retry(JobType type, Retry retry);

    // Becomes readable when there are results to poll, for event loops: poll clears it.
    QUARRY_API int descriptor();

    // The figures so far.
    QUARRY_API EngineStats stats() const;
    // How the engine and each of its workers are.
    QUARRY_API EngineHealth health() const;
    // Whether the workers serve.
    QUARRY_API Readiness ready() const;
    // The names of the workers' handlers.
    QUARRY_API std::vector<std::string> handlers() const;

    // Refuses further jobs, cancels those that have not started, gives the others until the timeout, then kills.
    // Results can still be polled. A call while another one waits can shorten its timeout; later ones do nothing.
    QUARRY_API ShutdownReport shutdown(std::chrono::nanoseconds timeout);

    // As given to the constructor.
    const EngineOptions& options() const noexcept { return options_; }

  private:
    EngineOptions options_;
    impl::Core* core_;  // left alone in a forked child, where its thread does not exist
};

}  // namespace quarry::process
