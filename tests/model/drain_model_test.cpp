#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/completion/drain.hpp"
#include "jobs/counters.hpp"
#include "jobs/parking/parker.hpp"
#include "jobs/parking/sleep.hpp"
#include "jobs/queue/room.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// A pool ends when its last job has, neither earlier nor never, under C++'s memory model. An end that nobody finds
// shows as a deadlock (R4).
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using Atomics = model::ModelAtomics;
using Counter = quarry::impl::BasicCounter<Atomics>;
using Parker = quarry::impl::Parker<Atomics>;
using Sleep = quarry::impl::Sleep<Atomics>;
using Room = quarry::impl::Room<Atomics>;

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

struct Worker {
    Parker parker;
    Counter spawned;
    Counter completed;
    Atomics::Plain<int> result{0};
};

struct State {
    explicit State(std::size_t worker_count) : count(worker_count) {
        for (std::size_t i = 0; i < count; ++i) sleep.no_work_found();
    }

    const std::size_t count;
    quarry::impl::Drain<Atomics> drain;
    std::array<Worker, 2> workers;
    Sleep sleep;
    model::ModelAtomic<std::uint64_t> submitted_outside{0};
    model::ModelAtomic<std::uint64_t> cancelled_outside{0};
    model::ModelAtomic<std::uint32_t> stop_events{0};
    model::ModelAtomic<int> queued{0};
    std::unique_ptr<Room> room;  // for what is queued; null: without bound
    int unfinished = 0;          // jobs that exist
    int finished = 0;

    void submit_outside() {
        ++unfinished;
        submitted_outside.fetch_add(1, kRelease);
    }
    // As PoolCore::all_jobs_have_ended.
    bool all_have_ended() const {
        std::uint64_t ended = cancelled_outside.load(kAcquire);
        for (std::size_t i = 0; i < count; ++i) ended += workers[i].completed.get();
        std::uint64_t created = submitted_outside.load(kAcquire);
        for (std::size_t i = 0; i < count; ++i) created += workers[i].spawned.get();
        return created == ended;
    }
    // As PoolCore::look_whether_drained.
    void look() {
        if (!drain.look([this] { return all_have_ended(); })) return;
        model::require(unfinished == 0, "a pool ended before its jobs");
        (void)sleep.new_job();
        while (sleep.wake_one(
            count, 0, [this](std::size_t i) -> Parker& { return workers[i].parker; }, true)) {
        }
        stop_events.fetch_add(1, kRelease);
        Atomics::futex_wake_one(stop_events);
    }
    // As PoolCore::stop_threads.
    void stop() {
        drain.stop();
        if (room) room->wake_all();
        look();
        for (;;) {
            const std::uint32_t seen = stop_events.load(kAcquire);
            if (drain.is_drained()) break;
            Atomics::futex_wait(stop_events, seen);
        }
        int results = 0;
        for (std::size_t i = 0; i < count; ++i) results += workers[i].result.get();
        model::require(results == finished, "a pool ended without the results of its jobs");
    }
    void finish_job(Worker& worker) {
        --unfinished;
        ++finished;
        worker.result.set(worker.result.get() + 1);
        worker.completed.add();
    }
    bool work_visible() const { return drain.is_drained() || queued.load(kSeqCst) != 0; }
    void wake_one() {
        sleep.wake_one(count, 0, [this](std::size_t i) -> Parker& { return workers[i].parker; });
    }
    // As Worker::idle_until_work and Worker::run_until_stopped; all workers begin as searchers.
    void work_until_the_end(Worker& worker) {
        for (;;) {
            bool found = take();
            while (!found && !drain.is_drained()) {
                sleep.sleep(worker.parker, [this] {
                    look();
                    return work_visible();
                });
                found = take();
            }
            if (sleep.work_found() && work_visible()) wake_one();
            if (!found) return;
            finish_job(worker);
            sleep.no_work_found();
        }
    }
    bool take() {
        int one = 1;
        if (queued.load(std::memory_order_relaxed) != 1 ||
            !queued.compare_exchange_strong(one, 0, kAcquire, std::memory_order_relaxed)) {
            return false;
        }
        if (room) room->make(1);
        return true;
    }
    // As PoolCore::try_count_outside and PoolCore::take_count_back.
    bool try_count_outside() {
        submitted_outside.fetch_add(1, kRelease);
        if (drain.still_accepts()) return true;
        take_count_back();
        return false;
    }
    void take_count_back() {
        submitted_outside.fetch_sub(1, kRelease);
        look();
    }
    void accept() {
        ++unfinished;
        model::require(!drain.is_drained(), "a job was accepted by a pool that has ended");
        queue();
    }
    void queue() {
        queued.store(1, kRelease);
        if (Sleep::needs_wake(sleep.new_job())) wake_one();
    }
};

