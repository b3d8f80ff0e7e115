// A run on the workers of a pool. README.md has the protocol and its argument.
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "jobs/graph/graph_core.hpp"
#include "jobs/parking/sleep.hpp"
#include "jobs/pool/pool_core.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/task.hpp"

namespace quarry::impl {
namespace {

// One thread's part in a run.
struct Participant : GraphRunner {
    explicit Participant(bool spawns) noexcept : GraphRunner(ticks(), Pool::current_index()), may_spawn(spawns) {}

    ReadyNodes own;
    std::uint32_t heavy = kNoNode;  // list of heavy nodes that became ready just now
    const std::uint64_t entered = now;
    std::uint64_t next_offer = 0;
    const bool may_spawn;
    std::uint32_t gathering = kNoNode;  // of so many of this node's predecessors it was not told yet that they ended
    std::uint32_t gathered = 0;
    std::uint32_t nodes_run = 0;
};

class ParallelRun {
  public:
    ParallelRun(GraphCore& core, Pool& pool)
        : core_(core),
          pool_(pool),
          most_(static_cast<std::uint32_t>(std::max(1, pool.worker_count()))),
          alone_(core.shared.foreign.empty()) {}
    ParallelRun(const ParallelRun&) = delete;
    ParallelRun& operator=(const ParallelRun&) = delete;

    void run(const std::vector<std::uint32_t>& starters);
    const GraphTally& tally() const noexcept { return tally_; }
    std::size_t helpers() const noexcept { return helpers_; }

  private:
    void begin(const std::vector<std::uint32_t>& starters, Participant& me);
    void take_part(Participant& me);
    bool take_shared_or_leave(Participant& me);
    bool take_shared(Participant& me);
    void wait_for_change(std::uint32_t seen) const noexcept;
    void run_one(std::uint32_t index, Participant& me);
    void tell_successors(const HotNode& node, NodeOutcome outcome, Participant& me);
    void count_down(std::uint32_t successor, std::uint32_t by, Participant& me);
    void became_ready(std::uint32_t index, Participant& me);
    void tell_gathered(Participant& me);
    void share_heavy(Participant& me);
    void offer_light(Participant& me);
    bool is_worth_offering(const Participant& me, std::uint64_t nanoseconds) const noexcept;
    void give_to_idle(Participant& me);
    void call_helpers(std::uint32_t count);
    void submit(std::uint32_t index, Participant& me);
    void run_submitted(ForeignNode& foreign);
    bool wait_for_submitted();

    void push_heavy(std::uint32_t index) {
        core_.shared.heap.push_back(index);
        std::push_heap(core_.shared.heap.begin(), core_.shared.heap.end(), worse_);
    }

    GraphCore& core_;
    Pool& pool_;
    const std::uint32_t most_;  // threads that take part at a time
    Scope* scope_ = nullptr;
    // Whether the caller is the only one, and counts without exchanges. Changed by it before anybody else takes part.
    bool alone_;
    struct Worse {
        const GraphCore& core;
        bool operator()(std::uint32_t a, std::uint32_t b) const noexcept { return core.goes_before(b, a); }
    } const worse_{core_};

    SpinLock lock_;  // for what follows, and SharedReady
    std::uint32_t participants_ = 0;
    std::uint32_t coming_ = 0;  // of these, called but not here yet
    std::uint32_t idle_ = 0;    // of these, have nothing to run and look for it
    std::size_t helpers_ = 0;
    GraphTally tally_;

