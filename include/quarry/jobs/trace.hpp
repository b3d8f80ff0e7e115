#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string_view>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"

namespace quarry {

// A way out for profilers with a protocol of their own, such as Tracy: called at the moment itself, on the thread on
// which it happens, from within the engine. So they must not throw, must not use the pool, and should take
// nanoseconds. Any of them may be null. The struct is used by its address, and spans that are open when a trace stops
// still end: it should be a constant of the program.
struct TraceHooks {
    // A job, or a TraceSpan, begins; what is returned comes back in `end`, on the same thread. `lane` may be null.
    std::uint64_t (*begin)(const char* name, const char* lane) = nullptr;
    void (*end)(std::uint64_t begun) = nullptr;
    // "steal", "park", "awake", "wake", or a name given to trace_instant.
    void (*instant)(const char* name) = nullptr;
    void (*counter)(const char* name, double value) = nullptr;
    // Once a thread and trace, before anything else on that thread.
    void (*thread)(const char* name) = nullptr;
};

// How much a trace keeps, and who is told.
struct TraceOptions {
    // The newest ones are kept. 16 to 16,777,216, at 32 bytes each; 0 where only the hooks are wanted.
    std::size_t events_per_thread = 16'384;
    const TraceHooks* hooks = nullptr;  // with them jobs are never drawn together: see docs/guide/tracing.md
};

// Records what the threads of pools do, for a timeline in Perfetto (ui.perfetto.dev): one track a thread with a span
// for each job, arrows from where a job was submitted to where it started, instants for steals, parks and wakes,
// counters of queued jobs, and what the program adds itself (below). Every call may come from any thread, but one at a
// time; writing while the pools work is fine.
class Trace {
  public:
    // Limits of events_per_thread.
    static constexpr std::size_t kFewestEvents = 16;
    static constexpr std::size_t kMostEvents = std::size_t{1} << 24;

    // Throws std::invalid_argument for an option out of range.
    QUARRY_API explicit Trace(TraceOptions options = {});
    // Starts at once.
    QUARRY_API explicit Trace(Pool& pool, TraceOptions options = {});
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    QUARRY_API ~Trace();

    // From now on the pool is recorded; further pools may join. After stop() it begins again, without what it had.
    // Throws quarry::Error if a trace records this pool already, or if the library was built without trace points. The
    // pool may end first.
    QUARRY_API void start(Pool& pool);
    // Ends the recording for all its pools; jobs that run now are left out. What was recorded stays.
    QUARRY_API void stop() noexcept;
    QUARRY_API bool active() const noexcept;

    // Events that are kept, and events that newer ones have overwritten.
    QUARRY_API std::uint64_t kept() const;
    QUARRY_API std::uint64_t lost() const;

    // As JSON that Perfetto reads. To a file: there is a whole new file or the old one, with the
    // mode that it had; a device, a pipe or /dev/fd/N is written to directly. Throws quarry::Error.
    QUARRY_API void write(const std::filesystem::path& path) const;
    QUARRY_API void write(std::ostream& out) const;

  private:
    struct Recording;
    std::unique_ptr<Recording> recording_;
};

namespace impl {
// The trace that was started last and is active, for threads outside traced pools; 0: there is none at all.
extern QUARRY_API std::atomic<std::uint64_t> newest_trace;
inline bool any_trace() noexcept {
    return newest_trace.load(std::memory_order_relaxed) != 0;
}
QUARRY_API void record_instant(const char* name) noexcept;
QUARRY_API void record_counter(const char* name, double value) noexcept;
}  // namespace impl

// What a program adds to the trace of the pool whose job runs on this thread, or else to the trace that was started
// last. Names are kept by their address: string literals, or what trace_name returns.

// A span from here to the end of the block. It ends on the thread on which it began (so not across a co_await), or is
// left out.
class TraceSpan {
  public:
    // Begins it. The name must live as long as the trace: a literal, or trace_name().
    explicit TraceSpan(const char* name) noexcept {
        if (impl::any_trace()) [[unlikely]]
            begin(name);
    }
    // "frame 17": for the turns of a loop, which need no name each. Numbers up to 2^40 - 1; the higher bits of others
    // are cut off.
    TraceSpan(const char* name, std::uint64_t number) noexcept : number_(number), numbered_(true) {
        if (impl::any_trace()) [[unlikely]]
            begin(name);
    }
    TraceSpan(const TraceSpan&) = delete;
    TraceSpan& operator=(const TraceSpan&) = delete;
    ~TraceSpan() {
        if (trace_ != 0) [[unlikely]]
            end();
    }

  private:
    QUARRY_API void begin(const char* name) noexcept;
    QUARRY_API void end() noexcept;

    std::uint64_t trace_ = 0;
    std::uint64_t number_ = 0;
    bool numbered_ = false;
    const char* name_;  // this and the rest are set by begin()
    const void* thread_;
    const TraceHooks* hooks_;
    std::uint64_t hooked_;
    std::uint64_t begun_;
};

inline void trace_instant(const char* name) noexcept {
    if (impl::any_trace()) [[unlikely]]
        impl::record_instant(name);
}
inline void trace_counter(const char* name, double value) noexcept {
    if (impl::any_trace()) [[unlikely]]
        impl::record_counter(name, value);
}

// Keeps the text as a name that lives as long as the program; equal texts give one name. Takes a lock.
QUARRY_API const char* trace_name(std::string_view text);

}  // namespace quarry
