#include <algorithm>

#include "jobs/os/os.hpp"
#include "process/core.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/ext/fork.hpp"

// The thread that starts workers, notices what becomes of them, and feeds them while the host does not call.
namespace quarry::process::impl {
namespace {

constexpr std::int64_t kSecond = 1'000 * kMillisecond;
constexpr std::int64_t kBacklogTick = 2 * kMillisecond;    // while jobs wait: in case a worker cannot ring any more
constexpr std::int64_t kPortableTick = 50 * kMillisecond;  // between looks with waitpid
constexpr int kBeatsInPatience = 4;

}  // namespace

bool Core::is_forked_child() const {
    return ext::fork_generation() != fork_generation_;
}

void Core::supervise() {
    ::quarry::impl::os::set_thread_name("quarry-super");
    std::vector<int> descriptors;
    std::vector<bool> readable;
    std::int64_t last = os::monotonic_ns();
    Lock lock(mutex_);
    while (!quitting_ || has_processes()) {
        start_missing(lock);
        const std::int64_t now = os::monotonic_ns();
        sleeping_until_ = std::min(next_event(now), now + kSecond);
        collect_waits(descriptors);
        const std::int64_t timeout = sleeping_until_ - now;
        lock.unlock();
        os::wait_for_any(descriptors, readable, std::max<std::int64_t>(0, timeout));
        if (readable[0]) os::clear_event(supervisor_event_.wait.get());
        lock.lock();
        sleeping_until_ = 0;
        const std::int64_t woken = os::monotonic_ns();
        // What passed beyond the planned sleep is this thread's own absence, and no worker's silence.
        const std::int64_t passed = std::min(woken - last, std::max<std::int64_t>(timeout, kMillisecond));
        last = woken;
        const std::uint64_t before = completed_count_ + stats_.polled;
        look_after_peers(woken, passed);
        look_at_deadlines(woken);
        pump();
        if (completed_count_ + stats_.polled != before) notify_host();
    }
}

bool Core::has_processes() const {
    return !spares_.empty() || std::any_of(seats_.begin(), seats_.end(), has_peer);
}

void Core::collect_waits(std::vector<int>& descriptors) const {
    descriptors.clear();
    descriptors.push_back(supervisor_event_.wait.get());
    for (const Seat& seat : seats_) {
        if (seat.peer != nullptr) descriptors.push_back(seat.peer->child.exit.get());
    }
    for (const auto& spare : spares_) descriptors.push_back(spare->child.exit.get());
}

std::int64_t Core::next_event(std::int64_t now) {
    std::int64_t next = now + kSecond;
    const auto earlier = [&](std::int64_t moment) { next = std::min(next, std::max(moment, now)); };
    const bool any = has_processes();
    for (const Seat& seat : seats_) {
        if (seat.peer == nullptr && !seat.failed && !refusing_) earlier(seat.start_at);
    }
    const std::int64_t patience = std::chrono::nanoseconds(options_.heartbeat).count();
    if (any) earlier(now + patience / kBeatsInPatience);
    if (any && kind_ == os::Kind::portable) earlier(now + kPortableTick);
    if (waiting_ != 0 && any) earlier(now + kBacklogTick);
    while (!deadlines_.empty()) {
        const Record* record = records_.find(deadlines_.top().second);
        if (record != nullptr && record->stage != Record::Stage::ended) break;
        deadlines_.pop();
    }
    if (!deadlines_.empty()) earlier(deadlines_.top().first);
    return next;
}

void Core::look_after_peers(std::int64_t now, std::int64_t passed) {
    for (std::size_t i = 0; i < seats_.size(); ++i) {
        if (seats_[i].peer == nullptr) continue;
        Peer& peer = *seats_[i].peer;
        const auto status = os::reap(peer.child.number);
        if (status) {
            if (peer.cause.death == Death::none || peer.stage != Peer::Stage::dying) {
                peer.cause = {status->by_signal ? Death::signalled : Death::exited, status->code};
            }
            bury(i, now);
            continue;
        }
        if (peer.stage == Peer::Stage::starting) look_at_start(peer, now);
        look_at_beat(peer, passed);
    }
    look_after_spares(now);
}

void Core::look_after_spares(std::int64_t now) {
    for (auto& spare : spares_) {
        if (os::reap(spare->child.number)) {
            spare.reset();
        } else if (spare->stage == Peer::Stage::starting) {
            look_at_start(*spare, now);
        }
    }
    std::erase(spares_, nullptr);
}

std::string Core::refusal_of(const SegmentHeader& header) {
    const std::size_t length = std::min<std::size_t>(header.text_length.load(std::memory_order_acquire), kTextBytes);
    return {header.text.data(), length};
}

void Core::look_at_start(Peer& peer, std::int64_t now) {
    SegmentHeader& header = peer.segment->header();
    const auto state = static_cast<WorkerState>(header.state.load(std::memory_order_acquire));
    if (state == WorkerState::ready) {
        peer.stage = Peer::Stage::ready;
        peer.was_ready = true;
        peer.silence = 0;
        learn_handlers(peer);
        changed_.notify_all();
    } else if (state == WorkerState::refused) {
        failure_ = refusal_of(header);
        peer.condemn({Death::exited, 1});
    } else if (now - peer.started > std::chrono::nanoseconds(options_.start_timeout).count()) {
        failure_ = "the worker did not say within " + std::to_string(options_.start_timeout.count()) +
                   " ms that it is ready; a worker is a program that calls quarry::process::serve";
        peer.condemn({Death::hung, 0});
    }
}

// A beat is a native thread's, so it goes on while a handler computes. Only the time in which this thread itself was
// running counts as silence: a host that was stopped finds its workers silent, too.
void Core::look_at_beat(Peer& peer, std::int64_t passed) const {
    const std::uint32_t beat = peer.segment->header().beat.load(std::memory_order_relaxed);
    if (beat != peer.beat || peer.stage != Peer::Stage::ready) {
        peer.beat = beat;
        peer.silence = 0;
        return;
    }
    peer.silence += passed;
    if (peer.silence > std::chrono::nanoseconds(options_.heartbeat).count()) peer.condemn({Death::hung, 0});
}

void Core::learn_handlers(Peer& peer) {
    if (!handlers_.empty()) return;
    SegmentHeader& header = peer.segment->header();
    const std::size_t length = std::min<std::size_t>(header.text_length.load(std::memory_order_acquire), kTextBytes);
    const std::string text(header.text.data(), length);
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t stop = std::min(text.find('\n', start), text.size());
        const std::string name = text.substr(start, stop - start);
        if (!name.empty() && name.size() <= JobType::kMostBytes) {
            handler_names_.push_back(name);
            handlers_.insert(hash_name(name));
        }
        start = stop + 1;
    }
}

