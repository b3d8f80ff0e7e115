#include <algorithm>
#include <cstring>

#include "process/core.hpp"
#include "quarry/frame/frame_ledger.hpp"
#include "quarry/jobs/impl/ticks.hpp"

// From the queue into the rings.
namespace quarry::process::impl {
namespace {

constexpr std::uint64_t kUnmeasured = 10'000;        // nanoseconds that a job of a new type is taken for
constexpr std::uint64_t kUnmeasuredAhead = 8;        // and how many of them a worker gets
constexpr std::uint64_t kLongestSecond = 1'000'000;  // a job that may wait behind another one, whatever that is
constexpr std::uint64_t kWakingCost = 5'000;         // what it takes to wake a worker, in nanoseconds of work
constexpr std::uint64_t kReserve = 250'000;          // nanoseconds of work with which a worker waits for the supervisor

// So many jobs are left when a worker calls the supervisor: half of them, or the last of much work. A host that polls
// every half millisecond hands over more before that, and then nobody has to be woken.
std::uint32_t reserve_of(std::uint64_t jobs, std::uint64_t work) {
    return static_cast<std::uint32_t>(work > 2 * kReserve ? jobs * kReserve / work : jobs / 2);
}

}  // namespace

Refusal Core::why_not(JobType type, std::size_t bytes, const JobOptions& options) const {
    if (refusing_) return Refusal::shut_down;
    if (hopeless_) return Refusal::failed;
    if (type.name().empty() || type.name().size() > JobType::kMostBytes) return Refusal::unknown_type;
    if (!handlers_.empty() && handlers_.count(type.hash()) == 0) return Refusal::unknown_type;
    if (bytes > options_.max_payload) return Refusal::payload_too_large;
    if (options.worker < -1 || options.worker >= options_.workers) return Refusal::no_such_worker;
    if (options.worker >= 0 && seats_[static_cast<std::size_t>(options.worker)].failed) return Refusal::failed;
    if (waiting_ >= options_.job_queue) return Refusal::queue_full;
    return Refusal::none;
}

Refusal Core::accept(JobType type, Parts payload, const JobOptions& options, JobId& id) {
    const std::size_t bytes = bytes_of(payload);
    const Refusal refusal = why_not(type, bytes, options);
    if (refusal != Refusal::none) return refusal;
    const std::uint32_t kind = types_.find_or_add(type);
    if (kind == Types::kUnknown) return Refusal::unknown_type;
    std::uint32_t block = 0;
    if (bytes > kJobInline) {
        const auto stored = arena_.store(payload, bytes);
        if (!stored) return Refusal::arena_full;
        block = *stored;
    }
    const std::uint32_t index = records_.make();
    Record& record = records_[index];
    record.type = kind;
    record.length = static_cast<std::uint32_t>(bytes);
    record.place = bytes > kJobInline ? Place::arena : Place::inside;
    record.first_block = block;
    if (record.place == Place::inside) copy_parts(payload, record.bytes.data());
    record.pinned = static_cast<std::int16_t>(options.worker);
    record.worker = -1;
    record.priority = static_cast<std::uint8_t>(options.priority);
    record.kills = 0;
    record.run = 0;
    record.text_length = 0;
    record.retry = types_[kind].retry;
    record.poison = false;
    record.late = false;
    record.frame = options.frame;
    record.submitted = ::quarry::impl::ticks();
    record.deadline = 0;
    if (options.deadline != std::chrono::steady_clock::time_point::max()) {
        record.deadline = std::max<std::int64_t>(
            1, std::chrono::duration_cast<std::chrono::nanoseconds>(options.deadline.time_since_epoch()).count());
        deadlines_.emplace(record.deadline, record.id);
        if (record.deadline < sleeping_until_) os::ring_event(supervisor_event_.ring.get());
    }
    requeue(index, false);
    ++stats_.accepted;
    ++types_[kind].stats.submitted;
    stats_.waiting_high_water = std::max(stats_.waiting_high_water, waiting_);
    id = record.id;
    return Refusal::none;
}

void Core::count_refused(const JobOptions& options) {
    ++stats_.refused;
    if (options_.ledger != nullptr && options.frame) options_.ledger->withdrawn(*options.frame);
}

Pending& Core::queue_of(const Record& record) {
    return record.pinned < 0 ? waiting_jobs_ : seats_[static_cast<std::size_t>(record.pinned)].pinned;
}

void Core::requeue(std::uint32_t index, bool at_front) {
    Record& record = records_[index];
    record.stage = Record::Stage::waiting;
    queue_of(record).push(records_, index, at_front);
    ++waiting_;
}

bool Core::allows(Peer& peer, std::uint64_t estimate) const {
    if (peer.stage != Peer::Stage::ready || !peer.ring.has_room()) return false;
    const std::uint64_t count = peer.ring.unanswered();
    if (count == 0) return true;
    if (estimate == 0) return count < kUnmeasuredAhead;
    const auto wanted = static_cast<std::uint64_t>(std::chrono::nanoseconds(options_.work_ahead).count());
    return peer.work_ahead() + estimate <= wanted || (count == 1 && estimate <= kLongestSecond);
}

std::uint64_t Core::cost_of(Peer& peer) const {
    return peer.work + (peer.ring.unanswered() == 0 && peer.is_asleep() ? kWakingCost : 0);
}

// One job that only this worker may run, for each worker that has room; first where none of the others is more
// important.
bool Core::feed_pinned(bool only_important) {
    bool any = false;
    for (std::size_t i = 0; i < seats_.size(); ++i) {
        Seat& seat = seats_[i];
        while (!seat.pinned.empty() && seat.peer != nullptr && has_room_for_results()) {
            if (only_important && seat.pinned.level() < waiting_jobs_.level()) break;
            const std::uint32_t index = seat.pinned.front();
            if (!allows(*seat.peer, types_[records_[index].type].estimate) || !send_states(*seat.peer)) break;
            hand_over(i, index, seat.pinned);
            any = true;
        }
    }
    return any;
}

bool Core::feed_general() {
    bool any = false;
    while (!waiting_jobs_.empty() && has_room_for_results()) {
        const std::uint32_t index = waiting_jobs_.front();
        const std::uint64_t estimate = types_[records_[index].type].estimate;
        std::size_t best = seats_.size();
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t i = 0; i < seats_.size(); ++i) {
            if (seats_[i].peer == nullptr || !allows(*seats_[i].peer, estimate)) continue;
            const std::uint64_t cost = cost_of(*seats_[i].peer);
            if (cost < least && send_states(*seats_[i].peer)) {
                least = cost;
                best = i;
            }
        }
        if (best == seats_.size()) break;
        hand_over(best, index, waiting_jobs_);
        any = true;
    }
    return any;
}

