#include "jobs/worker/idle.hpp"

#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/trace/points.hpp"
#include "jobs/worker/worker.hpp"

namespace quarry::impl {
namespace {

constexpr int kYieldsBeforeSleep = 2;

// One search without sleeping, for as long as the budget allows.
Node* search_awake(Worker& me, const SpinBudget& budget) {
    const std::uint64_t away_until = me.search.away_until();
    while (os::ticks() < away_until) os::cpu_relax();
    const std::uint64_t deadline = os::ticks() + budget.ticks();
    do {
        me.counters.spins.add();
        if (Node* const node = me.search.elsewhere()) return node;
        for (int i = 0; i < 8; ++i) os::cpu_relax();
    } while (os::ticks() < deadline);
    // Where searching has not paid lately the thread sleeps at once. A yield with another thread on this CPU forfeits
    // the rest of the time slice, and a thread that then sleeps starts late when it is woken, by up to a whole slice.
    if (budget.ticks() == 0) return nullptr;
    for (int i = 0; i < kYieldsBeforeSleep; ++i) {
        os::yield_thread();
        me.counters.spins.add();
        if (Node* const node = me.search.elsewhere()) return node;
    }
    return nullptr;
}

}  // namespace

// From running out of work to the next job: what Crews::idle asks of a worker.
class Idle::Period {
  public:
    Period(Idle& idle, Worker& me) noexcept
        : idle_(idle),
          me_(me),
          steals_before_(me.counters.steals.get()),
          budget_(idle.woken_from_outside_ ? &idle.after_outside_ : &idle.budget_) {}

    Node* search() {
        me_.placement.rest_begins();
        me_.searching.store(true, std::memory_order_relaxed);
        idle_.woken_from_outside_ = false;
        Node* const node = search_awake(me_, *budget_);
        if (node != nullptr) budget_->found();
        return node;
    }
    Node* search_after_sleep() {
        Node* node = me_.search.in_lane_queue();
        idle_.woken_from_outside_ = node != nullptr;
        if (node == nullptr) node = search_awake(me_, *budget_);
        // The own queues were empty before the search. A closure that was given up at its gate meanwhile may have
        // spawned something from its destructor, and whoever looked for a searcher then relied on this one.
        return node != nullptr ? node : me_.search.next();
    }
    bool is_over() const noexcept { return me_.core.ledger.drain.is_drained(); }
    // An owner of private work which looked before learns of this sleep.
    void announced() const noexcept {
        me_.core.crews.count_hungry_sleep();
        me_.core.look_whether_drained();
    }
    bool work_visible() const noexcept { return me_.core.work_visible_to(*me_.crew); }
    void falls_asleep() noexcept {
        budget_->slept();
        budget_ = &idle_.budget_;
        me_.counters.parks.add();
        trace_park(me_);
    }
    void is_awake() noexcept {
        trace_awake(me_);
        since_ = os::ticks();
    }
    void has_stopped() const noexcept {
        me_.searching.store(false, std::memory_order_relaxed);
        me_.placement.rest_ends();
        if (me_.counters.steals.get() != steals_before_) me_.counters.steal_ticks.add(os::ticks() - since_);
    }

  private:
    Idle& idle_;
    Worker& me_;
    std::uint64_t since_ = os::ticks();
    const std::uint64_t steals_before_;
    SpinBudget* budget_;
};

Node* Idle::until_work(Worker& me) {
    return me.core.crews.idle(*me.crew, me.parker, Period(*this, me));
}

}  // namespace quarry::impl
