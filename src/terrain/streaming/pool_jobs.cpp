#include "terrain/streaming/pool_jobs.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "terrain/extract_triangles.hpp"
#include "terrain/os.hpp"

namespace quarry::terrain::streaming {

namespace {

// Long enough for a worker that sleeps to begin, and short beside a chunk.
constexpr std::chrono::microseconds kToBegin{150};

// Somebody waits for an urgent one: what its mask does not show is left out. If it needs another one day, it is
// extracted again.
std::shared_ptr<KeptMesh> extracted(const MeshJob& job) {
    const MeshSource& source = *job.source;
    auto kept = std::make_shared<KeptMesh>();
    kept->has_seams = !job.urgent || job.mask != 0;
    kept->mesh = kept->has_seams ? extract(*source.field, job.key, source.extract)
                                 : impl::extract_without_seams(*source.field, job.key, source.extract);
    return kept;
}

}  // namespace

MeshOutcome run(MeshJob job) noexcept {
    const std::chrono::nanoseconds start = job.urgent ? impl::os::thread_time() : std::chrono::nanoseconds{};
    MeshOutcome outcome;
    outcome.id = job.id;
    outcome.key = job.key;
    outcome.source = job.source;
    try {
        outcome.kept = std::move(job.kept);
        if (outcome.kept == nullptr || !outcome.kept->can_bake(job.mask)) {
            outcome.kept = extracted(job);
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
    std::optional<MeshJob> first = pop_first();
    if (first && first->urgent) ++urgent_at_work_;
    return first;
}

void RequestQueue::ended_urgent() {
    const std::lock_guard lock(mutex_);
    --urgent_at_work_;
}

std::size_t RequestQueue::urgent_at_work() const {
    const std::lock_guard lock(mutex_);
    return urgent_at_work_;
}

std::optional<MeshOutcome> RequestQueue::work() {
    std::optional<MeshJob> next = pop();
    if (!next) return std::nullopt;
    if (next->urgent) {
        MeshOutcome outcome = run(*std::move(next));
        ended_urgent();
        return outcome;
    }
    // What it waits for may have come: then it is its turn, before this.
    if (host_waits.load(std::memory_order_relaxed)) std::this_thread::yield();
    return run(*std::move(next));
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
    : pool_(pool),
      lane_(lane),
      processors_(std::max(1U, std::thread::hardware_concurrency())),
      inbox_({.slots = most, .age_bonus = 0, .host = host}) {}

void PoolJobs::submit(MeshJob job, double rank) {
    const bool urgent = job.urgent;
    if (urgent) last_news_ = Clock::now();
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
    inbox_.submit(pool_, [queue = queue_] { return queue->work(); }, {.lane = lane, .name = "chunk"});
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

// A thread more than there are processors would take turns with a worker, for milliseconds at a time: both of them then
// end later than one of them would.
bool PoolJobs::workers_are_enough() const {
    const auto workers = static_cast<std::size_t>(pool_.worker_count());
    if (workers < processors_) return false;
    return Clock::now() - last_news_ < kToBegin || queue_->urgent_at_work() >= processors_;
}

bool PoolJobs::run_urgent() {
    if (workers_are_enough()) return false;
    std::optional<MeshJob> job = queue_->pop_urgent();
    if (!job) return false;
    came_.push_back(run(*std::move(job)));
    return true;
}

// Asleep: a thread that spins would take time from a worker, where there are as many of them as processors.
void PoolJobs::wait_for_outcome(std::chrono::nanoseconds most) {
    tell_workers();
    const std::chrono::nanoseconds to_begin = kToBegin - (Clock::now() - last_news_);
    if (to_begin.count() > 0) most = std::min(most, to_begin);
    queue_->host_waits = true;
    inbox_.deliver_until(
        most, [&] { return !came_.empty(); }, [&](MeshOutcome& outcome) { came_.push_back(std::move(outcome)); });
    queue_->host_waits = false;
    if (!came_.empty()) last_news_ = Clock::now();
}

std::size_t PoolJobs::queued() const {
    return queue_->size();
}

}  // namespace quarry::terrain::streaming