void Core::feed() {
    if (waiting_ == 0) return;
    feed_pinned(true);
    feed_general();
    feed_pinned(false);
    publish();
}

void Core::hand_over(std::size_t seat, std::uint32_t index, Pending& from) {
    from.remove(records_, index);
    --waiting_;
    ++running_;
    Record& record = records_[index];
    Peer& peer = *seats_[seat].peer;
    record.stage = Record::Stage::given;
    record.worker = static_cast<std::int16_t>(seat);
    record.position = peer.ring.next();
    Entry& entry = peer.entry(peer.ring.next());
    entry.id = record.id;
    entry.message = Message::job;
    entry.record = index;
    const std::uint64_t estimate = types_[record.type].estimate;
    entry.estimate = static_cast<std::uint32_t>(std::min<std::uint64_t>(estimate == 0 ? kUnmeasured : estimate, ~0U));
    peer.work += entry.estimate;
    write_job(peer, record);
    peer.ring.fill();
    peer.dirty = true;
    // The worker has just read the places that come next, a lap ago: the way back takes as long as all the rest.
    __builtin_prefetch(&peer.segment->job(peer.ring.next()), 1);
}

void Core::write_job(Peer& peer, const Record& record) {
    JobSlot& slot = peer.segment->job(peer.ring.next());
    slot.claim.reset();
    slot.message = Message::job;
    slot.place = record.place;
    slot.id = record.id;
    slot.type = types_[record.type].hash;
    slot.deadline = record.deadline;
    slot.length = record.length;
    if (record.place == Place::inside) {
        std::memcpy(slot.bytes.data(), record.bytes.data(), record.length);
    } else {
        const std::uint64_t offset = std::uint64_t{record.first_block} * kBlockBytes;
        std::memcpy(slot.bytes.data(), &offset, sizeof offset);
    }
}

