#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "checker.hpp"
#include "idle_models.hpp"
#include "jobs/parking/crews.hpp"
#include "jobs/parking/parker.hpp"
#include "jobs/parking/sleep.hpp"
#include "model_atomics.hpp"

// Small programs over sleep and wake. A lost wake-up shows as a deadlock: somebody sleeps for ever.
namespace parking_models {

using quarry::impl::Mutation;
using Atomics = model::ModelAtomics;
using Parker = quarry::impl::Parker<Atomics>;
using Sleep = quarry::impl::Sleep<Atomics>;

inline constexpr auto kRelaxed = std::memory_order_relaxed;
inline constexpr auto kAcquire = std::memory_order_acquire;
inline constexpr auto kRelease = std::memory_order_release;
inline constexpr auto kSeqCst = std::memory_order_seq_cst;

// A queue of jobs, the simplest there is: how many are in it. publish() and visible() promise no more than Deque::push
// and Deque::looks_empty do.
struct Queue {
    model::ModelAtomic<int> count{0};

    void publish() { count.fetch_add(1, kRelease); }
    bool visible() const { return count.load(kSeqCst) != 0; }
    bool take() {
        int seen = count.load(kRelaxed);
        return seen != 0 && count.compare_exchange_strong(seen, seen - 1, kAcquire, kRelaxed);
    }
};

struct State {
    State(std::size_t worker_count, std::size_t queue_count) : queues(queue_count) {
        for (std::size_t i = 0; i < worker_count; ++i) sole.add_searching(workers[i]);
    }

    std::size_t queues;
    bool named = name();
    model::SoleCrew sole;
    std::array<model::Member, 2> workers;
    std::array<Queue, 2> queue;
    int published = 0;
    int taken = 0;

    static bool name() {
        model::name_next({"counters", "reserved", "io", "hungry", "parker 0", "parker 1", "queue 0", "queue 1"});
        return true;
    }
    bool work_visible() const { return queue[0].visible() || (queues > 1 && queue[1].visible()); }
    bool find() {
        if (!queue[0].take() && !(queues > 1 && queue[1].take())) return false;
        ++taken;
        return true;
    }
    Parker& parker(std::size_t worker) { return workers[worker].parker; }
    void spawn(std::size_t which) {
        ++published;
        queue[which].publish();
        sole.queued();
    }
    struct Idler : model::PlainIdler {
        State& state;
        bool searches_first;
        Idler(State& of, bool first) : state(of), searches_first(first) {}

