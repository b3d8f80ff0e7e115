#include "jobs/trace/session.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "jobs/os/process_wide.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/trace/points.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {

std::atomic<std::uint64_t> newest_trace{0};
constinit thread_local ThreadTrace thread_trace;

namespace {

struct Sessions {
    // Tracks name themselves under this lock, so that of the names must have been made before.
    Sessions() { (void)trace_name(""); }

    std::mutex mutex;
    std::vector<std::shared_ptr<TraceSession>> active;
    std::uint64_t last_serial = 0;
    std::uint64_t last_thread = 0;
};

// Set before the first pool is traced: until then a pool that ends has nothing to ask for.
std::atomic<bool> sessions_were_opened{false};

Sessions& sessions() {
    return os::process_wide<Sessions>();
}

// The thread's share in its track. A thread that ends still records what destructors of other thread-locals do, unless
// they come after this one.
struct HeldTrack {
    std::shared_ptr<Track> track;
    ~HeldTrack() {
        thread_trace.track = nullptr;
        thread_trace.ended = true;
    }
};
thread_local HeldTrack held_track;

constinit thread_local TraceOwner thread_owner;

Track& track_in(TraceSession& session) {
    const auto found = std::find_if(session.tracks.begin(), session.tracks.end(),
                                    [](const auto& track) { return track->owner == thread_owner; });
    if (found != session.tracks.end()) {
        held_track.track = *found;
    } else {
        auto track = std::make_shared<Track>(session.serial, session.options, thread_owner, os::thread_name());
        session.tracks.push_back(track);
        held_track.track = std::move(track);
    }
    return *held_track.track;
}

}  // namespace

void set_trace_home(std::uint64_t pool, int index) noexcept {
    thread_owner = {pool, static_cast<std::uint64_t>(index)};
}

Track* bind_track(std::uint64_t serial) noexcept {
    if (thread_trace.ended) return nullptr;
    Track* track = nullptr;
    try {
        Sessions& all = sessions();
        const std::lock_guard lock(all.mutex);
        if (thread_owner == TraceOwner{}) thread_owner.number = ++all.last_thread;
        const auto session = std::find_if(all.active.begin(), all.active.end(),
                                          [&](const auto& each) { return each->serial == serial; });
        if (session == all.active.end()) return nullptr;
        track = &track_in(**session);
        thread_trace.track = track;
    } catch (const std::exception&) {
        return nullptr;
    }
    if (track->hooks != nullptr && track->hooks->thread != nullptr && !track->hooks_know_thread) {
        track->hooks_know_thread = true;
        track->hooks->thread(track->name.c_str());
    }
    return track;
}

std::shared_ptr<TraceSession> open_trace_session(const TraceOptions& options) {
    Sessions& all = sessions();
    sessions_were_opened.store(true, std::memory_order_release);
    const std::lock_guard lock(all.mutex);
    auto session = std::make_shared<TraceSession>(++all.last_serial, options);
    all.active.push_back(session);
    newest_trace.store(session->serial, std::memory_order_relaxed);
    return session;
}

void add_to_trace_session(TraceSession& session, PoolCore& core) {
    if (!kTracePoints) {
        throw Error("this library was built without trace points: configure it with -DQUARRY_TRACE_POINTS=ON");
    }
    core.require_usable();
    const std::lock_guard lock(sessions().mutex);
    if (core.trace.load(std::memory_order_relaxed) != 0) {
        throw Error("this pool is being traced already; stop that trace first");
    }
    std::vector<std::shared_ptr<Track>> tracks;
    // I/O threads get theirs with their first event: they may not exist yet.
    for (int worker = 0; worker < core.worker_count(); ++worker) {
        tracks.push_back(std::make_shared<Track>(session.serial, session.options,
                                                 TraceOwner{core.serial, static_cast<std::uint64_t>(worker)},
                                                 core.options.name + "-" + std::to_string(worker)));
    }
    // Both or none: the second one cannot fail.
    session.tracks.reserve(session.tracks.size() + tracks.size());
    session.pools.push_back(&core);
    session.tracks.insert(session.tracks.end(), tracks.begin(), tracks.end());
    core.set_trace(session.serial);
}

void close_trace_session(TraceSession& session) noexcept {
    Sessions& all = sessions();
    const std::lock_guard lock(all.mutex);
    for (PoolCore* const core : session.pools) {
        if (!core->is_forked_copy()) core->set_trace(0);
    }
    session.pools.clear();
    std::erase_if(all.active, [&](const auto& each) { return each.get() == &session; });
    newest_trace.store(all.active.empty() ? 0 : all.active.back()->serial, std::memory_order_relaxed);
}

std::vector<std::shared_ptr<Track>> tracks_of(const TraceSession& session) {
    const std::lock_guard lock(sessions().mutex);
    return session.tracks;
}

// With the lock even if the pool is not traced: a trace that stops at this moment may not be done with the pool.
void trace_pool_ends(PoolCore& core) noexcept {
    if (!sessions_were_opened.load(std::memory_order_acquire)) return;
    Sessions& all = sessions();
    const std::lock_guard lock(all.mutex);
    for (const auto& session : all.active) std::erase(session->pools, &core);
}

}  // namespace quarry::impl
