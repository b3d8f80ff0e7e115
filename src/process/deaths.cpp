#include <algorithm>

#include "process/core.hpp"

// What becomes of the jobs of a worker that has ended, and of its place.
namespace quarry::process::impl {
namespace {

constexpr int kDeathsOfOneJob = 2;    // then it is poison
constexpr int kMostFailedStarts = 5;  // a place whose workers never become ready is given up
constexpr std::int64_t kFirstPause = 50'000'000;
constexpr std::int64_t kLongestPause = 2'000'000'000;

std::string in_words(const Cause& cause) {
    switch (cause.death) {
        case Death::exited:
            return "exited with status " + std::to_string(cause.code);
        case Death::signalled:
            return "ended by " + os::signal_name(cause.code);
        case Death::hung:
            return "gave no sign of life";
        case Death::corrupt:
            return "wrote nonsense into its rings";
        case Death::late:
            return "ran a job beyond its deadline";
        default:
            return "was shut down";
    }
}

}  // namespace

// The process has ended and is reaped: nobody writes to its memory any more.
void Core::bury(std::size_t number, std::int64_t now) {
    Seat& seat = seats_[number];
    if (seat.peer->cause.death != Death::corrupt) drain_ring(seat);
    Peer& peer = *seat.peer;
    const Cause cause = peer.cause;
    if (cause.death == Death::hung) ++stats_.hung;
    judge(peer, refusing_ && cause.death == Death::none ? Cause{Death::shut_down, 0} : cause);
    seat.last_death = in_words(cause);
    // It may have died before it was seen ready; and after nonsense its memory says nothing.
    const SegmentHeader& header = peer.segment->header();
    const auto state = static_cast<WorkerState>(header.state.load(std::memory_order_acquire));
    const bool was_ready = peer.was_ready || state == WorkerState::ready;
    const bool fruitful = peer.finished != 0;
    if (!was_ready && cause.death == Death::exited && cause.code == kWrongProtocolStatus) {
        failure_ = "the worker is of another version: it does not speak protocol " + std::to_string(kProtocol) +
                   ", which is this engine's";
    } else if (!was_ready && state == WorkerState::refused && cause.death != Death::corrupt) {
        failure_ = refusal_of(header);  // it has ended before anybody looked
    } else if (!was_ready && failure_.empty()) {
        failure_ = "the worker " + in_words(cause) +
                   " before it was ready; a worker is a program that calls quarry::process::serve";
    }
    // Results that the host holds keep the memory; the rest of it goes back.
    if (peer.segment.use_count() > 1) peer.segment->drop_unused_pages();
    seat.peer.reset();
    // One that was killed from outside before it was ready says nothing about the next.
    const bool killed = cause.death == Death::signalled && os::is_kill(cause.code);
    if (was_ready) seat.failed_starts = 0;
    if (!refusing_) plan_restart(seat, fruitful, !was_ready && !killed, now);
    changed_.notify_all();
}

// Published: done, and drained already. Not started: run again. Started: run again if that is allowed, else lost. A
// worker runs one job at a time and in order, so only the oldest without an answer can have been started; unless the
// answers are nonsense, for then nobody knows how far it came.
void Core::judge(Peer& peer, const Cause& cause) {
    std::vector<std::uint32_t> again;
    const std::uint64_t oldest = peer.ring.oldest();
    for (std::uint64_t position = oldest; position != peer.ring.next(); ++position) {
        const Entry& entry = peer.entry(position);
        if (entry.record == kNoRecord) continue;
        Record& record = records_[entry.record];
        const bool can_have_started = position == oldest || cause.death == Death::corrupt;
        if (!can_have_started || peer.segment->job(position).claim.is_ready()) {
            again.push_back(entry.record);
            continue;
        }
        if (position == oldest) ++record.kills;
        if (record.late) {
            end_without_answer(entry.record, Status::deadline, {});
        } else if (record.retry == Retry::idempotent && record.kills < kDeathsOfOneJob && !refusing_) {
            again.push_back(entry.record);
        } else {
            record.poison = record.kills >= kDeathsOfOneJob;
            if (record.poison) ++stats_.poison;
            end_without_answer(entry.record, Status::worker_lost, cause);
        }
    }
    std::reverse(again.begin(), again.end());
    for (const std::uint32_t index : again) {
        --running_;
        records_[index].worker = -1;
        requeue(index, true);
        ++stats_.reruns;
    }
}

// The second death in a row without a finished job is the first to cost a pause.
void Core::plan_restart(Seat& seat, bool fruitful, bool could_not_start, std::int64_t now) {
    seat.barren = fruitful ? 0 : seat.barren + 1;
    ++seat.restarts;
    ++stats_.restarts;
    std::int64_t pause = 0;
    if (seat.barren >= 2) pause = std::min(kLongestPause, kFirstPause << std::min(seat.barren - 2, 10));
    seat.start_at = now + pause;
    if (could_not_start && ++seat.failed_starts >= kMostFailedStarts) seat.failed = true;
    // Not one worker of this command has ever served: it is not worth trying again.
    if (could_not_start && handlers_.empty()) seat.failed = true;
    if (seat.failed) {
        changed_.notify_all();
        end_waiting(seat.pinned, Status::worker_lost, {Death::no_worker, 0});
        notify_host();
        give_up_if_hopeless();
    }
}

void Core::give_up_if_hopeless() {
    if (!std::all_of(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.failed; })) return;
    hopeless_ = true;
    end_all_waiting(Status::worker_lost, {Death::no_worker, 0});
}

