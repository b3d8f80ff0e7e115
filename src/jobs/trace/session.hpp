#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jobs/os/os.hpp"
#include "jobs/trace/event.hpp"
#include "quarry/jobs/trace.hpp"

namespace quarry::impl {

class PoolCore;

// Who a track belongs to: the worker of a pool, or any other thread.
struct TraceOwner {
    std::uint64_t pool = 0;  // its serial; 0: no worker of a pool's own
    std::uint64_t number = 0;

    bool operator==(const TraceOwner&) const = default;

    // In one word, for an event. Pools and threads beyond the 2^32nd are not told from earlier ones.
    std::uint64_t pack() const noexcept { return pool << 32 | (number & 0xffffffff); }
    static TraceOwner unpack(std::uint64_t packed) noexcept { return {packed >> 32, packed & 0xffffffff}; }
};

// The events of one thread in one trace.
struct Track {
    Track(std::uint64_t trace_serial, const TraceOptions& options, TraceOwner track_owner, std::string track_name)
        : serial(trace_serial),
          hooks(options.hooks),
          recording(options.events_per_thread != 0),
          owner(track_owner),
          name(std::move(track_name)),
          queue_name(trace_name("queued jobs of " + name)),
          ring(options.events_per_thread) {}

    void record(const Event& event) noexcept {
        if (recording) ring.record(event.pack());
    }

    const std::uint64_t serial;  // of the trace
    const TraceHooks* const hooks;
    const bool recording;
    const TraceOwner owner;
    const std::string name;
    const char* const queue_name;  // of the counter
    TraceRing ring;

    // Of the thread alone.
    bool hooks_know_thread = false;
    std::uint32_t batch = 1;         // short jobs to draw as one span, see points.hpp
    std::uint32_t inline_every = 1;  // of the jobs run at once by whoever spawned them, one is drawn
    std::uint32_t inline_skipped = 0;
    std::uint64_t sample_after = 0;  // ticks
};

// One recording: from the first start() of a Trace to its stop(). The tracks are shared with their threads, so that
// either may end first.
struct TraceSession {
    TraceSession(std::uint64_t session_serial, const TraceOptions& session_options)
        : serial(session_serial), options(session_options), started(os::read_clocks()) {}

    const std::uint64_t serial;
    const TraceOptions options;
    const os::ClockPair started;
    // Guarded by the lock of all sessions.
    std::vector<PoolCore*> pools;
    std::vector<std::shared_ptr<Track>> tracks;
};

std::shared_ptr<TraceSession> open_trace_session(const TraceOptions& options);
// Throws quarry::Error if the pool is traced already.
void add_to_trace_session(TraceSession& session, PoolCore& core);
void close_trace_session(TraceSession& session) noexcept;
std::vector<std::shared_ptr<Track>> tracks_of(const TraceSession& session);
// The pool ends; its threads have ended.
void trace_pool_ends(PoolCore& core) noexcept;

// The calling thread's track in an active trace; null if it has ended, or without memory. Takes the lock.
Track* bind_track(std::uint64_t serial) noexcept;
// From now on the calling thread is that worker in every trace.
void set_trace_home(std::uint64_t pool, int index) noexcept;

}  // namespace quarry::impl