    // Hints, so that nobody takes the lock in vain.
    alignas(64) std::atomic<std::uint32_t> wanted_{0};  // idle_
    std::atomic<std::uint32_t> changes_{0};             // something was shared, or a thread has left
};

std::uint32_t take_first(ReadyNodes& nodes, const std::vector<HotNode>& hot) noexcept {
    if (nodes.head != kNoNode) {
        const std::uint32_t index = nodes.head;
        nodes.head = hot[index].next;
        --nodes.listed;
        return index;
    }
    return nodes.next != nodes.end ? *nodes.next++ : kNoNode;
}

// Half of them, of at least two: of the array the later ones, else of the list the ones that came last.
ReadyNodes split_off_half(ReadyNodes& nodes, std::vector<HotNode>& hot) noexcept {
    ReadyNodes half;
    if (nodes.listed < 2 || nodes.end - nodes.next >= 2) {
        half.end = nodes.end;
        half.next = nodes.next + (nodes.end - nodes.next) / 2;  // of one with one in the list: that one
        nodes.end = half.next;
        return half;
    }
    half.head = nodes.head;
    half.listed = nodes.listed / 2;
    std::uint32_t last = nodes.head;
    for (std::uint32_t i = 1; i < half.listed; ++i) last = hot[last].next;
    nodes.head = hot[last].next;
    nodes.listed -= half.listed;
    hot[last].next = kNoNode;
    return half;
}

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
    const NodeOutcome outcome = core_.run_node(index, me, RangeOrder::shared);
    const HotNode& node = core_.hot[index];
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

// Heavy nodes are never hidden: whoever takes part finds them, and as many workers are called as can be of use.
void ParallelRun::share_heavy(Participant& me) {
    if (me.heavy == kNoNode) return;
    std::uint32_t calls = 0;
    {
        const std::lock_guard lock(lock_);
        while (me.heavy != kNoNode) {
            const std::uint32_t index = me.heavy;
            me.heavy = core_.hot[index].next;
            push_heavy(index);
        }
        const auto waiting = static_cast<std::uint32_t>(core_.shared.heap.size());
        const std::uint32_t taken_care_of = (me.own.empty() ? 1 : 0) + coming_ + idle_;
        changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        if (me.may_spawn && waiting > taken_care_of && participants_ < most_) {
            calls = std::min(waiting - taken_care_of, most_ - participants_);
            participants_ += calls;
            coming_ += calls;
            helpers_ += calls;
        }
    }
    if (calls != 0) call_helpers(calls);
}

// Whether half of the light nodes take longer than handing them over does.
bool ParallelRun::is_worth_offering(const Participant& me, std::uint64_t nanoseconds) const noexcept {
    const std::uint64_t each = (me.now - me.entered) / me.nodes_run;
    return me.own.size() / 2 * each * 1000 > nanoseconds * os::ticks_per_microsecond();
}

// Somebody in the pool is hungry: gives away half of the light nodes, if that is worth it.
void ParallelRun::offer_light(Participant& me) {
    constexpr std::uint64_t kStealingNanoseconds = 2'000;
    constexpr std::uint64_t kWakingNanoseconds = 20'000;
    if (me.own.size() < 2 || me.now < me.next_offer) return;
    me.next_offer = me.now + os::ticks_per_microsecond();
    const std::int64_t word = current_context->hunger->load(std::memory_order_relaxed);
    const bool awake = Sleep<DefaultAtomics>::searching(word) > 0;
    if (!is_worth_offering(me, awake ? kStealingNanoseconds : kWakingNanoseconds)) return;
    {
        const std::lock_guard lock(lock_);
        if (participants_ >= most_ || !core_.shared.bundles.empty()) return;
        core_.shared.bundles.push_back(split_off_half(me.own, core_.hot));
        ++participants_;
        ++coming_;
        ++helpers_;
    }
    call_helpers(1);
}

// Somebody who takes part has nothing to run.
void ParallelRun::give_to_idle(Participant& me) {
    constexpr std::uint64_t kGivingNanoseconds = 500;
    if (me.own.size() < 2 || !is_worth_offering(me, kGivingNanoseconds)) return;
    const std::lock_guard lock(lock_);
    if (idle_ == 0 || !core_.shared.bundles.empty()) return;
    core_.shared.bundles.push_back(split_off_half(me.own, core_.hot));
    changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void ParallelRun::call_helpers(std::uint32_t count) {
    if (alone_) alone_ = false;  // only the caller, and only while nobody else takes part
    for (; count != 0; --count) {
        try {
            scope_->spawn([this] {
                {
                    const std::lock_guard lock(lock_);
                    --coming_;
                }
                Participant helper(true);
                take_part(helper);
            });
        } catch (const std::bad_alloc&) {
            const std::lock_guard lock(lock_);
            participants_ -= count;
            coming_ -= count;
            return;
        }
    }
}

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

}  // namespace

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