void stop_against_last_ends(std::size_t workers) {
    auto state = std::make_shared<State>(workers);
    for (std::size_t i = 0; i < workers; ++i) {
        state->submit_outside();
        model::thread([=] {
            state->finish_job(state->workers[i]);
            state->work_until_the_end(state->workers[i]);
        });
    }
    model::thread([=] { state->stop(); });
}

// A job creates another one and ends before it; a worker that sleeps is woken for that one.
void created_by_a_job() {
    auto state = std::make_shared<State>(2);
    state->submit_outside();
    model::thread([=] {
        Worker& worker = state->workers[0];
        ++state->unfinished;
        worker.spawned.add();
        state->queue();
        state->finish_job(worker);
        state->work_until_the_end(worker);
    });
    model::thread([=] { state->work_until_the_end(state->workers[1]); });
    model::thread([=] { state->stop(); });
}

// The same without sleep, one look: the order of the counters alone.
void counted_in_order() {
    auto state = std::make_shared<State>(2);
    state->submit_outside();
    model::thread([=] {
        ++state->unfinished;
        state->workers[0].spawned.add();
        state->queued.store(1, kRelease);
        state->finish_job(state->workers[0]);
    });
    model::thread([=] {
        if (state->take()) state->finish_job(state->workers[1]);
    });
    model::thread([=] {
        state->drain.stop();
        state->look();
    });
}

// A Task is cancelled by a thread from outside: it is the last one.
void cancelled_outside() {
    auto state = std::make_shared<State>(1);
    state->submit_outside();
    model::thread([=] {
        --state->unfinished;
        state->cancelled_outside.fetch_add(1, kRelease);
        state->look();
    });
    model::thread([=] { state->work_until_the_end(state->workers[0]); });
    model::thread([=] { state->stop(); });
}

// A thread from outside continues a task that has ended: it is refused, or the pool waits for what it adds.
void continued_outside() {
    auto state = std::make_shared<State>(1);
    model::thread([=] {
        if (state->try_count_outside()) state->accept();
    });
    model::thread([=] { state->work_until_the_end(state->workers[0]); });
    model::thread([=] { state->stop(); });
}

// As Admission::wait_for_room: a thread from outside waits until the queued job makes room, and is served or told.
void submitted_after_a_wait() {
    auto state = std::make_shared<State>(1);
    state->room = std::make_unique<Room>(1);
    (void)state->room->try_take();
    state->submit_outside();
    state->queued.store(1, kRelease);
    model::thread([=] {
        const bool granted = state->room->wait_counted(
            state->drain.stopping(), [&] { return state->try_count_outside(); }, [&] { state->take_count_back(); });
        if (granted) state->accept();
    });
    model::thread([=] { state->work_until_the_end(state->workers[0]); });
    model::thread([=] { state->stop(); });
}

const Program kOneWorker{"stop_against_the_last_end", [] { stop_against_last_ends(1); }};
const Program kTwoWorkers{"stop_against_two_ends", [] { stop_against_last_ends(2); }, 1};
const Program kCreated{"created_by_a_job", created_by_a_job, 1};
const Program kCounted{"counted_in_order", counted_in_order};
const Program kCancelled{"cancelled_outside", cancelled_outside, 2};
const Program kContinued{"continued_outside", continued_outside, 1};
const Program kWaited{"submitted_after_a_wait", submitted_after_a_wait, 1};

constexpr auto kEarly = "ended before its jobs";
constexpr auto kEnded = "accepted by a pool that has ended";
constexpr auto kRace = "data race";
constexpr auto kDeadlock = "deadlock";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class DrainModel : public testing::TestWithParam<Program> {};

TEST_P(DrainModel, EndsWithTheLastJob) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, DrainModel,
                         testing::Values(kOneWorker, kTwoWorkers, kCreated, kCounted, kCancelled, kContinued, kWaited),
                         kNameOf);

class DrainMutation : public testing::TestWithParam<Mutant> {};

TEST_P(DrainMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, DrainMutation,
                         testing::Values(Mutant{"accept_fence", Mutation::drain_accept_fence, kContinued, kRace},
                                         Mutant{"count", Mutation::drain_count, kCounted, kEarly},
                                         Mutant{"count_after_the_wait", Mutation::room_count_late, kWaited, kEnded},
                                         Mutant{"fence", Mutation::drain_fence, kOneWorker, kDeadlock},
                                         Mutant{"found", Mutation::drain_found, kTwoWorkers, kRace},
                                         Mutant{"is_drained", Mutation::drain_is_drained, kOneWorker, kRace},
                                         Mutant{"stop_fence", Mutation::drain_stop_fence, kContinued, kEarly},
                                         Mutant{"sum", Mutation::drain_sum, kCounted, kEarly}),
                         kNameOf);

}  // namespace
