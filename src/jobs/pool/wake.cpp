// What the pool adds when its crews decide who is woken (parking/crews.hpp): counts, and those who sleep in a wait.
#include "jobs/completion/wait.hpp"
#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/trace/points.hpp"
#include "quarry/jobs/caller_goes_on.hpp"

namespace quarry {
namespace {

thread_local int hints_of_this_thread = 0;

}  // namespace

CallerGoesOn::CallerGoesOn() noexcept {
    ++hints_of_this_thread;
}

CallerGoesOn::~CallerGoesOn() {
    --hints_of_this_thread;
}

}  // namespace quarry

namespace quarry::impl {

void PoolCore::count_wake(Worker* by) noexcept {
    if (by != nullptr) {
        by->counters.wakes.add();
    } else {
        wakes_outside_.fetch_add(1, std::memory_order_relaxed);
    }
}

// A thread from outside may be about to wait: then its own CPU is the one that is free first. The host's thread says by
// its frames when it is not, any thread by a CallerGoesOn (docs/decisions/0014-frame-phase-hint.md).
WakerGoesOn PoolCore::waker_goes_on(const Worker* by) const noexcept {
    const bool goes_on = by != nullptr || hints_of_this_thread != 0 || host.is_this_thread_in_frame();
    return goes_on ? WakerGoesOn::yes : WakerGoesOn::no;
}

void PoolCore::wake_for_job(Worker* by, Lane lane, Node* node) noexcept {
    if (lane == Lane::host) {
        ledger.drain.queued_for_stopper();
        // After its fence. The host's thread may wait for room that nobody makes before this job has run.
        if (host.waits_for_room()) lanes.wake_all_waiters();
        return;
    }
    const Told told = crews.job_queued(lane, [&] { return waker_goes_on(by); });
    if (told.taker == Taker::woken) {
        count_wake(by);
    } else if (told.taker == Taker::waiter && by != nullptr && !by->patience.is_futile(told.word)) {
        wake_waiter_for(*by, *node, told.word);
    }
}

void PoolCore::job_offered(Worker& by, Node& node) noexcept {
    const Told told = crews.job_offered(by.lane);
    by.offered_at = told.taker == Taker::searcher ? os::ticks() : 0;
    if (told.taker == Taker::woken) {
        by.counters.wakes.add();
    } else if (told.taker == Taker::waiter) {
        wake_waiter_for(by, node, told.word);
    }
}

// Somebody who waits, asleep, for an ancestor of this job.
void PoolCore::wake_waiter_for(Worker& by, Node& node, std::int64_t word) noexcept {
    const auto each_worker = [&](auto visit) { for_each_worker(visit); };
    const bool woken = crews.wake_waiter_or_note(by.patience, word, [&] {
        return wake_waiter(each_worker, [&](const Node& awaited) { return descends_from(node, awaited); });
    });
    if (!woken) return;
    trace_wake(trace);
    by.counters.wakes.add();
}

bool PoolCore::work_visible_in(Lane lane) noexcept {
    if (!lanes[lane].looks_empty()) return true;
    bool visible = false;
    for_each_in(lane, [&](Worker& worker) { visible = visible || worker.lane_queues(lane).has_visible_work(); });
    return visible;
}

bool PoolCore::work_visible_to(const WorkerCrew& crew) noexcept {
    if (ledger.drain.is_drained() || work_visible_in(crew.first_lane)) return true;
    return crew.runs_background && lanes.background_in_use_for_certain() && work_visible_in(Lane::background);
}

}  // namespace quarry::impl
