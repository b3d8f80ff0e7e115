#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "idle_models.hpp"
#include "jobs/completion/latch.hpp"
#include "jobs/completion/wait.hpp"
#include "jobs/parking/crews.hpp"
#include "jobs/parking/parker.hpp"
#include "jobs/parking/sleep.hpp"
#include "jobs/worker/patience.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// Private work reaches those who want it, under C++'s memory model: an owner that polls hands a piece to an idle
// worker, and who sleeps in a wait is woken for a job of it. A request that is missed shows as a deadlock.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using quarry::impl::Patience;
using quarry::impl::Taker;
using quarry::impl::Told;
using Atomics = model::ModelAtomics;
using Parker = quarry::impl::Parker<Atomics>;
using Sleep = quarry::impl::Sleep<Atomics>;

constexpr auto kRelaxed = std::memory_order_relaxed;

// The deque of an owner, with one place.
struct Place {
    model::ModelAtomic<int> used{0};

    void push() { used.store(1, std::memory_order_release); }
    bool visible() const { return used.load(std::memory_order_seq_cst) != 0; }
    bool take() { return used.load(kRelaxed) != 0 && used.exchange(0, std::memory_order_acquire) != 0; }
};

struct State {
    State() { sole.add(idler); }

    bool named = name();
    model::SoleCrew sole;
    model::Member idler;
    Place deque;
    Patience patience;  // of the owner
    int taken = 0;      // by the idle worker

    static bool name() {
        model::name_next({"counters", "reserved", "io", "hungry", "parker", "deque"});
        return true;
    }
    struct Idler : model::PlainIdler {
        State& state;
        explicit Idler(State& of) : state(of) {}

        bool search() const { return state.deque.take(); }
        bool search_after_sleep() const { return state.deque.take(); }
        bool work_visible() const { return state.deque.visible(); }
    };
    void idle() {
        sole.idle(idler, Idler(*this));
        ++taken;
    }
    // As offer_work, at each poll of an owner that always has something to offer. wake_waiter: as in Crews.
    template <class WakeWaiter>
    void poll(WakeWaiter wake_waiter) {
        if (!Sleep::wants_work(sole.sleep.word().load(kRelaxed), patience.futile_word())) return;
        if (deque.used.load(kRelaxed) != 0) return;
        deque.push();
        const Told told = sole.crews.job_offered(quarry::Lane::background);
        if (told.taker == Taker::waiter) sole.crews.wake_waiter_or_note(patience, told.word, wake_waiter);
    }
    void poll() {
        poll([] { return false; });
    }
    void poll_until_taken() {
        while (taken == 0) {
            poll();
            Atomics::cpu_relax();
        }
    }
};

// The worker runs out of work at any time, and gets some.
void owner_and_idle_worker() {
    auto state = std::make_shared<State>();
    model::thread([=] { state->poll_until_taken(); });
    model::thread([=] { state->idle(); });
}

// Somebody who waits is hungry and cannot help, so that offers find nobody; and is gone when the worker has become
// idle. The owner takes back what it has offered in vain.
void owner_and_futile_hunger() {
    auto state = std::make_shared<State>();
    state->sole.sleep.add_appetite(1);
    model::thread([=] {
        state->poll();
        (void)state->deque.take();
        state->poll_until_taken();
    });
    model::thread([=] { state->sole.sleep.add_appetite(-1); });
    model::thread([=] { state->idle(); });
}

// A thread that waits, as whoever has a job for it sees it.
struct Waiter {
    Parker parker;
    model::ModelAtomic<int*> awaited{nullptr};
};

struct Wait : State {
    Waiter waiter;
    quarry::impl::Latch<Atomics> latch;
    int event = 0;

    bool wake_waiter() {
        return quarry::impl::wake_waiter([this](auto visit) { visit(waiter); },
                                         [this](const int& one) { return &one == &event; });
    }
    // As Worker::await and Worker::park_for.
    void await() {
        waiter.awaited.store(&event, kRelaxed);
        sole.sleep.add_appetite(1);
        quarry::impl::LatchEvent<Atomics> latch_set{latch};
        const auto help = [&] {
            if (!deque.take()) return false;
            ++taken;
            latch.set();
            return true;
        };
        const auto could_help = [&] {
            sole.crews.count_hungry_sleep();
            return deque.visible();
        };
        quarry::impl::wait_for_event(latch_set, help, [&] {
            quarry::impl::sleep_for_event(latch_set, waiter.parker, could_help,
                                          [&] { waiter.parker.park(Parker::kWaiting); });
        });
    }
};

// A thread sleeps in a wait; a job of that wait is queued by one that is busy with something else for ever.
void job_of_a_wait() {
    auto state = std::make_shared<Wait>();
    model::thread([=] {
        state->deque.push();
        const Told told = state->sole.queued();
        if (told.taker != Taker::waiter) return;
        state->sole.crews.wake_waiter_or_note(state->patience, told.word, [&] { return state->wake_waiter(); });
    });
    model::thread([=] { state->await(); });
}

// A thread in a wait is hungry, and still awake when the owner's first offer finds nobody to wake. The owner takes that
// back and is patient; it offers again once the thread has gone to sleep.
void owner_and_late_waiter() {
    auto state = std::make_shared<Wait>();
    model::thread([=] {
        const auto wake_waiter = [&] { return state->wake_waiter(); };
        const auto poll = [&] {
            // As poll_hungry.
            const std::uint64_t sleeps = state->sole.crews.hungry_sleeps();
            if (state->patience.lets_pass(sleeps, state->sole.sleep.word().load(kRelaxed))) return;
            state->patience.look(sleeps);
            state->poll(wake_waiter);
        };
        poll();
        (void)state->deque.take();
        while (state->taken == 0) {
            poll();
            Atomics::cpu_relax();
        }
    });
    model::thread([=] { state->await(); });
}

const Program kIdle{"owner_and_idle_worker", owner_and_idle_worker};
const Program kFutile{"owner_and_futile_hunger", owner_and_futile_hunger, 1};
const Program kWait{"job_of_a_wait", job_of_a_wait};
const Program kLate{"owner_and_late_waiter", owner_and_late_waiter};

constexpr auto kDeadlock = "deadlock";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class HungerModel : public testing::TestWithParam<Program> {};

TEST_P(HungerModel, WorkReachesThoseWhoWantIt) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, HungerModel, testing::Values(kIdle, kFutile, kWait, kLate), kNameOf);

class HungerMutation : public testing::TestWithParam<Mutant> {};

TEST_P(HungerMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, HungerMutation,
                         testing::Values(Mutant{"futile", Mutation::offer_futile, kFutile, "livelock"},
                                         Mutant{"hungry_sleep", Mutation::crews_hungry_sleep, kLate, "livelock"},
                                         Mutant{"offer_fence", Mutation::sleep_publish_fence, kIdle, "livelock"},
                                         Mutant{"queue_fence", Mutation::sleep_publish_fence, kWait, kDeadlock},
                                         Mutant{"waiter_fence", Mutation::crews_waiter_fence, kLate, "livelock"},
                                         Mutant{"wait_fence", Mutation::wait_fence, kWait, kDeadlock}),
                         kNameOf);

}  // namespace
