// Nodes of other lanes than the frame's: they are submitted, and the run waits for them.
#include <algorithm>
#include <mutex>
#include <utility>

#include "jobs/graph/parallel_run.hpp"

namespace quarry::impl {

// Another lane's threads run it, or whoever waits for it at the end of the run.
void ParallelRun::submit(std::uint32_t index, Participant& me) {
    const auto foreign =
        std::lower_bound(core_.shared.foreign.begin(), core_.shared.foreign.end(), index,
                         [](const ForeignNode& node, std::uint32_t wanted) { return node.index < wanted; });
    const ColdNode& node = core_.cold[index];
    try {
        Task<void> job = pool_.submit([this, &at = *foreign] { run_submitted(at); },
                                      {.lane = node.lane, .priority = node.priority, .name = node.trace_name});
        const std::lock_guard lock(lock_);
        foreign->job = std::move(job);
    } catch (...) {
        const NodeOutcome outcome = core_.failed(index);
        core_.stamps[index].outcome = outcome;
        core_.hot[index].pending.store(core_.hot[index].in_degree, std::memory_order_relaxed);
        me.tally.count(outcome);
        tell_successors(core_.hot[index], outcome, me);
    }
}

void ParallelRun::run_submitted(ForeignNode& foreign) {
    Participant me(false);
    run_one(foreign.index, me);
    tell_gathered(me);
    share_heavy(me);
    const std::lock_guard lock(lock_);
    while (me.own.head != kNoNode) push_heavy(take_first(me.own, core_.hot));
    tally_.add(me.tally);
    if (core_.shared.heap.empty() || participants_ >= most_) return;
    ++participants_;
    ++helpers_;
    // Within the lock, so that who waits for this node finds it. The scope may be over: the helper calls nobody.
    foreign.helper = pool_.submit([this] {
        Participant helper(false);
        take_part(helper);
    });
}

// Whether there are more nodes to run after the scope has ended.
bool ParallelRun::wait_for_submitted() {
    for (ForeignNode& foreign : core_.shared.foreign) {
        const auto take = [&](Task<void>& from) {
            const std::lock_guard lock(lock_);
            return std::exchange(from, Task<void>());
        };
        Task<void> job = take(foreign.job);
        if (!job.valid()) continue;
        job.wait();
        Task<void> helper = take(foreign.helper);
        if (helper.valid()) helper.wait();
        return true;
    }
    return !core_.shared.heap.empty();
}

}  // namespace quarry::impl
