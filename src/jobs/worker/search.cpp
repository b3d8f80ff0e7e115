// Where a worker looks for its next job, and in which order.
#include "jobs/worker/search.hpp"

#include <algorithm>

#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/trace/points.hpp"
#include "jobs/worker/steal_backoff.hpp"
#include "jobs/worker/worker.hpp"

namespace quarry::impl {
namespace {

constexpr std::size_t kMostInjectedAtOnce = 16;

}  // namespace

// The order: of the lanes, of the sources within a lane, and whose turn changes it (Turns).

template <auto... sources>
Node* Search::first_of(Lane lane) {
    Node* found = nullptr;
    static_cast<void>((((found = (this->*sources)(lane)) != nullptr) || ...));
    return found;
}

Node* Search::next() {
    if (turns_.background_is_due() && looks_for_background()) {
        if (Node* const node = first_of<&Search::at_hand, &Search::elsewhere_in>(Lane::background)) return node;
        turns_.background_had_its_turn();
    }
    if (Node* const node = at_hand(me_.crew->first_lane)) return node;
    if (!looks_for_background()) return nullptr;
    // Frame work goes first wherever it is: a background job may be a long one.
    if (Node* const node = elsewhere_in(Lane::frame)) return node;
    return at_hand(Lane::background);
}

Node* Search::elsewhere() {
    if (Node* const node = elsewhere_in(me_.crew->first_lane)) return node;
    return looks_for_background() ? elsewhere_in(Lane::background) : nullptr;
}

Node* Search::in_lane_queue() {
    return first_of<&Search::important, &Search::lane_queue>(me_.crew->first_lane);
}

Node* Search::at_hand(Lane lane) {
    if (me_.core.lanes[lane].important_waiting()) [[unlikely]] {
        if (Node* const node = turns_.others_are_due() ? passed_over(lane) : important(lane)) return node;
    }
    const Turns::First first = turns_.next();
    if (first != Turns::First::newest) [[unlikely]] {
        if (Node* const node = first == Turns::First::oldest ? own_oldest(lane) : lane_queue(lane)) return node;
    }
    return first_of<&Search::own_slot, &Search::own_near, &Search::own_far>(lane);
}

Node* Search::elsewhere_in(Lane lane) {
    return first_of<&Search::important, &Search::unimportant_elsewhere>(lane);
}

// Others' slots are the last resort: what they keep for themselves because they submitted it last.
Node* Search::unimportant_elsewhere(Lane lane) {
    return first_of<&Search::guests, &Search::others, &Search::lane_queue, &Search::others_slots>(lane);
}

// A steady flow of important jobs has kept these waiting. What the worker has itself is looked at next by at_hand.
Node* Search::passed_over(Lane lane) {
    if (turns_.who_of_the_others() == Turns::First::lane_queue) {
        if (Node* const node = lane_queue(lane)) return node;
    }
    return me_.lane_queues(lane).has_visible_work() ? nullptr : unimportant_elsewhere(lane);
}

// From a background job the worker goes back to the frame.
bool Search::may_go_on(Lane lane) noexcept {
    if (lane == Lane::background || me_.core.lanes[lane].important_waiting()) return false;
    if (turns_.background_is_due() && looks_for_background()) return false;
    return turns_.try_go_on();
}

bool Search::looks_for_background() const noexcept {
    return me_.crew->runs_background && me_.core.lanes.background_in_use();
}

// The sources. Each gives a job that the worker has claimed, and is in the lane of from now on; or null.

Search::Search(Worker& me) noexcept : me_(me), random_state_(static_cast<std::uint32_t>(me.index + 1) * 0x9e3779b9U) {}

Node* Search::claimed(Lane lane, Node* entry) noexcept {
    Node* const node = me_.claim_or_drop(entry);
    if (node == nullptr) return nullptr;
    turns_.found_in(lane);
    me_.enter_lane(lane);
    return node;
}

Node* Search::important(Lane lane) noexcept {
    Injection& injected = me_.core.lanes[lane];
    if (!injected.important_waiting()) [[likely]]
        return nullptr;
    while (Node* const entry = injected.take_important()) {
        if (Node* const node = claimed(lane, entry)) {
            turns_.took_important();
            return node;
        }
    }
    return nullptr;
}

Node* Search::own_slot(Lane lane) noexcept {
    Node* const last_in = me_.lane_queues(lane).slot.take();
    return last_in == nullptr ? nullptr : claimed(lane, last_in);
}

Node* Search::own_near(Lane lane) noexcept {
    while (Node* const newest = me_.lane_queues(lane).deque.pop()) {
        if (Node* const node = claimed(lane, newest)) return node;
    }
    return nullptr;
}

Node* Search::own_far(Lane lane) noexcept {
    while (Node* const newest = me_.lane_queues(lane).far_deque.pop()) {
        if (Node* const node = claimed(lane, newest)) return node;
    }
    return nullptr;
}

Node* Search::own_oldest(Lane lane) noexcept {
    const Steal<Node*> oldest = me_.lane_queues(lane).far_deque.steal();
    return oldest.status == StealStatus::got ? claimed(lane, oldest.value) : nullptr;
}

// Takes a few jobs at once when there are many, so that they cost one exchange on the lane's queue; the others find
// what is left of them in this worker's far deque.
Node* Search::lane_queue(Lane lane) noexcept {
    Injection& injected = me_.core.lanes[lane];
    auto& far_deque = me_.lane_queues(lane).far_deque;
    Node* batch[kMostInjectedAtOnce];
    for (;;) {
        std::size_t most = 1;
        if (lane != Lane::io) {
            const std::size_t each = injected.size_hint() / (2 * me_.core.workers.size());
            most = std::clamp(each, std::size_t{1}, kMostInjectedAtOnce);
        }
        try {
            far_deque.reserve(most);
        } catch (const std::bad_alloc&) {
            most = 1;
        }
        const std::size_t count = turns_.take(injected, lane, batch, most);
        if (count == 0) return nullptr;
        // The oldest is popped first.
        for (std::size_t i = count; i-- > 1;) far_deque.push(batch[i]);
        // On their way from one queue to the other the rest could be seen in neither.
        if (count > 1) me_.core.job_queued(&me_, lane, *batch[0]);
        if (Node* const node = claimed(lane, batch[0])) return node;
        if (count == 1) continue;
        if (Node* const node = own_far(lane)) return node;
    }
}

Node* Search::guests(Lane lane) {
    if (lane != Lane::frame) return nullptr;
    Node* found = nullptr;
    me_.core.guests.for_each([&](Worker& victim) {
        if (found == nullptr) found = steal_near(victim, lane);
        if (found == nullptr) found = steal_far(victim, lane);
    });
    return found;
}

Node* Search::others(Lane lane) {
    for (const std::vector<Worker*>& group : victims_) {
        const auto count = static_cast<std::uint32_t>(group.size());
        std::uint32_t at = random() % count;
        for (std::uint32_t i = 0; i < count; ++i, at = at + 1 == count ? 0 : at + 1) {
            if (Node* const node = steal_near(*group[at], lane)) return node;
            if (Node* const node = steal_far(*group[at], lane)) return node;
        }
    }
    return nullptr;
}

Node* Search::others_slots(Lane lane) noexcept {
    for (const std::vector<Worker*>& group : victims_) {
        for (Worker* const victim : group) {
            me_.counters.steal_attempts.add();
            Node* const last_in = victim->lane_queues(lane).slot.take();
            if (last_in == nullptr) continue;
            stole_from(*victim, 1);
            if (Node* const node = claimed(lane, last_in)) return node;
        }
    }
    return nullptr;
}

void Search::stole_from(Worker& victim, std::size_t jobs) noexcept {
    me_.counters.steals.add();
    me_.counters.stolen.add(jobs);
    trace_steal(me_, victim, jobs);
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

Node* Search::steal_near(Worker& victim, Lane lane) {
    Deque<DefaultAtomics, Node*>& own = me_.lane_queues(lane).deque;
    StealBackoff backoff;
    while (backoff.may_try()) {
        me_.counters.steal_attempts.add();
        const StealBatch<Node*> batch = steal_some(victim.lane_queues(lane).deque, own, me_.core.options.steal_batch);
        if (batch.status == StealStatus::empty) return nullptr;
        if (batch.lost_race) me_.counters.lost_races.add();
        if (batch.status == StealStatus::lost) {
            backoff.lost_race(os::cpu_relax);
            continue;
        }
        stole_from(victim, batch.taken);
        pace_.stole(batch.taken);
        // On their way from one deque to the other the rest could be seen in neither.
        if (batch.taken > 1) me_.core.job_queued(&me_, lane, *batch.first);
        if (Node* const node = claimed(lane, batch.first)) return node;
        if (Node* const node = at_hand(lane)) return node;
    }
    return nullptr;
}

// One at a time: an entry that is also in a list is not worth moving.
Node* Search::steal_far(Worker& victim, Lane lane) noexcept {
    for (;;) {
        me_.counters.steal_attempts.add();
        const Steal<Node*> steal = victim.lane_queues(lane).far_deque.steal();
        if (steal.status == StealStatus::lost) me_.counters.lost_races.add();
        if (steal.status != StealStatus::got) return nullptr;
        stole_from(victim, 1);
        if (Node* const node = claimed(lane, steal.value)) return node;
    }
}

std::uint32_t Search::random() noexcept {
    random_state_ ^= random_state_ << 13;
    random_state_ ^= random_state_ >> 17;
    random_state_ ^= random_state_ << 5;
    return random_state_;
}

}  // namespace quarry::impl
