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
#include "jobs/parking/idle.hpp"
#include "jobs/parking/parker.hpp"
#include "jobs/parking/sleep.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// Private work reaches those who want it, under C++'s memory model: an owner that polls hands a piece to an idle
// worker, and who sleeps in a wait is woken for a job of it. A request that is missed shows as a deadlock.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using quarry::impl::OfferTo;
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
    bool named = name();
    model::SoleCrew crew;
    Parker parker;  // of the idle worker
    Place deque;
    std::int64_t futile = 0;
    int taken = 0;  // by the idle worker

    static bool name() {
        model::name_next({"counters", "parker", "deque"});
        return true;
    }
    bool wake_one() {
        return crew.sleep.wake_one(1, 0, [this](std::size_t) -> Parker& { return parker; });
    }
    struct Idler : model::PlainIdler {
        State& state;
        explicit Idler(State& of) : state(of) {}

        bool search() const { return state.deque.take(); }
        bool search_after_sleep() const { return state.deque.take(); }
        bool work_visible() const { return state.deque.visible(); }
        void was_last_searcher() const {
            quarry::impl::replace_last_searcher<Atomics>(
                false, [this] { return state.deque.visible(); }, [this] { return state.wake_one(); },
                [] { return false; });
        }
    };
    void idle() {
        quarry::impl::idle_until_work(crew, parker, Idler(*this));
        ++taken;
    }
    // As offer_work and PoolCore::job_offered, at each poll of an owner that always has something to offer. True: it
    // has made an offer.
    bool poll() {
        if (!Sleep::wants_work(crew.sleep.word().load(kRelaxed), futile) || deque.used.load(kRelaxed) != 0)
            return false;
        deque.push();
        const quarry::impl::Offer offer = quarry::impl::offer_to<Atomics>(crew.sleep, nullptr);
        switch (offer.to) {
            case OfferTo::searcher:
            case OfferTo::nobody:
                break;
            case OfferTo::sleeper:
                wake_one();
                break;
            case OfferTo::waiter:  // that could help: there is none
                futile = offer.word;
                break;
        }
        return true;
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
    state->crew.sleep.add_appetite(1);
    model::thread([=] {
        state->poll();
        (void)state->deque.take();
        state->poll_until_taken();
    });
    model::thread([=] { state->crew.sleep.add_appetite(-1); });
    model::thread([=] { state->idle(); });
}

// A worker as whoever queues a job sees it.
struct Waiter {
    Parker parker;
    model::ModelAtomic<int*> awaited{nullptr};
};

// A thread sleeps in a wait; a job of that wait is queued by one that is busy with something else for ever.
void job_of_a_wait() {
    struct Wait {
        Waiter waiter;
        Sleep sleep;
        Place deque;
        quarry::impl::Latch<Atomics> latch;
        int event = 0;
    };
    auto state = std::make_shared<Wait>();
    model::thread([=] {
        state->deque.push();
        const auto chosen = quarry::impl::crew_for_new_job<Atomics>(nullptr, state->sleep);
        if (!chosen.all_are_busy || Sleep::appetite(chosen.word) <= 0) return;
        if (quarry::impl::could_be_helped_by(state->waiter, [&](const int& one) { return &one == &state->event; })) {
            state->waiter.parker.notify();
        }
    });
    // As Worker::await and Worker::park_for.
    model::thread([=] {
        state->waiter.awaited.store(&state->event, kRelaxed);
        state->sleep.add_appetite(1);
        quarry::impl::LatchEvent<Atomics> event{state->latch};
        const auto help = [&] {
            if (!state->deque.take()) return false;
            state->latch.set();
            return true;
        };
        quarry::impl::wait_for_event(event, help, [&] {
            quarry::impl::sleep_for_event(
                event, state->waiter.parker, [&] { return state->deque.visible(); },
                [&] { state->waiter.parker.park(Parker::kWaiting); });
        });
    });
}

const Program kIdle{"owner_and_idle_worker", owner_and_idle_worker};
const Program kFutile{"owner_and_futile_hunger", owner_and_futile_hunger, 1};
const Program kWait{"job_of_a_wait", job_of_a_wait};

constexpr auto kDeadlock = "deadlock";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class HungerModel : public testing::TestWithParam<Program> {};

TEST_P(HungerModel, WorkReachesThoseWhoWantIt) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, HungerModel, testing::Values(kIdle, kFutile, kWait), kNameOf);

class HungerMutation : public testing::TestWithParam<Mutant> {};

TEST_P(HungerMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, HungerMutation,
                         testing::Values(Mutant{"futile", Mutation::offer_futile, kFutile, "livelock"},
                                         Mutant{"offer_fence", Mutation::sleep_publish_fence, kIdle, "livelock"},
                                         Mutant{"queue_fence", Mutation::sleep_publish_fence, kWait, kDeadlock},
                                         Mutant{"wait_fence", Mutation::wait_fence, kWait, kDeadlock}),
                         kNameOf);

}  // namespace
