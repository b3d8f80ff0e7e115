// How the threads of a run go from node to node.
#include <algorithm>
#include <mutex>
#include <vector>

#include "jobs/graph/parallel_run.hpp"
#include "jobs/os/os.hpp"

namespace quarry::impl {

void ParallelRun::begin(const std::vector<std::uint32_t>& starters, Participant& me) {
    const auto is_plain_and_light = [&](std::uint32_t index) {
        return (core_.hot[index].flags & HotNode::kLight) != 0 && core_.cold[index].lane == Lane::frame;
    };
    participants_ = 1;
    bool all_light = core_.shared.foreign.empty();
    for (const std::uint32_t index : starters) {
        core_.stamps[index].ready = me.now;
        all_light = all_light && (core_.hot[index].flags & HotNode::kLight) != 0;
    }
    if (all_light) {
        me.own.next = starters.data();
        me.own.end = starters.data() + starters.size();
        return;
    }
    for (std::size_t i = starters.size(); i-- > 0;) {
        const std::uint32_t index = starters[i];
        if (is_plain_and_light(index)) became_ready(index, me);
    }
    for (const std::uint32_t index : starters) {
        if (!is_plain_and_light(index)) became_ready(index, me);
    }
    share_heavy(me);
}

void ParallelRun::run(const std::vector<std::uint32_t>& starters) {
    bool first = true;
    do {
        pool_.scope([&](Scope& scope) {
            scope_ = &scope;
            Participant me(true);
            if (first) {
                begin(starters, me);
            } else {
                const std::lock_guard lock(lock_);
                ++participants_;
            }
            take_part(me);
        });
        first = false;
    } while (wait_for_submitted());
}

void ParallelRun::take_part(Participant& me) {
    const WorkerContext& context = *current_context;
    do {
        for (;;) {
            const std::uint32_t index = take_first(me.own, core_.hot);
            if (index == kNoNode) {
                if (me.gathering == kNoNode) break;
                tell_gathered(me);
                share_heavy(me);
                continue;
            }
            run_one(index, me);
            if (me.own.size() < 2) continue;
            if (wanted_.load(std::memory_order_relaxed) != 0) {
                give_to_idle(me);
            } else if (context.someone_is_hungry() && me.may_spawn) {
                offer_light(me);
            }
        }
    } while (take_shared_or_leave(me));
}

// Looks for a while where others have more than they can run at once: to come back from the pool takes longer.
bool ParallelRun::take_shared_or_leave(Participant& me) {
    for (bool looked = false;; looked = true) {
        std::uint32_t seen = 0;
        {
            const std::lock_guard lock(lock_);
            if (looked) wanted_.store(--idle_, std::memory_order_relaxed);
            me.now = ticks();  // what is here may have become ready after the last node of this thread ended
            if (take_shared(me)) return true;
            seen = changes_.load(std::memory_order_relaxed);
            if (looked || participants_ - coming_ - idle_ == 1) {
                --participants_;
                tally_.add(me.tally);
                changes_.store(seen + 1, std::memory_order_release);
                return false;
            }
            wanted_.store(++idle_, std::memory_order_relaxed);
        }
        wait_for_change(seen);
    }
}

bool ParallelRun::take_shared(Participant& me) {
    SharedReady& shared = core_.shared;
    const bool light_first =
        !shared.bundles.empty() &&
        (shared.heap.empty() || core_.goes_before(shared.bundles.back().head != kNoNode ? shared.bundles.back().head
                                                                                        : *shared.bundles.back().next,
                                                  shared.heap.front()));
    if (light_first) {
        me.own = shared.bundles.back();
        shared.bundles.pop_back();
        return true;
    }
    if (shared.heap.empty()) return false;
    std::pop_heap(shared.heap.begin(), shared.heap.end(), worse_);
    me.own.head = shared.heap.back();
    me.own.listed = 1;
    core_.hot[me.own.head].next = kNoNode;
    shared.heap.pop_back();
    return true;
}

void ParallelRun::wait_for_change(std::uint32_t seen) const noexcept {
    constexpr std::uint64_t kMicroseconds = 10;
    const std::uint64_t end = ticks() + kMicroseconds * os::ticks_per_microsecond();
    while (changes_.load(std::memory_order_acquire) == seen && ticks() < end) os::cpu_relax();
}

void ParallelRun::run_one(std::uint32_t index, Participant& me) {
    ++me.nodes_run;
    const HotNode& node = core_.hot[index];
    if (node.cost > core_.prefetch_cost) {
        core_.prefetch_successors(node);
        if (me.own.head != kNoNode) __builtin_prefetch(&core_.hot[me.own.head], 1);
    }
    const NodeOutcome outcome =
        core_.is_quick(node, me) ? core_.run_quickly(index, me) : core_.run_node(index, me, RangeOrder::shared);
    if (node.first_successor == node.last_successor) return;
    tell_successors(node, outcome, me);
    if (me.heavy != kNoNode) share_heavy(me);
}

void ParallelRun::tell_successors(const HotNode& node, NodeOutcome outcome, Participant& me) {
    const bool taints = outcome != NodeOutcome::done && outcome != NodeOutcome::skipped;
    for (std::uint32_t i = node.first_successor; i < node.last_successor; ++i) {
        const std::uint32_t successor = core_.successors[i];
        if (taints) [[unlikely]]
            GraphCore::taint(core_.hot[successor], outcome);
        if (!alone_ && (core_.hot[successor].flags & HotNode::kGathering) != 0) {
            if (me.gathering != successor) {
                tell_gathered(me);
                me.gathering = successor;
            }
            ++me.gathered;
        } else {
            count_down(successor, 1, me);
        }
    }
}

void ParallelRun::count_down(std::uint32_t successor, std::uint32_t by, Participant& me) {
    std::atomic<std::uint32_t>& pending = core_.hot[successor].pending;
    if (alone_) {
        const std::uint32_t left = pending.load(std::memory_order_relaxed) - by;
        pending.store(left, std::memory_order_relaxed);
        if (left == 0) became_ready(successor, me);
    } else if (pending.fetch_sub(by, std::memory_order_acq_rel) == by) {
        became_ready(successor, me);
    }
}

void ParallelRun::tell_gathered(Participant& me) {
    if (me.gathering == kNoNode) return;
    const std::uint32_t successor = me.gathering;
    const std::uint32_t by = me.gathered;
    me.gathering = kNoNode;
    me.gathered = 0;
    count_down(successor, by, me);
}

void ParallelRun::became_ready(std::uint32_t index, Participant& me) {
    HotNode& node = core_.hot[index];
    core_.stamps[index].ready = me.now;
    if ((node.flags & HotNode::kSpecial) != 0 && core_.cold[index].lane != Lane::frame) [[unlikely]] {
        submit(index, me);
    } else if ((node.flags & HotNode::kLight) != 0) {
        node.next = me.own.head;
        me.own.head = index;
        ++me.own.listed;
    } else {
        node.next = me.heavy;
        me.heavy = index;
    }
}

void run_in_parallel(GraphCore& core, Pool& pool) {
    core.pool = &pool;
    std::size_t helpers = 0;
    if (!core.carried.empty()) {
        core.begin_carried();
        ParallelRun run(core, pool);
        run.run(core.carried_start);
        helpers = run.helpers();
        core.end_carried();
    }
    ParallelRun run(core, pool);
    run.run(core.starters);
    core.report.helpers = helpers + run.helpers();
    core.take_tally(run.tally());
}

}  // namespace quarry::impl
