// How a worker finds its next job: in its own queues, in those of others, in the lanes' queues; or sleeps until there
// is one.
#include <algorithm>

#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/trace/points.hpp"
#include "jobs/worker/steal_backoff.hpp"
#include "jobs/worker/worker.hpp"

namespace quarry::impl {
namespace {

// Unreserved workers take one background job after so many of the frame, if there is one: 1 in 64.
constexpr std::uint32_t kMostFrameJobsInARow = 63;
constexpr std::size_t kMostInjectedAtOnce = 16;
constexpr int kYieldsBeforeSleep = 2;

}  // namespace

std::uint32_t Worker::random() noexcept {
    random_state_ ^= random_state_ << 13;
    random_state_ ^= random_state_ >> 17;
    random_state_ ^= random_state_ << 5;
    return random_state_;
}

// Turns the reference of a queue's entry into the right to run the job, or drops it.
Node* Worker::claim_or_drop(Node* node) noexcept {
    if (node->claim.try_claim()) return node;
    return bring_to_gate(node);
}

// At the bottom of the stack: what this worker runs next, and all that becomes part of it, belongs to that lane.
Node* Worker::enter_lane(Lane which, Node* node) noexcept {
    frame_jobs_in_a_row_ = which == Lane::frame ? frame_jobs_in_a_row_ + 1 : 0;
    if (lane != which) {
        lane = which;
        job_lane = which;
        hunger = &DefaultAtomics::hint(core.crews.hungry_in(which).sleep.word());
    }
    return node;
}

bool Worker::background_is_due() const noexcept {
    return frame_jobs_in_a_row_ >= kMostFrameJobsInARow && crew->runs_background && core.background_in_use();
}

Node* Worker::find_before_idling() {
    if (background_is_due()) {
        if (Node* const node = find_own_in(Lane::background)) return node;
        if (Node* const node = find_elsewhere_in(Lane::background)) return node;
        frame_jobs_in_a_row_ = 0;
    }
    if (Node* const node = find_own_in(crew->first_lane)) return node;
    if (!crew->runs_background || !core.background_in_use()) return nullptr;
    // Frame work goes first wherever it is: a background job may be a long one.
    if (Node* const node = find_elsewhere_in(Lane::frame)) return node;
    return find_own_in(Lane::background);
}

// High and urgent jobs go before all other work.
Node* Worker::find_important_in(Lane which) noexcept {
    Injection& injected = core.injection(which);
    if (!injected.important_waiting()) [[likely]]
        return nullptr;
    while (Node* const entry = injected.take_important()) {
        Node* const node = claim_or_drop(entry);
        if (node == nullptr) continue;
        ++important_in_a_row_;
        return enter_lane(which, node);
    }
    return nullptr;
}

// But a steady flow of them does not keep the others waiting for ever. By turns what waits in the lane's queue goes
// first and what this worker has itself, which its caller looks at next: else the one could hide the other.
Node* Worker::find_passed_over_in(Lane which) {
    important_in_a_row_ = 0;
    injected_was_passed_over_ = !injected_was_passed_over_;
    if (injected_was_passed_over_) {
        if (Node* const node = find_injected_in(which)) return node;
    }
    return lane_queues(which).has_visible_work() ? nullptr : find_unimportant_elsewhere_in(which);
}

Node* Worker::find_own_in(Lane which) {
    if (core.injection(which).important_waiting()) [[unlikely]] {
        const bool others_first = important_in_a_row_ >= Injection::kMostImportantInARow;
        if (Node* const node = others_first ? find_passed_over_in(which) : find_important_in(which)) return node;
    }
    LaneQueues& own = lane_queues(which);
    const std::uint32_t turn = ++turn_ % kInjectedFirstEvery;
    if (turn == 0) {
        if (Node* const node = find_injected_in(which)) return node;
    } else if (turn == kOldestFirstAt) {
        const Steal<Node*> oldest = own.far_deque.steal();
        if (oldest.status == StealStatus::got) {
            if (Node* const node = claim_or_drop(oldest.value)) return enter_lane(which, node);
        }
    }
    if (Node* const last_in = own.slot.take()) {
        if (Node* const node = claim_or_drop(last_in)) return enter_lane(which, node);
    }
    while (Node* const newest_entry = own.deque.pop()) {
        if (Node* const node = claim_or_drop(newest_entry)) return enter_lane(which, node);
    }
    while (Node* const newest_entry = own.far_deque.pop()) {
        if (Node* const node = claim_or_drop(newest_entry)) return enter_lane(which, node);
    }
    return nullptr;
}

// Takes a few jobs at once when there are many, so that they cost one exchange on the lane's queue; the others find
// what is left of them in this worker's far deque.
Node* Worker::find_injected_in(Lane which) noexcept {
    Injection& injected = core.injection(which);
    LaneQueues& own = lane_queues(which);
    Node* batch[kMostInjectedAtOnce];
    for (;;) {
        std::size_t most = 1;
        if (which != Lane::io) {
            const std::size_t each = injected.size_hint() / (2 * core.workers.size());
            most = std::clamp(each, std::size_t{1}, kMostInjectedAtOnce);
        }
        try {
            own.far_deque.reserve(most);
        } catch (const std::bad_alloc&) {
            most = 1;
        }
        std::size_t& since_low = injected_since_low_[static_cast<std::size_t>(which)];
        const bool low_first = since_low >= Injection::kLowFirstAfter;
        const std::size_t count = injected.take(batch, most, low_first);
        if (count == 0) return nullptr;
        since_low = low_first ? 0 : since_low + count;
        // The oldest is popped first.
        for (std::size_t i = count; i-- > 1;) own.far_deque.push(batch[i]);
        // On their way from one queue to the other the rest could be seen in neither.
        if (count > 1) core.job_queued(this, which, *batch[0]);
        if (Node* const node = claim_or_drop(batch[0])) return enter_lane(which, node);
        while (Node* const entry = count > 1 ? own.far_deque.pop() : nullptr) {
            if (Node* const node = claim_or_drop(entry)) return enter_lane(which, node);
        }
    }
}

namespace {

// Without memory for many, one: it needs no place.
StealBatch<Node*> steal_some(Deque<DefaultAtomics, Node*>& from, Deque<DefaultAtomics, Node*>& into,
                             std::size_t most) noexcept {
    try {
        return from.steal_batch(into, most);
    } catch (const std::bad_alloc&) {
        const Steal<Node*> one = from.steal();
        const std::size_t taken = one.status == StealStatus::got ? 1 : 0;
        return {one.status, one.value, taken, one.status == StealStatus::lost};
    }
}

}  // namespace

Node* Worker::steal_from(Worker& victim, Lane which) {
    Deque<DefaultAtomics, Node*>& own = lane_queues(which).deque;
    StealBackoff backoff;
    while (backoff.may_try()) {
        counters.steal_attempts.add();
        const StealBatch<Node*> batch = steal_some(victim.lane_queues(which).deque, own, core.options.steal_batch);
        if (batch.status == StealStatus::empty) return nullptr;
        if (batch.lost_race) counters.lost_races.add();
        if (batch.status == StealStatus::lost) {
            backoff.lost_race(os::cpu_relax);
            continue;
        }
        counters.steals.add();
        counters.stolen.add(batch.taken);
        trace_steal(*this, victim, batch.taken);
        steal_pace_.stole(batch.taken);
        // On their way from one deque to the other the rest could be seen in neither.
        if (batch.taken > 1) core.job_queued(this, which, *batch.first);
        if (Node* const node = claim_or_drop(batch.first)) return enter_lane(which, node);
        if (Node* const node = find_own_in(which)) return node;
    }
    return nullptr;
}

// One at a time: an entry that is also in a list is not worth moving.
Node* Worker::steal_far_from(Worker& victim, Lane which) noexcept {
    for (;;) {
        counters.steal_attempts.add();
        const Steal<Node*> steal = victim.lane_queues(which).far_deque.steal();
        if (steal.status == StealStatus::lost) counters.lost_races.add();
        if (steal.status != StealStatus::got) return nullptr;
        counters.steals.add();
        counters.stolen.add();
        trace_steal(*this, victim, 1);
        if (Node* const node = claim_or_drop(steal.value)) return enter_lane(which, node);
    }
}

Node* Worker::find_elsewhere() {
    if (Node* const node = find_elsewhere_in(crew->first_lane)) return node;
    if (!crew->runs_background || !core.background_in_use()) return nullptr;
    return find_elsewhere_in(Lane::background);
}

Node* Worker::find_elsewhere_in(Lane which) {
    if (Node* const node = find_important_in(which)) return node;
    return find_unimportant_elsewhere_in(which);
}

Node* Worker::find_unimportant_elsewhere_in(Lane which) {
    if (which == Lane::frame) {
        Node* found = nullptr;
        core.for_each_guest([&](Worker& victim) {
            if (found == nullptr) found = steal_from(victim, which);
            if (found == nullptr) found = steal_far_from(victim, which);
        });
        if (found != nullptr) return found;
    }
    for (const std::vector<int>& group : victims) {
        const auto count = static_cast<std::uint32_t>(group.size());
        std::uint32_t at = random() % count;
        for (std::uint32_t i = 0; i < count; ++i, at = at + 1 == count ? 0 : at + 1) {
            Worker& victim = *core.workers[static_cast<std::size_t>(group[at])];
            if (Node* const node = steal_from(victim, which)) return node;
            if (Node* const node = steal_far_from(victim, which)) return node;
        }
    }
    if (Node* const node = find_injected_in(which)) return node;
    // The last resort: what others keep for themselves because they submitted it last.
    for (const std::vector<int>& group : victims) {
        for (const int victim : group) {
            counters.steal_attempts.add();
            Node* const last_in = core.workers[static_cast<std::size_t>(victim)]->lane_queues(which).slot.take();
            if (last_in == nullptr) continue;
            counters.steals.add();
            counters.stolen.add();
            trace_steal(*this, *core.workers[static_cast<std::size_t>(victim)], 1);
            if (Node* const node = claim_or_drop(last_in)) return enter_lane(which, node);
        }
    }
    return nullptr;
}

// One search without sleeping, for as long as the budget allows.
Node* Worker::search_awake(const SpinBudget& budget) {
    const std::uint64_t away_until = steal_pace_.away_until();
    while (os::ticks() < away_until) os::cpu_relax();
    const std::uint64_t deadline = os::ticks() + budget.ticks();
    do {
        counters.spins.add();
        if (Node* const node = find_elsewhere()) return node;
        for (int i = 0; i < 8; ++i) os::cpu_relax();
    } while (os::ticks() < deadline);
    // Where searching has not paid lately the thread sleeps at once. A yield with another thread on this CPU forfeits
    // the rest of the time slice, and a thread that then sleeps starts late when it is woken, by up to a whole slice.
    if (budget.ticks() == 0) return nullptr;
    for (int i = 0; i < kYieldsBeforeSleep; ++i) {
        os::yield_thread();
        counters.spins.add();
        if (Node* const node = find_elsewhere()) return node;
    }
    return nullptr;
}

// What the parking protocol asks of a worker that is idle.
class Worker::Idling {
  public:
    explicit Idling(Worker& worker) noexcept
        : worker_(worker),
          steals_before_(worker.counters.steals.get()),
          budget_(worker.woken_from_outside_ ? &worker.budget_after_outside_ : &worker.search_budget_) {}