void Core::look_at_deadlines(std::int64_t now) {
    while (!deadlines_.empty() && deadlines_.top().first <= now) {
        Record* record = records_.find(deadlines_.top().second);
        deadlines_.pop();
        if (record == nullptr || record->stage == Record::Stage::ended) continue;
        const std::uint32_t index = Records::index_of(*record);
        if (record->stage == Record::Stage::waiting) {
            queue_of(*record).remove(records_, index);
            --waiting_;
            end_without_answer(index, Status::deadline, {});
            continue;
        }
        Seat& seat = seats_[static_cast<std::size_t>(record->worker)];
        drain_ring(seat);
        if (record->stage == Record::Stage::ended) continue;
        if (seat.peer->segment->job(record->position).claim.withdraw()) {
            seat.peer->entry(record->position).record = kNoRecord;
            end_without_answer(index, Status::deadline, {});
        } else {
            record->late = true;
            seat.peer->condemn({Death::late, 0});
            ++stats_.late;
        }
    }
}

// Outside the lock: to start a process takes a millisecond.
void Core::start_missing(Lock& lock) {
    for (std::size_t i = 0; i < seats_.size() && !refusing_; ++i) {
        Seat& seat = seats_[i];
        if (seat.peer != nullptr || seat.failed || seat.start_at > os::monotonic_ns()) continue;
        adopt_spare(seat);
        if (seat.peer != nullptr) continue;
        lock.unlock();
        std::unique_ptr<Peer> peer;
        std::string failure;
        try {
            peer = start_peer(i);
        } catch (const std::exception& error) {
            failure = error.what();
        }
        lock.lock();
        if (peer != nullptr) {
            if (refusing_) peer->condemn({Death::shut_down, 0});
            seat.peer = std::move(peer);
        } else {
            failure_ = failure;
            plan_restart(seat, false, true, os::monotonic_ns());
        }
    }
    for (int missing = options_.spares - static_cast<int>(spares_.size()); missing > 0 && !refusing_; --missing) {
        if (!all_settled()) return;
        lock.unlock();
        std::unique_ptr<Peer> peer;
        try {
            peer = start_peer(seats_.size());
        } catch (const std::exception&) {
            // The seats' own starts report it.
        }
        lock.lock();
        if (peer == nullptr) return;
        if (refusing_) peer->condemn({Death::shut_down, 0});
        spares_.push_back(std::move(peer));
    }
}