        bool search() const { return searches_first && state.find(); }
        bool search_after_sleep() const { return state.find(); }
        bool work_visible() const { return state.work_visible(); }
    };
    // searches_first: a search precedes the first sleep; without it there are fewer states.
    void idle(std::size_t self, bool searches_first = false) { sole.idle(workers[self], Idler(*this, searches_first)); }
    void counters_are_back_to_zero() {
        model::require(sole.sleep.word().load(kRelaxed) == 0, "rights, searchers or appetite were lost or made");
    }
};

inline void all_taken_after(const std::shared_ptr<State>& state) {
    model::after([state] {
        model::require(state->taken == state->published && !state->work_visible(), "a job was not taken");
        state->counters_are_back_to_zero();
    });
}

// Each spawner has a queue of its own and spawns one job; workers end with the jobs.
inline void spawners_and_sleepers(std::size_t spawners, std::size_t sleepers) {
    auto state = std::make_shared<State>(sleepers, spawners);
    const std::size_t jobs = std::max(spawners, sleepers);
    for (std::size_t i = 0; i < spawners; ++i) {
        model::thread([=] {
            for (std::size_t k = 0; k < jobs / spawners; ++k) state->spawn(i);
        });
    }
    for (std::size_t i = 0; i < sleepers; ++i) {
        model::thread([=] {
            for (std::size_t k = 0; k < jobs / sleepers; ++k) state->idle(i);
        });
    }
    all_taken_after(state);
}

// A thread that waits, without any protocol of ours, until something has happened.
inline void block_until(model::ModelAtomic<std::uint32_t>& flag) {
    while (flag.load(kAcquire) == 0) Atomics::futex_wait(flag, 0);
}
inline void unblock(model::ModelAtomic<std::uint32_t>& flag) {
    flag.store(1, kRelease);
    Atomics::futex_wake_one(flag);
}

// Two jobs that need two workers: none ends before both have been taken. The spawner of the second job may rely on the
// searcher that is about to find the first.
inline void last_searcher() {
    struct Both : State {
        using State::State;
        model::ModelAtomic<std::uint32_t> second_taken{0};
    };
    auto state = std::make_shared<Both>(2, 1);
    state->published = 1;
    state->queue[0].publish();
    const auto run = [state] {
        if (state->taken == 2) {
            unblock(state->second_taken);
        } else {
            block_until(state->second_taken);
        }
    };
    model::thread([=] { state->spawn(0); });
    model::thread([=] {
        state->idle(0, true);
        run();
    });
    model::thread([=] {
        state->idle(1);
        run();
    });
    all_taken_after(state);
}

// A waker with a right meets two sleepers that get up by themselves, because something is always visible. One of them
// may stay asleep only until the other one stops searching.
inline void getting_up_against_a_waker() {
    auto state = std::make_shared<State>(2, 1);
    for (std::size_t i = 0; i < 2; ++i) {
        model::thread([=] {
            state->sole.sleep.sleep(state->parker(i), [] { return true; });
            if (state->sole.sleep.work_found()) state->sole.crew.wake_one(model::may_wait());
        });
    }
    model::thread([=] { state->sole.crew.wake_one(model::may_wait(), true); });
    model::after([=] { state->counters_are_back_to_zero(); });
}

// A notification for a wait that is over meets a worker that sleeps because it is idle: the worker goes on sleeping,
// or looks once more; the job that comes wakes it all the same.
inline void stale_notification() {
    auto state = std::make_shared<State>(1, 1);
    model::thread([=] { state->parker(0).notify(); });
    model::thread([=] { state->spawn(0); });
    model::thread([=] { state->idle(0); });
    all_taken_after(state);
}

// Two threads tell one waiter of something each; it looks at both after every wake-up and finds both in the end.
inline void notified_by_two() {
    struct Told : State {
        using State::State;
        std::array<model::ModelAtomic<int>, 2> done{};
        model::ModelPlain<int> first{0};
        model::ModelPlain<int> second{0};
    };
    auto state = std::make_shared<Told>(1, 0);
    model::thread([=] {
        state->first.set(1);
        state->done[0].store(1, kRelaxed);
        state->parker(0).notify();
    });
    model::thread([=] {
        state->second.set(1);
        state->done[1].store(1, kRelaxed);
        state->parker(0).notify();
    });
    model::thread([=] {
        Parker& parker = state->parker(0);
        const auto both = [&] { return state->done[0].load(kRelaxed) + state->done[1].load(kRelaxed) == 2; };
        while (!both()) {
            if (!parker.prepare(Parker::kWaiting)) continue;
            if (both()) {
                parker.cancel(Parker::kWaiting);
            } else {
                parker.park(Parker::kWaiting);
            }
        }
    });
}

// What the notifier did is read without any other synchronisation than the notification.
inline void notification_carries_data() {
    struct Told : State {
        using State::State;
        model::ModelPlain<int> news{0};
    };
    auto state = std::make_shared<Told>(1, 0);
    model::thread([=] {
        state->news.set(7);
        state->parker(0).notify();
    });
    model::thread([=] {
        if (state->parker(0).prepare(Parker::kWaiting)) state->parker(0).park(Parker::kWaiting);
        model::require(state->news.get() == 7, "a notification came before its news");
    });
}

}  // namespace parking_models
