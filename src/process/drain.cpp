#include <algorithm>
#include <cstring>

#include "process/core.hpp"
#include "quarry/frame/frame_ledger.hpp"
#include "quarry/jobs/impl/ticks.hpp"

// From the rings to the host. A worker may have written anything: each field is copied once and checked.
namespace quarry::process::impl {

bool Core::drain_rings() {
    bool any = false;
    for (Seat& seat : seats_) {
        if (seat.peer == nullptr || seat.peer->ring.unanswered() == 0) continue;
        // On its way while the number of results is: after a pause neither is in a cache.
        __builtin_prefetch(&seat.peer->segment->result(seat.peer->ring.oldest()));
        any |= drain_ring(seat);
    }
    return any;
}

bool Core::drain_ring(Seat& seat) {
    Peer& peer = *seat.peer;
    bool any = false;
    for (;;) {
        const Arrivals found = peer.ring.look();
        if (found == Arrivals::none) return any;
        if (found == Arrivals::corrupt || !take_result(seat, peer)) {
            if (peer.stage != Peer::Stage::dying) ++stats_.corrupt;
            peer.condemn({Death::corrupt, 0});
            return any;
        }
        any = true;
    }
}

bool Core::is_sound(Peer& peer, const Entry& entry, const ResultHead& slot, std::uint64_t offset) {
    if (slot.id != entry.id) return false;
    if (entry.message != Message::job) return slot.outcome == Outcome::done;
    if (slot.outcome < Outcome::ok || slot.outcome > Outcome::deadline) return false;
    if (slot.text_length > slot.length) return false;
    if (slot.place == static_cast<std::uint32_t>(Place::inside)) return slot.length <= kResultInline;
    if (slot.place != static_cast<std::uint32_t>(Place::arena)) return false;
    const std::uint64_t bytes = peer.segment->shape().arena_bytes;
    return offset % kBlockBytes == 0 && offset < bytes && slot.length <= bytes - offset && slot.length != 0;
}

// False: the slot holds what no honest worker writes.
bool Core::take_result(Seat& seat, Peer& peer) {
    Entry& entry = peer.entry(peer.ring.oldest());
    const ResultSlot& shared = peer.segment->result(peer.ring.oldest());
    ResultHead slot;
    std::uint64_t offset = 0;  // of a result in the arena
    std::memcpy(static_cast<void*>(&slot), &shared, sizeof slot);
    std::memcpy(&offset, shared.bytes.data(), sizeof offset);
    no_second_look();
    if (!is_sound(peer, entry, slot, offset)) return false;
    peer.ring.take();
    peer.work -= std::min<std::uint64_t>(peer.work, entry.estimate);
    if (entry.message != Message::job) {
        peer.held[entry.key] = std::move(entry.blob);
        if (entry.message == Message::forget) peer.held.erase(entry.key);
        return true;
    }
    const bool in_arena = slot.place == static_cast<std::uint32_t>(Place::arena);
    if (entry.record == kNoRecord) {
        if (in_arena) peer.segment->give_back(offset / kBlockBytes, slot.length);
        return true;
    }
    ++peer.finished;
    ++seat.jobs;
    Record& record = records_[entry.record];
    // The payload of the job makes room for that of the result.
    if (record.place == Place::arena) arena_.give(record.first_block, record.length);
    record.place = Place::inside;
    record.length = slot.length;
    record.text_length = slot.text_length;
    record.run = slot.ticks;
    if (in_arena) {
        record.segment = peer.segment;
        record.shared = peer.segment->arena() + offset;
    } else {
        std::memcpy(record.bytes.data(), shared.bytes.data(), slot.length);
    }
    constexpr std::array<Status, 4> kStatuses{Status::ok, Status::error, Status::cancelled, Status::deadline};
    end(entry.record, kStatuses[static_cast<std::size_t>(slot.outcome) - 1], {});
    return true;
}

// A result that no worker has written.
void Core::end_without_answer(std::uint32_t index, Status status, const Cause& cause) {
    Record& record = records_[index];
    if (record.place == Place::arena) arena_.give(record.first_block, record.length);
    record.place = Place::inside;
    record.length = 0;
    end(index, status, cause);
}

// The one place where a job gets its result.
void Core::end(std::uint32_t index, Status status, const Cause& cause) {
    Record& record = records_[index];
    if (record.stage == Record::Stage::given) --running_;
    record.stage = Record::Stage::ended;
    record.status = status;
    record.cause = cause;
    record.latency = ::quarry::impl::ticks() - record.submitted;
    count_end(record);
    completed_.push_back(records_, index);
    ++completed_count_;
    if (followers_ != 0) job_ended_.notify_all();
}

void Core::count_end(const Record& record) {
    TypeEntry& type = types_[record.type];
    switch (record.status) {
        case Status::ok:
            ++stats_.ok;
            ++type.stats.ok;
            break;
        case Status::error:
            ++stats_.errors;
            ++type.stats.errors;
            break;
        case Status::cancelled:
            ++stats_.cancelled;
            ++type.stats.cancelled;
            break;
        case Status::deadline:
            ++stats_.deadline;
            ++type.stats.deadline;
            break;
        case Status::worker_lost:
            ++stats_.lost;
            ++type.stats.lost;
            break;
    }
    const std::chrono::nanoseconds latency = time_of_.up_to_an_hour(record.latency);
    type.stats.latency_sum += latency;
    type.stats.latency_max = std::max(type.stats.latency_max, latency);
    if (record.status != Status::ok && record.status != Status::error) return;
    // A worker's figure is believed up to an hour.
    const std::chrono::nanoseconds run = time_of_.up_to_an_hour(record.run);
    type.stats.run_sum += run;
    type.stats.run_max = std::max(type.stats.run_max, run);
    const auto measured = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(run.count()));
    constexpr std::uint64_t kWeight = 8;
    type.estimate = type.estimate == 0
                        ? measured
                        : std::max<std::uint64_t>(1, (type.estimate * (kWeight - 1) + measured) / kWeight);
}