// What was broadcast since the last job of this worker goes before the next one. False: no room in its ring.
bool Core::send_states(Peer& peer) {
    if (peer.sent_version == version_) return true;
    for (const State& state : states_) {
        if (state.version <= peer.sent_version) continue;
        // The last place is the job's.
        if (peer.ring.unanswered() + 1 >= shape_.slots) return false;
        JobSlot& slot = peer.segment->job(peer.ring.next());
        Entry& entry = peer.entry(peer.ring.next());
        slot.claim.reset();
        slot.message = state.blob != nullptr ? Message::state : Message::forget;
        slot.place = Place::arena;
        slot.id = state.version;
        slot.type = state.version;
        slot.length = state.blob != nullptr ? state.blob->length : 0;
        const std::uint64_t offset = state.blob != nullptr ? std::uint64_t{state.blob->first_block} * kBlockBytes : 0;
        std::memcpy(slot.bytes.data(), &offset, sizeof offset);
        slot.key_length = static_cast<std::uint32_t>(state.key.size());
        std::memcpy(slot.bytes.data() + sizeof offset, state.key.data(), state.key.size());
        entry = {state.version, slot.message, kNoRecord, 0, state.key, state.blob};
        peer.sent_version = state.version;
        peer.ring.fill();
        peer.dirty = true;
    }
    peer.sent_version = version_;
    return true;
}

void Core::publish() {
    for (Seat& seat : seats_) {
        if (seat.peer == nullptr || !seat.peer->dirty) continue;
        seat.peer->dirty = false;
        seat.peer->ring.publish();
        if (seat.peer->is_asleep()) page_->cpu.store(os::this_cpu(kind_), std::memory_order_relaxed);
        woke_a_worker_ |= seat.peer->wake();
    }
}

// Jobs are left that found no room: workers that come to the end of theirs are to call the supervisor. One that came
// to its end just before is found by the look that follows.
void Core::arm() {
    for (int round = 0; round < 2; ++round) {
        bool idle = false;
        for (Seat& seat : seats_) {
            if (seat.peer == nullptr || seat.peer->stage != Peer::Stage::ready) continue;
            Peer& peer = *seat.peer;
            SegmentHeader& header = peer.segment->header();
            // The worker reads these for each job: not written without need.
            if (header.armed.load(std::memory_order_relaxed) != 0) continue;
            header.low.store(reserve_of(peer.ring.unanswered(), peer.work), std::memory_order_relaxed);
            header.armed.store(1, std::memory_order_seq_cst);
        }
        Atomics::fence(std::memory_order_seq_cst);
        for (Seat& seat : seats_) {
            if (seat.peer != nullptr && seat.peer->stage == Peer::Stage::ready && seat.peer->ring.unanswered() != 0 &&
                seat.peer->segment->header().ring.results.load(std::memory_order_relaxed) == seat.peer->ring.next()) {
                idle = true;
            }
        }
        if (!idle) return;
        drain_rings();
        feed();
    }
}

void Core::pump() {
    drain_rings();
    feed();
    if (waiting_ != 0) arm();
}

}  // namespace quarry::process::impl
