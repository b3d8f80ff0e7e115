// Who is woken when a job is queued.
#include "jobs/completion/wait.hpp"
#include "jobs/os/os.hpp"
#include "jobs/parking/crews.hpp"
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
namespace {

// A sleeping worker as Sleep::wake_one sees it.
struct Sleeper {
    Worker& worker;
    WakerGoesOn waker_goes_on;

    // Steers before the sleeper can go on, so that it sees that it was; one that another waker gets finds out as well.
    bool try_pick() const noexcept {
        if (!worker.parker.is_sleeping()) return false;
        if (waker_goes_on == WakerGoesOn::yes) worker.placement.steer_away_from_caller();
        return worker.parker.try_pick();
    }
    void wake() const noexcept { worker.parker.wake(); }
};

}  // namespace

bool PoolCore::wake_one(Crew& crew, WakerGoesOn waker_goes_on, bool even_if_searching) noexcept {
    if (crew.members.empty()) return false;
    const bool woken = crew.sleep.wake_one(
        crew.members.size(), 0,
        [&](std::size_t i) {
            return Sleeper{*crew.members[i], waker_goes_on};
        },
        even_if_searching);
    if (woken) trace_wake(trace);
    return woken;
}

// Somebody who waits, asleep, for an ancestor of this job.
bool PoolCore::wake_waiter_for(Node& node) noexcept {
    Worker* waiter = nullptr;
    const auto look = [&](Worker& worker) {
        if (waiter != nullptr) return;
        if (could_be_helped_by(worker, [&](const Node& awaited) { return descends_from(node, awaited); }))
            waiter = &worker;
    };
    for (const auto& worker : workers) look(*worker);
    for_each_guest(look);
    if (waiter == nullptr) return false;
    waiter->parker.notify();
    trace_wake(trace);
    return true;
}

// A waiter that goes to sleep after this look counts itself (hungry_sleeps), which ends the owner's patience.
void PoolCore::wake_waiter_or_note(Worker& by, Node& node, std::int64_t word) noexcept {
    by.patience.look(hungry_sleeps());
    DefaultAtomics::fence(std::memory_order_seq_cst);
    if (wake_waiter_for(node)) {
        by.counters.wakes.add();
    } else {
        by.patience.nobody_can_take_it(word);
    }
}

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
    const bool goes_on =
        by != nullptr || hints_of_this_thread != 0 || (in_frame_.load(std::memory_order_relaxed) && is_host_thread());
    return goes_on ? WakerGoesOn::yes : WakerGoesOn::no;
}

void PoolCore::wake_for_job(Worker* by, Lane lane, Node* node) noexcept {
    using Counters = Sleep<DefaultAtomics>;
    if (lane == Lane::host) {
        drain.queued_for_stopper();
        // After its fence. The host's thread may wait for room that nobody makes before this job has run.
        if (host_waits_.load(std::memory_order_relaxed)) {
            for (Injection& each : injections_) each.wake_all_waiters();
        }
        return;
    }
    const bool both_crews = lane == Lane::frame && options.reserved_for_frame != 0;
    Crew& crew = lane == Lane::io ? io_ : general_;
    const CrewToWake<DefaultAtomics> chosen = crew_for_new_job(both_crews ? &reserved_.sleep : nullptr, crew.sleep);
    if (chosen.crew != nullptr) {
        if (wake_one(chosen.crew == &crew.sleep ? crew : reserved_, waker_goes_on(by))) count_wake(by);
    } else if (chosen.all_are_busy && Counters::appetite(chosen.word) > 0 && by != nullptr &&
               !by->patience.is_futile(chosen.word)) {
        wake_waiter_or_note(*by, *node, chosen.word);
    }
}

bool PoolCore::wake_for_frame(WakerGoesOn waker_goes_on) noexcept {
    return wake_one(reserved_, waker_goes_on) || wake_one(general_, waker_goes_on);
}

void PoolCore::job_offered(Worker& by, Node& node) noexcept {
    const bool both_crews = by.lane == Lane::frame && options.reserved_for_frame != 0;
    Crew& hungry = hungry_crew(by.lane);
    const Offer offer = offer_to(hungry.sleep, both_crews ? &general_.sleep : nullptr);
    by.offered_at = offer.to == OfferTo::searcher ? os::ticks() : 0;
    if (offer.to == OfferTo::sleeper) {
        // If nobody is woken one has just got up by itself; the same counters will mean a sleeper again.
        const bool woken = both_crews ? wake_for_frame(WakerGoesOn::yes) : wake_one(hungry, WakerGoesOn::yes);
        if (woken) by.counters.wakes.add();
    } else if (offer.to == OfferTo::waiter) {
        wake_waiter_or_note(by, node, offer.word);
    }
}

void PoolCore::last_searcher_found_work(Crew& crew) noexcept {
    replace_last_searcher<DefaultAtomics>(
        others_rely_on(crew), [&] { return work_visible_to(crew); }, [&] { return wake_one(crew, WakerGoesOn::yes); },
        [&] { return wake_one(general_, WakerGoesOn::yes); });
}

bool PoolCore::work_visible_in(Lane lane) noexcept {
    if (!injection(lane).looks_empty()) return true;
    bool visible = false;
    for_each_in(lane, [&](Worker& worker) { visible = visible || worker.lane_queues(lane).has_visible_work(); });
    return visible;
}

bool PoolCore::work_visible_to(const Crew& crew) noexcept {
    if (is_drained() || work_visible_in(crew.first_lane)) return true;
    return crew.runs_background && background_in_use_.load(std::memory_order_seq_cst) &&
           work_visible_in(Lane::background);
}

}  // namespace quarry::impl
