#include "jobs/trace/points.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "jobs/pool/pool_core.hpp"

namespace quarry::impl {
namespace {

constexpr std::uint32_t kMostTogether = 64;
// Short jobs are drawn together for about so long.
constexpr std::uint64_t kTogetherMicroseconds = 1;
constexpr std::uint64_t kSampleMicroseconds = 100;

// How many jobs to take next time, when `jobs` of them took `ticks`.
std::uint32_t next_batch(std::uint32_t jobs, std::uint64_t ticks) noexcept {
    const std::uint64_t target = kTogetherMicroseconds * os::ticks_per_microsecond();
    const std::uint64_t fit = jobs * target / std::max<std::uint64_t>(ticks, 1);
    // A few fast ones do not make a fast kind.
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fit, 1, std::min(kMostTogether, 4 * jobs)));
}

void record_depth(Track& track, std::uint64_t now, const char* name, std::size_t jobs) noexcept {
    const auto value = static_cast<double>(jobs);
    track.record(
        {.begin = now, .end = std::bit_cast<std::uint64_t>(value), .name = name, .kind = Event::Kind::counter});
    if (track.hooks != nullptr && track.hooks->counter != nullptr) track.hooks->counter(name, value);
}

void sample_queues(Track& track, Worker& worker, std::uint64_t now) noexcept {
    track.sample_after = now + kSampleMicroseconds * os::ticks_per_microsecond();
    std::size_t waiting = 0;
    for (const LaneQueues& queues : worker.lanes) waiting += queues.deque.size_hint() + queues.far_deque.size_hint();
    record_depth(track, now, track.queue_name, waiting);
    record_depth(track, now, "injected jobs", worker.core.lanes.size_hint());
}

void record_span(Track& track, Worker& worker, const Event& span) noexcept {
    track.record(span);
    if (span.end >= track.sample_after) sample_queues(track, worker, span.end);
}

void record_instant_in(Track& track, const Event& instant) noexcept {
    track.record(instant);
    if (track.hooks != nullptr && track.hooks->instant != nullptr) track.hooks->instant(instant.name);
}

}  // namespace

TraceRun::TraceRun(Worker& worker, Home) noexcept : worker_(worker) {
    set_trace_home(worker.core.serial, worker.index);
    link();
}

void TraceRun::link() noexcept {
    linked_ = true;
    outer_ = thread_trace.run;
    thread_trace.run = this;
    lineage_ = worker_.lineage;
    serial_ = 0;
    left_ = 0;
}

void TraceRun::unlink() noexcept {
    ran_dry();
    thread_trace.run = outer_;
}

void TraceRun::open(Track& track, const Node& node) noexcept {
    const bool at_once = serial_ == track.serial;  // the last one ended at begun_
    if (at_once && left_ != 0) close();
    if (!at_once) begun_ = os::ticks();
    serial_ = track.serial;
    operate_ = node.operate;
    group_ = node.group;
    label_ = trace_label_of(node);
    job_ = trace_number_of(node);
    size_ = track.batch;
    left_ = size_;
}

// The next job may begin where this span ends.
void TraceRun::close() noexcept {
    const std::uint64_t now = os::ticks();
    const std::uint32_t jobs = size_ - left_;
    left_ = 0;
    // Not if the trace has been stopped.
    if (serial_ == trace_of(worker_)) {
        if (Track* const track = track_for(serial_)) {
            track->batch = next_batch(jobs, now - begun_);
            record_span(*track, worker_,
                        {.begin = begun_,
                         .end = now,
                         .name = label_.name,
                         .kind = Event::Kind::span,
                         .lane = label_.lane,
                         .count = static_cast<std::uint16_t>(jobs),
                         .job = job_});
        }
    }
    begun_ = now;
}

void TraceJob::begin_run(Worker& worker, const Node& node) noexcept {
    Track* const track = track_for(serial_);
    if (track != nullptr && track->hooks == nullptr) {
        run_->open(*track, node);
        return;
    }
    // Hooks want to be told of each job at its time.
    run_ = nullptr;
    begin_alone(worker, node);
}

void TraceJob::begin_alone(Worker& worker, const Node& node) noexcept {
    hooks_ = nullptr;
    Track* const track = track_for(serial_);
    if (track == nullptr) {
        serial_ = 0;
        return;
    }
    inline_ = worker.inline_depth != 0;
    if (inline_) track->inline_skipped = 0;
    worker_ = &worker;
    label_ = trace_label_of(node);
    job_ = trace_number_of(node);
    if (track->hooks != nullptr && track->hooks->begin != nullptr) {
        hooks_ = track->hooks;
        hooked_ = hooks_->begin(label_.name, trace_lane_name(label_.lane));
    }
    begun_ = os::ticks();
}

void TraceJob::end_alone() noexcept {
    const std::uint64_t now = os::ticks();
    if (serial_ == trace_of(*worker_)) {
        if (Track* const track = track_for(serial_)) {
            const std::uint32_t every = inline_ ? track->inline_every : 1;
            if (inline_ && hooks_ == nullptr) track->inline_every = next_batch(every, (now - begun_) * every);
            record_span(*track, *worker_,
                        {.begin = begun_,
                         .end = now,
                         .name = label_.name,
                         .kind = every > 1 ? Event::Kind::sampled : Event::Kind::span,
                         .lane = label_.lane,
                         .count = static_cast<std::uint16_t>(every),
                         .job = job_});
        }
    }
    if (hooks_ != nullptr && hooks_->end != nullptr) hooks_->end(hooked_);
}

void record_submit(std::uint64_t serial, const Node& node) noexcept {
    if (Track* const track = track_for(serial)) {
        track->record(
            {.begin = os::ticks(), .name = "submit", .kind = Event::Kind::submit, .job = trace_number_of(node)});
    }
}

// So that what is stolen from the seat can be told by the name of the thread.
void record_guest(Worker& guest) noexcept {
    const Track* const track = track_for(trace_of(guest));
    guest.trace_thread.store(track == nullptr ? 0 : track->owner.pack(), std::memory_order_relaxed);
}

void record_steal(Worker& worker, const Worker& victim, std::size_t jobs) noexcept {
    Track* const track = track_for(trace_of(worker));
    if (track == nullptr) return;
    const TraceOwner of_place{victim.core.serial, static_cast<std::uint64_t>(victim.index)};
    const std::uint64_t from = victim.guest ? victim.trace_thread.load(std::memory_order_relaxed) : of_place.pack();
    const std::size_t most = std::numeric_limits<std::uint16_t>::max();
    record_instant_in(*track, {.begin = os::ticks(),
                               .end = from,
                               .name = "steal",
                               .kind = Event::Kind::steal,
                               .count = static_cast<std::uint16_t>(std::min(jobs, most))});
}

void record_event_of(std::uint64_t serial, const char* name) noexcept {
    if (Track* const track = track_for(serial)) {
        record_instant_in(*track, {.begin = os::ticks(), .name = name, .kind = Event::Kind::instant});
    }
}

void record_park(Worker& worker) noexcept {
    Track* const track = track_for(trace_of(worker));
    if (track == nullptr) return;
    const std::uint64_t now = os::ticks();
    record_instant_in(*track, {.begin = now, .name = "park", .kind = Event::Kind::instant});
    sample_queues(*track, worker, now);
}

}  // namespace quarry::impl