void Core::adopt_spare(Seat& seat) {
    const auto spare = std::find_if(spares_.begin(), spares_.end(),
                                    [](const auto& each) { return each->stage == Peer::Stage::ready; });
    if (spare == spares_.end()) return;
    seat.peer = std::move(*spare);
    spares_.erase(spare);
}

std::unique_ptr<Peer> Core::start_peer(std::size_t number) {
    auto peer = std::make_unique<Peer>(kind_, shape_);
    SegmentHeader& header = peer->segment->header();
    header.os = static_cast<std::uint32_t>(kind_);
    header.bytes = shape_.bytes();
    header.slots = shape_.slots;
    header.arena_bytes = shape_.arena_bytes;
    header.job_arena_bytes = arena_.bytes();
    header.memory_limit = options_.memory_limit;
    header.worker = static_cast<std::uint32_t>(number);
    header.beat_ms =
        static_cast<std::uint32_t>(std::max<std::int64_t>(1, options_.heartbeat.count() / kBeatsInPatience));
    header.host_process = os::this_process();
    header.spin_us = static_cast<std::uint32_t>(options_.spin.count());
    auto [control_read, control_write] = os::create_pipe();
    peer->control = std::move(control_write);
    os::SpawnOptions spawn;
    spawn.command = options_.command;
    spawn.environment = options_.environment;
    std::string channel(kChannelVariable);
    channel += '=';
    channel += std::to_string(kProtocol);
    channel += ":3";
    spawn.environment.push_back(std::move(channel));
    spawn.output = options_.output;
    const int job_event = peer->job_event.wait ? peer->job_event.wait.get() : control_read.get();
    spawn.descriptors = {peer->memory.get(),
                         arena_.descriptor_for_workers(),
                         page_memory_.get(),
                         control_read.get(),
                         supervisor_event_.ring.get(),
                         host_event_.ring.get(),
                         job_event,
                         wait_event_.ring ? wait_event_.ring.get() : host_event_.ring.get()};
    peer->child = os::spawn(kind_, spawn);
    peer->started = os::monotonic_ns();
    return peer;
}

bool Core::all_settled() const {
    return std::all_of(seats_.begin(), seats_.end(), [](const Seat& seat) {
        return seat.failed || (seat.peer != nullptr && seat.peer->stage == Peer::Stage::ready);
    });
}

void Core::wait_until_started() {
    Lock lock(mutex_);
    changed_.wait_for(lock, options_.start_timeout + std::chrono::seconds(1), [&] { return all_settled(); });
}

}  // namespace quarry::process::impl
