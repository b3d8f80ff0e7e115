#pragma once

#include <cstdint>

#include "jobs/trace/label.hpp"
#include "jobs/trace/session.hpp"
#include "jobs/worker/worker.hpp"

// Where the engine tells a trace what it does. Without a trace each of these is one load of a word that the worker has
// at hand, and a branch that is never taken; in a library without trace points (CMake option QUARRY_TRACE_POINTS) it is
// nothing at all.
namespace quarry::impl {

#if defined(QUARRY_NO_TRACE_POINTS)
inline constexpr bool kTracePoints = false;
#else
inline constexpr bool kTracePoints = true;
#endif

// The trace that records a worker, or a pool; 0: none.
inline std::uint64_t trace_in(const std::atomic<std::uint64_t>& trace) noexcept {
    return kTracePoints ? trace.load(std::memory_order_relaxed) : 0;
}
inline std::uint64_t trace_of(const Worker& worker) noexcept {
    return trace_in(worker.trace);
}

class PoolCore;
class TraceRun;

// What recording needs of the calling thread.
struct ThreadTrace {
    Track* track = nullptr;   // in the trace it recorded in last
    TraceRun* run = nullptr;  // the loop that takes the next job, if it does so at once
    bool ended = false;
};
extern constinit thread_local ThreadTrace thread_trace __attribute__((tls_model("initial-exec")));

inline Track* track_for(std::uint64_t serial) noexcept {
    Track* const track = thread_trace.track;
    return track != nullptr && track->serial == serial ? track : bind_track(serial);
}

// A loop that runs one job after the other. Reading the clock takes as long as a small job, so jobs of the same code
// that follow each other at once are drawn as one span of about a microsecond, with their number; longer ones are
// drawn one by one, each beginning where the last one ended.
class TraceRun {
  public:
    // In a wait.
    explicit TraceRun(Worker& worker) noexcept : worker_(worker) {
        if (trace_of(worker) != 0) [[unlikely]]
            link();
    }
    // For the life of a worker.
    struct Home {};
    TraceRun(Worker& worker, Home) noexcept;
    TraceRun(const TraceRun&) = delete;
    TraceRun& operator=(const TraceRun&) = delete;
    ~TraceRun() {
        if (linked_) [[unlikely]]
            unlink();
    }

  private:
    friend class TraceJob;
    friend void trace_ran_dry(Worker& worker) noexcept;

    // Whether a job that the worker begins now is taken by this loop itself, and not by something within one of its
    // jobs.
    bool takes(const Worker& worker) const noexcept { return &worker_ == &worker && lineage_ == worker.lineage; }
    bool goes_on_with(std::uint64_t serial, const Node& node) const noexcept {
        return left_ != 0 && serial_ == serial && operate_ == node.operate && group_ == node.group &&
               ((node.group != nullptr && !node.is_task()) || trace_label_of(node) == label_);
    }
    void link() noexcept;
    void unlink() noexcept;
    void open(Track& track, const Node& node) noexcept;
    void close() noexcept;
    void ran_dry() noexcept {
        if (left_ != 0) close();
        serial_ = 0;
    }

    Worker& worker_;
    bool linked_ = false;
    TraceRun* outer_;  // this and the rest are set by link() and open()
    const Node* lineage_;
    std::uint64_t serial_;  // of the trace in which a span is open, or ended just now; 0: neither
    Job::Operate operate_;
    Group* group_;
    TraceLabel label_;
    std::uint64_t job_;
    std::uint64_t begun_;
    std::uint32_t size_;
    std::uint32_t left_;  // jobs until the span is closed; 0: none is open
};

// A job runs.
class TraceJob {
  public:
    TraceJob(Worker& worker, const Node& node) noexcept : serial_(trace_of(worker)) {
        if (serial_ != 0) [[unlikely]]
            begin(worker, node);
    }
    TraceJob(const TraceJob&) = delete;
    TraceJob& operator=(const TraceJob&) = delete;
    ~TraceJob() {
        if (serial_ != 0) [[unlikely]]
            end();
    }

  private:
    void begin(Worker& worker, const Node& node) noexcept {
        const ThreadTrace& thread = thread_trace;
        run_ = thread.run;
        if (run_ != nullptr && run_->takes(worker)) {
            if (!run_->goes_on_with(serial_, node)) begin_run(worker, node);
            return;
        }
        run_ = nullptr;
        if (worker.inline_depth != 0 && thread.track != nullptr && thread.track->serial == serial_ &&
            thread.track->inline_skipped + 1 < thread.track->inline_every) {
            ++thread.track->inline_skipped;
            serial_ = 0;
        } else {
            begin_alone(worker, node);
        }
    }
    void end() noexcept {
        if (run_ == nullptr) {
            end_alone();
        } else if (--run_->left_ == 0) {
            run_->close();
        }
    }
    void begin_run(Worker& worker, const Node& node) noexcept;
    void begin_alone(Worker& worker, const Node& node) noexcept;
    void end_alone() noexcept;

    std::uint64_t serial_;
    TraceRun* run_;  // that draws the job together with others; this and the rest are set by begin()
    bool inline_;
    Worker* worker_;
    TraceLabel label_;
    std::uint64_t job_;
    const TraceHooks* hooks_;
    std::uint64_t hooked_;
    std::uint64_t begun_;
};

// The loop on this worker has no job to go on with at once.
inline void trace_ran_dry(Worker& worker) noexcept {
    if (trace_of(worker) == 0) [[likely]]
        return;
    TraceRun* const run = thread_trace.run;
    if (run != nullptr && run->takes(worker)) run->ran_dry();
}

void record_submit(std::uint64_t serial, const Node& node) noexcept;
void record_guest(Worker& guest) noexcept;
void record_steal(Worker& worker, const Worker& victim, std::size_t jobs) noexcept;
void record_event_of(std::uint64_t serial, const char* name) noexcept;
void record_park(Worker& worker) noexcept;

inline void trace_steal(Worker& worker, const Worker& victim, std::size_t jobs) noexcept {
    if (trace_of(worker) != 0) [[unlikely]]
        record_steal(worker, victim, jobs);
}
// The job is about to be queued: once it is, it may be over. `trace` is the pool's.
inline void trace_submit(const std::atomic<std::uint64_t>& trace, const Node& node) noexcept {
    if (const std::uint64_t serial = trace_in(trace)) [[unlikely]]
        record_submit(serial, node);
}
// The calling thread has taken a guest's seat.
inline void trace_guest(Worker& guest) noexcept {
    if (trace_of(guest) != 0) [[unlikely]]
        record_guest(guest);
}
// The worker is about to sleep, and sleeps no more.
inline void trace_park(Worker& worker) noexcept {
    if (trace_of(worker) != 0) [[unlikely]]
        record_park(worker);
}
inline void trace_awake(Worker& worker) noexcept {
    if (const std::uint64_t serial = trace_of(worker)) [[unlikely]]
        record_event_of(serial, "awake");
}
// The calling thread has woken a worker of a pool. `trace` is the pool's.
inline void trace_wake(const std::atomic<std::uint64_t>& trace) noexcept {
    if (const std::uint64_t serial = trace_in(trace)) [[unlikely]]
        record_event_of(serial, "wake");
}

}  // namespace quarry::impl