    Node* search() {
        worker_.placement.rest_begins();
        worker_.searching.store(true, std::memory_order_relaxed);
        worker_.woken_from_outside_ = false;
        Node* const node = worker_.search_awake(*budget_);
        if (node != nullptr) budget_->found();
        return node;
    }
    Node* search_after_sleep() {
        const Lane first = worker_.crew->first_lane;
        // What woke us most likely lies there; the rest of the pool is cold after a sleep.
        Node* node = worker_.find_important_in(first);
        if (node == nullptr) node = worker_.find_injected_in(first);
        worker_.woken_from_outside_ = node != nullptr;
        if (node == nullptr) node = worker_.search_awake(*budget_);
        // The own queues were empty before the search. A closure that was given up at its gate meanwhile may have
        // spawned something from its destructor, and whoever looked for a searcher then relied on this one.
        return node != nullptr ? node : worker_.find_before_idling();
    }
    bool is_over() const noexcept { return worker_.core.is_drained(); }
    // Its sleep is announced by now, so that an owner of private work which looked before learns of it.
    void announced() const noexcept {
        worker_.core.crews.count_hungry_sleep();
        worker_.core.look_whether_drained();
    }
    bool work_visible() const noexcept { return worker_.core.work_visible_to(*worker_.crew); }
    void falls_asleep() noexcept {
        budget_->slept();
        budget_ = &worker_.search_budget_;
        worker_.counters.parks.add();
        trace_park(worker_);
    }
    void is_awake() noexcept {
        trace_awake(worker_);
        since_ = os::ticks();
    }
    void has_stopped() const noexcept {
        worker_.searching.store(false, std::memory_order_relaxed);
        worker_.placement.rest_ends();
    }

    void count_steals() const noexcept {
        if (worker_.counters.steals.get() != steals_before_) worker_.counters.steal_ticks.add(os::ticks() - since_);
    }

  private:
    Worker& worker_;
    std::uint64_t since_ = os::ticks();
    const std::uint64_t steals_before_;
    SpinBudget* budget_;
};

Node* Worker::idle_until_work() {
    Idling idling(*this);
    Node* const node = core.crews.idle(*crew, parker, idling);
    idling.count_steals();
    return node;
}

}  // namespace quarry::impl