void Core::end_waiting(Pending& jobs, Status status, const Cause& cause) {
    while (!jobs.empty()) {
        const std::uint32_t index = jobs.front();
        jobs.remove(records_, index);
        --waiting_;
        end_without_answer(index, status, cause);
    }
}

void Core::end_all_waiting(Status status, const Cause& cause) {
    end_waiting(waiting_jobs_, status, cause);
    for (Seat& seat : seats_) end_waiting(seat.pinned, status, cause);
    notify_host();
}

ShutdownReport Core::shutdown(std::chrono::nanoseconds timeout) {
    ShutdownReport report;
    if (is_forked_child()) return report;
    const std::int64_t end = os::monotonic_ns() + std::clamp<std::int64_t>(timeout.count(), 0, 1'000'000'000'000);
    {
        Lock lock(mutex_);
        shutdown_end_ = std::min(shutdown_end_, end);
        if (refusing_) return report;
        refusing_ = true;
        drain_rings();
        const std::uint64_t done = stats_.ok + stats_.errors;
        const std::uint64_t lost = stats_.lost + stats_.deadline;
        report.cancelled = withdraw_unstarted();
        ask_workers_to_end();
        while (os::monotonic_ns() < shutdown_end_ && std::any_of(seats_.begin(), seats_.end(), has_peer)) {
            changed_.wait_for(lock, std::chrono::milliseconds(20));
            drain_rings();
        }
        for (const Seat& seat : seats_) report.killed += seat.peer != nullptr ? 1 : 0;
        report.exited = static_cast<int>(seats_.size()) - report.killed;
        for (Seat& seat : seats_) {
            if (seat.peer != nullptr) seat.peer->condemn({Death::shut_down, 0});
        }
        for (auto& spare : spares_) spare->condemn({Death::shut_down, 0});
        os::ring_event(supervisor_event_.ring.get());
        while (std::any_of(seats_.begin(), seats_.end(), has_peer) || !spares_.empty()) {
            changed_.wait_for(lock, std::chrono::milliseconds(5));
        }
        end_all_waiting(Status::cancelled, {});
        report.finished = stats_.ok + stats_.errors - done;
        report.lost = stats_.lost + stats_.deadline - lost;
        quitting_ = true;
        os::ring_event(supervisor_event_.ring.get());
    }
    supervisor_.join();
    return report;
}

// What no worker has started ends here and now.
std::uint64_t Core::withdraw_unstarted() {
    const std::uint64_t before = stats_.cancelled;
    end_all_waiting(Status::cancelled, {});
    for (Seat& seat : seats_) {
        if (seat.peer == nullptr) continue;
        Peer& peer = *seat.peer;
        for (std::uint64_t position = peer.ring.oldest(); position != peer.ring.next(); ++position) {
            Entry& entry = peer.entry(position);
            if (entry.record == kNoRecord || !peer.segment->job(position).claim.withdraw()) continue;
            end_without_answer(std::exchange(entry.record, kNoRecord), Status::cancelled, {});
        }
    }
    return stats_.cancelled - before;
}

void Core::ask_workers_to_end() {
    const auto ask = [](Peer& peer) {
        peer.segment->header().stop.store(1, std::memory_order_seq_cst);
        peer.wake();
        os::ring_event(peer.control.get());  // so that the watching thread need not be waited for
    };
    for (Seat& seat : seats_) {
        if (seat.peer != nullptr) ask(*seat.peer);
    }
    for (auto& spare : spares_) ask(*spare);
}

bool Core::has_peer(const Seat& seat) {
    return seat.peer != nullptr;
}

}  // namespace quarry::process::impl
