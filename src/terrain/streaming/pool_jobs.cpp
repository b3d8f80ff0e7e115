#include "terrain/streaming/pool_jobs.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "terrain/os.hpp"

namespace quarry::terrain::streaming {

MeshOutcome run(MeshJob job) noexcept {
    const std::chrono::nanoseconds start = job.urgent ? impl::os::thread_time() : std::chrono::nanoseconds{};
    MeshOutcome outcome;
    outcome.id = job.id;
    outcome.key = job.key;
    outcome.source = job.source;
    try {
        outcome.kept = std::move(job.kept);
        if (outcome.kept == nullptr) {
            auto kept = std::make_shared<KeptMesh>();
            kept->mesh = extract(*job.source->field, job.key, job.source->extract);
            outcome.kept = std::move(kept);
            outcome.was_extracted = true;
        }
        const ChunkMesh& mesh = outcome.kept->mesh;
        if (mesh.content == ChunkContent::surface) {
            outcome.baked = std::make_unique<BakedMesh>(BakedMesh{bake(mesh, job.mask), nullptr});
            if (job.source->prepare) outcome.baked->prepared = job.source->prepare(outcome.baked->mesh);
        }
    } catch (...) {
        outcome.error = std::current_exception();
    }
    if (job.urgent) outcome.cost = impl::os::thread_time() - start;
    return outcome;
}

bool RequestQueue::waits(const Entry& entry) const noexcept {
    const Place& place = places_[entry.id.slot];
    return place.waits && place.generation == entry.id.generation;
}

bool RequestQueue::push(MeshJob job, double rank) {
    const std::lock_guard lock(mutex_);
    const ChunkId id = job.id;
    if (id.slot >= places_.size()) places_.resize(2 * (id.slot + std::size_t{1}));
    // An urgent one needs somebody of its own lane: whoever was told before may come late.
    const bool needs_nobody = told_ > waiting_++ && !job.urgent;
    places_[id.slot] = {id.generation, true, std::move(job)};
    entries_.push_back({rank, ++last_number_, id});
    std::push_heap(entries_.begin(), entries_.end());
    if (needs_nobody) return false;
    ++told_;
    return true;
}

bool RequestQueue::cancel(ChunkId id) {
    MeshJob given_up;  // ends when others may go on
    const std::lock_guard lock(mutex_);
    Place& place = places_[id.slot];
    if (!place.waits || place.generation != id.generation) return false;
    place.waits = false;
    given_up = std::move(place.job);
    --waiting_;
    if (entries_.size() > 2 * waiting_ + 64) forget_cancelled();
    return true;
}

void RequestQueue::forget_cancelled() {
    std::erase_if(entries_, [&](const Entry& entry) { return !waits(entry); });
    std::make_heap(entries_.begin(), entries_.end());
}

void RequestQueue::reorder(const MeshJobs::Rank& rank) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry& entry) { return !waits(entry); });
    for (Entry& entry : entries_) entry.rank = rank(places_[entry.id.slot].job);
    std::make_heap(entries_.begin(), entries_.end());
}

void RequestQueue::take_begun(std::vector<ChunkId>& begun) {
    const std::lock_guard lock(mutex_);
    begun.insert(begun.end(), begun_.begin(), begun_.end());
    begun_.clear();
}

std::size_t RequestQueue::size() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

std::optional<MeshJob> RequestQueue::pop() {
    const std::lock_guard lock(mutex_);
    --told_;
    return pop_first();
}

std::optional<MeshJob> RequestQueue::pop_urgent() {
    const std::lock_guard lock(mutex_);
    while (!entries_.empty() && !waits(entries_.front())) {
        std::pop_heap(entries_.begin(), entries_.end());
        entries_.pop_back();
    }
    if (entries_.empty() || !places_[entries_.front().id.slot].job.urgent) return std::nullopt;
    return pop_first();
}

std::optional<MeshJob> RequestQueue::pop_first() {
    while (!entries_.empty()) {
        std::pop_heap(entries_.begin(), entries_.end());
        const Entry entry = entries_.back();
        entries_.pop_back();
        if (!waits(entry)) continue;
        Place& place = places_[entry.id.slot];
        place.waits = false;
        --waiting_;
        begun_.push_back(entry.id);
        return std::move(place.job);
    }
    return std::nullopt;
}

PoolJobs::PoolJobs(Pool& pool, Lane lane, std::size_t most, const HostGuard& host)
    : pool_(pool), lane_(lane), inbox_({.slots = most, .age_bonus = 0, .host = host}) {}

void PoolJobs::submit(MeshJob job, double rank) {
    const bool urgent = job.urgent;
    if (!queue_->push(std::move(job), rank)) return;
    if (urgent) {
        tell_one(Lane::frame);
    } else {
        ++untold_;
    }
}

void PoolJobs::tell_workers() {
    for (; untold_ > 0; --untold_) tell_one(lane_);
}

void PoolJobs::tell_one(Lane lane) {
    inbox_.submit(pool_,
                  [queue = queue_]() -> std::optional<MeshOutcome> {
                      std::optional<MeshJob> next = queue->pop();
                      if (!next) return std::nullopt;
                      return run(*std::move(next));
                  },
                  {.lane = lane, .name = "chunk"});
}

bool PoolJobs::cancel(ChunkId id) {
    return queue_->cancel(id);
}

void PoolJobs::reorder(const Rank& rank) {
    queue_->reorder(rank);
}

void PoolJobs::collect(std::vector<ChunkId>& begun, std::vector<MeshOutcome>& outcomes) {
    queue_->take_begun(begun);
    for (MeshOutcome& outcome : came_) outcomes.push_back(std::move(outcome));
    came_.clear();
    inbox_.deliver(DeliveryBudget::everything(), [&](MeshOutcome& outcome) { outcomes.push_back(std::move(outcome)); });
}

bool PoolJobs::run_urgent() {
    std::optional<MeshJob> job = queue_->pop_urgent();
    if (!job) return false;
    came_.push_back(run(*std::move(job)));
    return true;
}

// Asleep: a thread that spins would take time from a worker, where there are as many of them as processors.
void PoolJobs::wait_for_outcome(std::chrono::nanoseconds most) {
    tell_workers();
    inbox_.deliver_until(
        most, [&] { return !came_.empty(); }, [&](MeshOutcome& outcome) { came_.push_back(std::move(outcome)); });
}

std::size_t PoolJobs::queued() const {
    return queue_->size();
}

}  // namespace quarry::terrain::streaming
