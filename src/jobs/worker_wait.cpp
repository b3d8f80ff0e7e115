// How a worker waits: it runs what it waits for, or what that has spawned, or it sleeps. Never anything else.
#include "jobs/os.hpp"
#include "jobs/pool_core.hpp"
#include "jobs/worker.hpp"

namespace quarry::impl {
namespace {

// The two kinds of event a worker waits for.
struct GroupEnd {
    Group& group;

    Node& ancestor() const noexcept { return group.node(); }
    bool is_over() const noexcept { return group.completion.done(); }
    // Others have spawned into the group: the owner looks at its lists before it goes on waiting.
    bool has_news() const noexcept { return group.completion.has_foreign(); }
    void begin(Parker<DefaultAtomics>&) const noexcept { group.completion.begin_wait(); }
    void end() const noexcept { group.completion.end_wait(); }
};

struct LatchSet {
    Node& node;

    Node& ancestor() const noexcept { return node; }
    bool is_over() const noexcept { return node.latch.is_set(); }
    bool has_news() const noexcept { return false; }
    void begin(Parker<DefaultAtomics>& parker) const noexcept { node.latch.announce(parker); }
    void end() const noexcept {}
};

}  // namespace

// The next unstarted job of a group that this worker owns, claimed; wherever it is queued.
Node* Worker::next_of(Group& group) noexcept {
    for (;;) {
        while (Node* const node = group.unstarted) {
            group.unstarted = node->next.get();
            --group.unstarted_count;
            const bool mine = node->claim.try_claim();
            if (mine) {
                // The list's reference becomes the runner's.
                forget_queued(*node);
                return node;
            }
            release(node);
        }
        Node* foreign = group.completion.take_foreign();
        if (foreign == nullptr) return nullptr;
        while (foreign != nullptr) {
            Node* const next = foreign->next.get();
            foreign->next.set(group.unstarted);
            group.unstarted = foreign;
            ++group.unstarted_count;
            foreign = next;
        }
    }
}

Node* Worker::steal_descendant_of(Node& ancestor) noexcept {
    Node* found = nullptr;
    const auto try_victim = [&](Worker& victim) {
        while (found == nullptr && &victim != this) {
            counters.steal_attempts.add();
            const Steal<Node*> steal =
                victim.deque.steal_if([&](Node* node) { return descends_from(*node, ancestor); });
            if (steal.status == StealStatus::lost) counters.lost_races.add();
            if (steal.status != StealStatus::got) return;
            counters.steals.add();
            counters.stolen.add();
            found = claimed(steal.value);
        }
    };
    core.for_each_guest(try_victim);
    for (const auto& victim : core.workers) try_victim(*victim);
    return found;
}

// The same question without taking; asked before sleeping.
bool Worker::descendant_visible(Node& ancestor) noexcept {
    bool visible = false;
    const auto look = [&](Worker& victim) {
        if (visible || &victim == this) return;
        visible = victim.deque.oldest_satisfies([&](Node* node) { return descends_from(*node, ancestor); });
    };
    core.for_each_guest(look);
    for (const auto& victim : core.workers) look(*victim);
    return visible;
}

template <class Event>
void Worker::park_for(Event& event) noexcept {
    event.begin(parker);
    if (!event.is_over() && !event.has_news() && parker.prepare(Parker<DefaultAtomics>::kWaiting)) {
        // Pairs with the fence of whoever queues a descendant and then looks for waiters.
        DefaultAtomics::fence(std::memory_order_seq_cst);
        if (descendant_visible(event.ancestor())) {
            parker.cancel(Parker<DefaultAtomics>::kWaiting);
        } else {
            counters.parks.add();
            parker.park(Parker<DefaultAtomics>::kWaiting);
        }
    }
    event.end();
}

// Returns when the event is over, or has news for the caller.
template <class Event>
void Worker::await(Event event) noexcept {
    Node* const outer_awaited = awaited.load(std::memory_order_relaxed);
    awaited.store(&event.ancestor(), std::memory_order_relaxed);
    core.sleep.add_appetite(1);
    std::uint64_t deadline = os::ticks() + wait_budget_.ticks();
    while (!event.is_over() && !event.has_news()) {
        if (Node* const node = steal_descendant_of(event.ancestor())) {
            core.sleep.add_appetite(-1);
            execute(*node);
            core.sleep.add_appetite(1);
            wait_budget_.found();
            deadline = os::ticks() + wait_budget_.ticks();
        } else if (os::ticks() < deadline) {
            counters.spins.add();
            for (int i = 0; i < 8; ++i) os::cpu_relax();
        } else {
            wait_budget_.slept();
            park_for(event);
            deadline = os::ticks() + wait_budget_.ticks();
        }
    }
    core.sleep.add_appetite(-1);
    awaited.store(outer_awaited, std::memory_order_relaxed);
}

void Worker::wait_for(Group& group) noexcept {
    for (;;) {
        while (Node* const node = next_of(group)) execute(*node);
        if (group.completion.done()) break;
        await(GroupEnd{group});
    }
    // What others spawned and ran may still be listed.
    for (Node* node = group.completion.take_foreign(); node != nullptr;) {
        Node* const next = node->next.get();
        release(node);
        node = next;
    }
}

void Worker::wait_for(Node& node_with_latch) noexcept {
    if (!node_with_latch.latch.is_set()) await(LatchSet{node_with_latch});
}

void Worker::drop_stale_entries() noexcept {
    while (Node* const node = deque.pop()) release(node);
}

}  // namespace quarry::impl