void PayloadAccess::put(Payload& payload, Record& record) {
    payload.size_ = record.length;
    if (record.segment != nullptr) {
        payload.shared_ = record.shared;
        payload.segment_ = std::move(record.segment);
    } else {
        std::memcpy(payload.inside_.data(), record.bytes.data(), record.length);
    }
}

void Core::fill(Result& result, Record& record) {
    result.id = record.id;
    result.status = record.status;
    result.poison = record.poison;
    result.worker = record.worker;
    result.type = types_[record.type].hash;
    result.frame = record.frame;
    result.run = time_of_(std::min(record.run, record.latency));
    result.latency = time_of_(record.latency);
    if (record.status == Status::ok) {
        PayloadAccess::put(result.payload, record);
    } else if (record.cause.death == Death::none && record.length != 0) {
        Payload said;
        PayloadAccess::put(said, record);
        result.text = std::string(said.text().substr(0, record.text_length));
        result.traceback = std::string(said.text().substr(record.text_length));
    } else {
        switch (record.status) {
            case Status::cancelled:
                result.text = "cancelled before it started";
                break;
            case Status::deadline:
                result.text = record.late ? "not finished at its deadline; its worker was killed"
                                          : "not started before its deadline";
                break;
            default:
                result.text = describe(record.cause);
                if (record.poison) result.text += "; it was the second worker that this job took with it";
                break;
        }
    }
    if (options_.ledger != nullptr && record.frame) {
        if (record.status == Status::ok) {
            result.apply = options_.ledger->returned(*record.frame);
        } else {
            options_.ledger->withdrawn(*record.frame);
        }
    }
}

// For results that no worker has rung for.
void Core::notify_host() {
    if (page_->bell.ring()) os::wake(kind_, raw(page_->bell.word()), wait_event_.ring.get());
    if (page_->event_wanted.load(std::memory_order_relaxed) != 0 &&
        page_->event_wanted.exchange(0, std::memory_order_relaxed) != 0) {
        os::ring_event(host_event_.ring.get());
    }
}

std::string describe(const Cause& cause) {
    switch (cause.death) {
        case Death::exited:
            return "the worker exited with status " + std::to_string(cause.code) + " while it ran the job";
        case Death::signalled:
            return "the worker was ended by " + os::signal_name(cause.code) + " while it ran the job";
        case Death::hung:
            return "the worker gave no sign of life and was killed";
        case Death::corrupt:
            return "the worker wrote nonsense into its rings and was killed";
        case Death::late:
            return "the worker ran a job beyond its deadline and was killed";
        case Death::shut_down:
            return "the engine was shut down before the job had ended";
        case Death::no_worker:
            return "no worker is left, and none can be started";
        case Death::none:
            break;
    }
    return "";
}

}  // namespace quarry::process::impl
