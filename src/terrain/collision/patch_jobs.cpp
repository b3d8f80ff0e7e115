#include "terrain/collision/patch_jobs.hpp"

#include <algorithm>
#include <utility>

namespace quarry::terrain::collision {

PatchOutcome run(const PatchRequest& request) noexcept {
    PatchOutcome outcome;
    outcome.ticket = request.ticket;
    outcome.key = request.key;
    outcome.source = request.source;
    try {
        outcome.patches =
            std::make_shared<const PatchSet>(make_patches(*request.source, request.key, request.before.get()));
    } catch (...) {
        outcome.error = std::current_exception();
    }
    return outcome;
}

PatchQueue::Wanted PatchQueue::replace(std::vector<PatchRequest> requests) {
    std::sort(requests.begin(), requests.end(), [](const PatchRequest& a, const PatchRequest& b) {
        return a.rank != b.rank ? a.rank > b.rank : a.ticket > b.ticket;
    });
    // What was given up is destroyed behind the lock.
    const std::lock_guard lock(mutex_);
    if (!begun_.empty()) {
        std::erase_if(requests, [&](const PatchRequest& each) {
            return std::find(begun_.begin(), begun_.end(), each.ticket) != begun_.end();
        });
    }
    requests_.swap(requests);
    Wanted wanted;
    for (const PatchRequest& each : requests_) ++(each.by_frame_lane ? wanted.by_frame_lane : wanted.others);
    wanted.by_frame_lane -= std::min(wanted.by_frame_lane, told_.by_frame_lane);
    wanted.others -= std::min(wanted.others, told_.others);
    told_.by_frame_lane += wanted.by_frame_lane;
    told_.others += wanted.others;
    return wanted;
}

void PatchQueue::take_begun(std::vector<std::uint64_t>& begun) {
    const std::lock_guard lock(mutex_);
    begun.insert(begun.end(), begun_.begin(), begun_.end());
    begun_.clear();
}

std::optional<PatchRequest> PatchQueue::pop(bool by_frame_lane) {
    const std::lock_guard lock(mutex_);
    --(by_frame_lane ? told_.by_frame_lane : told_.others);
    return pop_first();
}

std::optional<PatchRequest> PatchQueue::pop_near() {
    const std::lock_guard lock(mutex_);
    if (requests_.empty() || !requests_.back().is_near) return std::nullopt;
    return pop_first();
}

std::optional<PatchRequest> PatchQueue::pop_first() {
    if (requests_.empty()) return std::nullopt;
    begun_.push_back(requests_.back().ticket);
    PatchRequest first = std::move(requests_.back());
    requests_.pop_back();
    return first;
}

PoolPatchJobs::PoolPatchJobs(Pool& pool, Lane lane, std::size_t most, const HostGuard& host)
    : pool_(pool), lane_(lane), inbox_({.slots = most, .age_bonus = 0, .host = host}) {}

void PoolPatchJobs::queue(std::vector<PatchRequest> requests) {
    const PatchQueue::Wanted wanted = queue_->replace(std::move(requests));
    for (std::size_t i = 0; i < wanted.by_frame_lane; ++i) submit(true);
    for (std::size_t i = 0; i < wanted.others; ++i) submit(false);
}

void PoolPatchJobs::submit(bool by_frame_lane) {
    inbox_.submit(pool_,
                  [queue = queue_, by_frame_lane]() -> std::optional<PatchOutcome> {
                      std::optional<PatchRequest> next = queue->pop(by_frame_lane);
                      if (!next) return std::nullopt;
                      return run(*next);
                  },
                  {.lane = by_frame_lane ? Lane::frame : lane_, .name = "collision"});
}

// Outcomes first: whatever has come out had begun before.
void PoolPatchJobs::collect(std::vector<std::uint64_t>& begun, std::vector<PatchOutcome>& outcomes) {
    for (PatchOutcome& outcome : came_) outcomes.push_back(std::move(outcome));
    came_.clear();
    inbox_.deliver(DeliveryBudget::everything(),
                   [&](PatchOutcome& outcome) { outcomes.push_back(std::move(outcome)); });
    queue_->take_begun(begun);
}

bool PoolPatchJobs::run_near() {
    std::optional<PatchRequest> request = queue_->pop_near();
    if (!request) return false;
    came_.push_back(run(*request));
    return true;
}

// Asleep: a thread that spins would take time from a worker, where there are as many of them as processors.
void PoolPatchJobs::wait_for_outcome(std::chrono::nanoseconds most) {
    inbox_.deliver_until(
        most, [&] { return !came_.empty(); }, [&](PatchOutcome& outcome) { came_.push_back(std::move(outcome)); });
}

}  // namespace quarry::terrain::collision
