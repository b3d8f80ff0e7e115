#include <algorithm>
#include <utility>

#include "process/core.hpp"
#include "quarry/frame/frame_ledger.hpp"
#include "quarry/jobs/error.hpp"

// What the host does with jobs.
namespace quarry::process::impl {

Submitted Core::submit(JobType type, Parts payload, const JobOptions& options) {
    if (is_forked_child()) return {0, Refusal::shut_down};
    const Lock lock(mutex_);
    Submitted submitted;
    submitted.refusal = accept(type, payload, options, submitted.id);
    if (submitted.refusal != Refusal::none) {
        count_refused(options);
        return submitted;
    }
    feed();
    // What lies unread in the results keeps a ring full.
    if (waiting_ != 0) pump();
    return submitted;
}

std::size_t Core::submit_many(std::span<const JobRequest> jobs, std::span<Submitted> out) {
    if (!out.empty() && out.size() < jobs.size()) {
        throw Error("submit_many needs a place for the answer to each job: " + std::to_string(jobs.size()) + " jobs, " +
                    std::to_string(out.size()) + " places");
    }
    if (is_forked_child()) {
        std::fill(out.begin(), out.end(), Submitted{0, Refusal::shut_down});
        return 0;
    }
    const Lock lock(mutex_);
    constexpr std::size_t kBetweenFeeds = 32;
    std::size_t accepted = 0;
    for (; accepted < jobs.size(); ++accepted) {
        Submitted submitted;
        const JobRequest& job = jobs[accepted];
        submitted.refusal = accept(job.type, std::span(&job.payload, 1), job.options, submitted.id);
        if (submitted.refusal == Refusal::queue_full) {
            pump();
            submitted.refusal = accept(job.type, std::span(&job.payload, 1), job.options, submitted.id);
        }
        if (!out.empty()) out[accepted] = submitted;
        if (submitted.refusal != Refusal::none) {
            for (std::size_t rest = accepted; rest < jobs.size(); ++rest) {
                if (!out.empty()) out[rest] = {0, submitted.refusal};
                count_refused(jobs[rest].options);
            }
            break;
        }
        // The worker has begun while the rest is being taken in.
        if ((accepted + 1) % kBetweenFeeds == 0) feed();
    }
    feed();
    if (waiting_ != 0) pump();
    return accepted;
}

std::size_t Core::poll(std::vector<Result>& out, std::size_t most, std::chrono::nanoseconds budget) {
    if (is_forked_child()) return 0;
    if (options_.ledger != nullptr && !options_.ledger->host().is_host()) {
        throw Error("poll of an engine with a ledger belongs to the thread whose frames the ledger keeps");
    }
    const bool limited = budget != Engine::kNoLimit;
    const auto end = limited ? std::chrono::steady_clock::now() + budget : std::chrono::steady_clock::time_point::max();
    const Lock lock(mutex_);
    if (descriptor_used_ && page_->event_wanted.load(std::memory_order_relaxed) == 0) {
        os::clear_event(host_event_.wait.get());
        page_->event_wanted.store(1, std::memory_order_relaxed);
        Atomics::fence(std::memory_order_seq_cst);
    }
    pump();
    std::size_t count = 0;
    while (count < most && !completed_.empty()) {
        if (limited && count != 0 && std::chrono::steady_clock::now() >= end) break;
        const std::uint32_t index = completed_.front();
        completed_.remove(records_, index);
        --completed_count_;
        out.emplace_back();
        fill(out.back(), records_[index]);
        records_.release(index);
        ++count;
    }
    stats_.polled += count;
    // Results had filled their queue, so that jobs waited for this.
    if (count != 0 && waiting_ != 0) pump();
    if (descriptor_used_ && completed_count_ != 0) notify_host();
    return count;
}

Cancel Core::cancel(JobId id) {
    if (is_forked_child()) return Cancel::no_job;
    const Lock lock(mutex_);
    drain_rings();
    Record* record = records_.find(id);
    if (record == nullptr || record->stage == Record::Stage::ended) return Cancel::no_job;
    const std::uint32_t index = Records::index_of(*record);
    if (record->stage == Record::Stage::waiting) {
        queue_of(*record).remove(records_, index);
        --waiting_;
        end_without_answer(index, Status::cancelled, {});
        notify_host();
        return Cancel::done;
    }
    Peer& peer = *seats_[static_cast<std::size_t>(record->worker)].peer;
    JobSlot& slot = peer.segment->job(record->position);
    if (slot.claim.withdraw()) {
        peer.entry(record->position).record = kNoRecord;
        end_without_answer(index, Status::cancelled, {});
        notify_host();
        return Cancel::done;
    }
    slot.claim.ask_to_stop();
    return Cancel::asked;
}

Refusal Core::broadcast(std::string_view key, std::span<const std::byte> payload) {
    if (is_forked_child()) return Refusal::shut_down;
    const Lock lock(mutex_);
    if (refusing_) return Refusal::shut_down;
    if (key.empty() || key.size() > kMostKeyBytes) return Refusal::unknown_type;
    if (payload.size() > options_.max_payload) return Refusal::payload_too_large;
    drain_rings();
    purge_states();
    const auto old = std::find_if(states_.begin(), states_.end(), [&](const State& each) { return each.key == key; });
    if (old == states_.end() && states_.size() >= options_.max_states) return Refusal::queue_full;
    const auto block = arena_.store(std::span(&payload, 1), payload.size());
    if (!block) return Refusal::arena_full;
    if (old != states_.end()) states_.erase(old);
    const auto length = static_cast<std::uint32_t>(payload.size());
    states_.push_back({std::string(key), std::make_shared<StateBlob>(arena_, *block, length), ++version_});
    return Refusal::none;
}

bool Core::forget(std::string_view key) {
    if (is_forked_child()) return false;
    const Lock lock(mutex_);
    const auto old = std::find_if(states_.begin(), states_.end(),
                                  [&](const State& each) { return each.key == key && each.blob != nullptr; });
    if (old == states_.end()) return false;
    states_.erase(old);
    states_.push_back({std::string(key), nullptr, ++version_});
    return true;
}

// That a key is forgotten needs to be known only until every worker has been told.
void Core::purge_states() {
    std::uint64_t told = version_;
    for (const Seat& seat : seats_) {
        if (seat.peer != nullptr) told = std::min(told, seat.peer->sent_version);
    }
    for (const auto& spare : spares_) told = std::min(told, spare->sent_version);
    std::erase_if(states_, [&](const State& each) { return each.blob == nullptr && each.version <= told; });
}

void Core::set_retry(JobType type, Retry retry) {
    if (is_forked_child()) return;
    const Lock lock(mutex_);
    const std::uint32_t index = types_.find_or_add(type);
    if (index != Types::kUnknown) types_[index].retry = retry;
}

int Core::descriptor() {
    if (is_forked_child()) return -1;
    const Lock lock(mutex_);
    if (!descriptor_used_) {
        descriptor_used_ = true;
        os::ring_event(host_event_.ring.get());  // whatever came before
    }
    return host_event_.wait.get();
}

}  // namespace quarry::process::impl
