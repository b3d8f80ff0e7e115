#include "jobs/worker.hpp"

#include <algorithm>
#include <utility>

#include "jobs/os.hpp"
#include "jobs/pool_core.hpp"
#include "jobs/trace/points.hpp"

namespace quarry::impl {

constinit thread_local WorkerContext* current_context = nullptr;

namespace {

// An owner looks at the injection queue before its own work once in so many jobs, so that nothing waits there for ever.
constexpr std::uint32_t kInjectedFirstEvery = 61;
// And half-way between at its oldest submitted job: one that submits itself again and again would be the newest for
// ever.
constexpr std::uint32_t kOldestFirstAt = 30;
constexpr int kYieldsBeforeSleep = 2;
constexpr int kMostLostRaces = 4;

}  // namespace

Worker::Worker(PoolCore& pool, int worker_index, bool is_guest)
    : WorkerContext{},
      core(pool),
      index(worker_index),
      guest(is_guest),
      root_{nullptr, nullptr},
      search_budget_(is_guest),
      wait_budget_(is_guest),
      random_state_(static_cast<std::uint32_t>(worker_index + 1) * 0x9e3779b9U) {
    newest = &root_;
    boundary = &root_;
    hunger = &DefaultAtomics::hint(core.sleep.word());
}

LineageFrame::LineageFrame(Worker& worker, Node& of) noexcept
    : Frame{nullptr, nullptr}, owner(worker), previous(worker.newest), inner(&of), outer(worker.lineage) {
    promote = [](WorkerContext& context, Frame& frame) {
        static_cast<Worker&>(context).boundary_lineage = static_cast<LineageFrame&>(frame).inner;
        return Offer::passed;
    };
    previous->next = this;
    worker.newest = this;
    worker.lineage = inner;
}

LineageFrame::~LineageFrame() {
    owner.newest = previous;
    owner.lineage = outer;
    if (owner.boundary == this) {
        owner.boundary = previous;
        owner.boundary_lineage = outer;
    }
}

std::uint32_t Worker::random() noexcept {
    random_state_ ^= random_state_ << 13;
    random_state_ ^= random_state_ >> 17;
    random_state_ ^= random_state_ << 5;
    return random_state_;
}

void Worker::push(Node& node) {
    deque.push(&node);
    queues_used = true;
    counters.spawned.add();
    if (!deque.is_shorter_than(counters.queue_high_water.get() + 1)) [[unlikely]] {
        counters.queue_high_water.raise_to(deque.size_hint());
    }
}

void Worker::push_submitted(Node& node) {
    far_deque.reserve(1);
    counters.spawned.add();
    if (!core.options.lifo_slot) {
        far_deque.push(&node);
    } else if (Node* const displaced = slot.put(&node)) {
        far_deque.push(displaced);
    }
}

// A searcher that runs takes an offer within a microsecond. One that does not is queued behind us on our own CPU, and
// may wait there for milliseconds while another one idles.
void Worker::hurry_searchers() noexcept {
    constexpr std::uint64_t kPatienceMicroseconds = 20;
    if (offered_at == 0) return;
    if (os::ticks() - offered_at < kPatienceMicroseconds * os::ticks_per_microsecond()) return;
    offered_at = 0;
    for (const auto& other : core.workers) {
        if (other->searching.load(std::memory_order_relaxed)) other->placement.steer_away_from_caller();
    }
}

void Worker::forget_promoted(Node& node) noexcept {
    if (deque.pop_if(&node)) release(&node);
}

void Worker::forget_submitted(Node& node) noexcept {
    if (slot.take_if(&node) || far_deque.pop_if(&node)) release(&node);
}

// Turns the reference of a queue's entry into the right to run the job, or drops it.
Node* Worker::claimed(Node* node) noexcept {
    if (node->claim.try_claim()) return node;
    release(node);
    return nullptr;
}

Node* Worker::find_own() noexcept {
    const std::uint32_t turn = ++turn_ % kInjectedFirstEvery;
    if (turn == 0) {
        if (Node* const node = find_injected()) return node;
    } else if (turn == kOldestFirstAt) {
        const Steal<Node*> oldest = far_deque.steal();
        if (oldest.status == StealStatus::got) {
            if (Node* const node = claimed(oldest.value)) return node;
        }
    }
    if (Node* const last_in = slot.take()) {
        if (Node* const node = claimed(last_in)) return node;
    }
    while (Node* const newest_entry = deque.pop()) {
        if (Node* const node = claimed(newest_entry)) return node;
    }
    while (Node* const newest_entry = far_deque.pop()) {
        if (Node* const node = claimed(newest_entry)) return node;
    }
    return nullptr;
}

Node* Worker::find_injected() noexcept {
    while (Node* const entry = core.take_injected()) {
        if (Node* const node = claimed(entry)) return node;
    }
    return nullptr;
}

Node* Worker::steal_from(Worker& victim) {
    for (int lost = 0; lost < kMostLostRaces;) {
        counters.steal_attempts.add();
        const StealBatch<Node*> batch = victim.deque.steal_batch(deque, core.options.steal_batch);
        if (batch.status == StealStatus::empty) return nullptr;
        if (batch.lost_race) counters.lost_races.add();
        if (batch.status == StealStatus::lost) {
            // Others are at the same deque: step back, for longer the more often it happens (R64).
            for (int i = 0; i < (4 << lost); ++i) os::cpu_relax();
            ++lost;
            continue;
        }
        counters.steals.add();
        counters.stolen.add(batch.taken);
        trace_steal(*this, victim, batch.taken);
        steal_pace_.stole(batch.taken);
        // On their way from one deque to the other the rest could be seen in neither.
        if (batch.taken > 1) core.job_queued(this, *batch.first);
        if (Node* const node = claimed(batch.first)) return node;
        if (Node* const node = find_own()) return node;
    }
    return nullptr;
}

// One at a time: an entry that is also in a list is not worth moving.
Node* Worker::steal_far_from(Worker& victim) noexcept {
    for (;;) {
        const Steal<Node*> steal = victim.far_deque.steal();
        if (steal.status == StealStatus::lost) counters.lost_races.add();
        if (steal.status != StealStatus::got) return nullptr;
        counters.steals.add();
        counters.stolen.add();
        trace_steal(*this, victim, 1);
        if (Node* const node = claimed(steal.value)) return node;
    }
}

Node* Worker::find_elsewhere() {
    Node* found = nullptr;
    core.for_each_guest([&](Worker& victim) {
        if (found == nullptr) found = steal_from(victim);
        if (found == nullptr) found = steal_far_from(victim);
    });
    if (found != nullptr) return found;
    for (const std::vector<int>& group : victims) {
        const auto count = static_cast<std::uint32_t>(group.size());
        std::uint32_t at = random() % count;
        for (std::uint32_t i = 0; i < count; ++i, at = at + 1 == count ? 0 : at + 1) {
            Worker& victim = *core.workers[static_cast<std::size_t>(group[at])];
            if (Node* const node = steal_from(victim)) return node;
            if (Node* const node = steal_far_from(victim)) return node;
        }
    }
    if (Node* const node = find_injected()) return node;
    // The last resort: what others keep for themselves because they submitted it last (R54).
    for (const std::vector<int>& group : victims) {
        for (const int victim : group) {
            Node* const last_in = core.workers[static_cast<std::size_t>(victim)]->slot.take();
            if (last_in == nullptr) continue;
            counters.steals.add();
            counters.stolen.add();
            trace_steal(*this, *core.workers[static_cast<std::size_t>(victim)], 1);
            if (Node* const node = claimed(last_in)) return node;
        }
    }
    return nullptr;
}

// One search without sleeping, for as long as the budget allows.
Node* Worker::search_awake() {
    const std::uint64_t away_until = steal_pace_.away_until();
    while (os::ticks() < away_until) os::cpu_relax();
    const std::uint64_t deadline = os::ticks() + search_budget_.ticks();
    do {
        counters.spins.add();
        if (Node* const node = find_elsewhere()) return node;
        for (int i = 0; i < 8; ++i) os::cpu_relax();
    } while (os::ticks() < deadline);
    for (int i = 0; i < kYieldsBeforeSleep; ++i) {
        os::yield_thread();
        counters.spins.add();
        if (Node* const node = find_elsewhere()) return node;
    }
    return nullptr;
}

Node* Worker::idle_until_work() {
    std::uint64_t searching_since = os::ticks();
    const std::uint64_t steals_before = counters.steals.get();
    core.sleep.no_work_found();
    searching.store(true, std::memory_order_relaxed);
    Node* node = search_awake();
    if (node != nullptr) search_budget_.found();
    while (node == nullptr && !core.stopping.load(std::memory_order_acquire)) {
        search_budget_.slept();
        counters.parks.add();
        trace_park(*this);
        core.sleep.sleep(parker, [this] { return core.work_visible(); });
        trace_awake(*this);
        searching_since = os::ticks();
        if (const std::uint64_t at = woken_at.exchange(0, std::memory_order_relaxed)) {
            core.started_after(searching_since - at);
        }
        // What woke us most likely lies there; the rest of the pool is cold after a sleep.
        node = find_injected();
        if (node == nullptr) node = search_awake();
    }
    if (node == nullptr) node = find_elsewhere();  // the pool stops: a last look at what was accepted
    searching.store(false, std::memory_order_relaxed);
    placement.restore();
    if (core.sleep.work_found()) core.last_searcher_found_work();
    if (counters.steals.get() != steals_before) counters.steal_ticks.add(os::ticks() - searching_since);
    return node;
}

void Worker::run_until_stopped() {
    current_context = this;
    const TraceRun traced(*this, TraceRun::Home{});
    for (;;) {
        Node* node = find_own();
        if (node == nullptr) {
            trace_ran_dry(*this);
            node = idle_until_work();
        }
        if (node == nullptr) break;
        placement.restore();  // somebody may have steered us after we had found work
        execute(*node);
    }
    current_context = nullptr;
}

void Worker::run_closure(Node& node) noexcept {
    if (node.group != nullptr && node.group->stop_requested()) [[unlikely]] {
        node.operate(node, Job::Operation::discard);
        counters.cancelled.add();
    } else {
        const TraceJob traced(*this, node);
        const LineageFrame frame(*this, node);
        futile_word = 0;
        lose_patience();
        node.operate(node, Job::Operation::run);
        (std::exchange(job_threw, false) ? counters.failed : counters.completed).add();
    }
    if (node.claim.ended()) node.operate(node, Job::Operation::destroy);
}

void Worker::execute(Node& node) noexcept {
    Group* const group = node.group;
    run_closure(node);
    if (group == nullptr) {
        node.latch.set();
        release(&node);
        return;
    }
    release(&node);
    if (group->owner == this) {
        group->completion.finished_by_owner();
        return;
    }
    Worker* const owner = group->owner;
    if (group->completion.finished_elsewhere()) owner->parker.notify();
}

}  // namespace quarry::impl
