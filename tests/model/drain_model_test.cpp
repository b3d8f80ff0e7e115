#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "idle_models.hpp"
#include "jobs/completion/drain.hpp"
#include "jobs/completion/ledger.hpp"
#include "jobs/parking/crews.hpp"
#include "jobs/parking/parker.hpp"
#include "jobs/parking/sleep.hpp"
#include "jobs/queue/room.hpp"
#include "jobs/worker/counters.hpp"
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
using Drain = quarry::impl::Drain<Atomics>;
using Room = quarry::impl::Room<Atomics>;

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

struct Worker : model::Member {
    struct Counters {
        Counter spawned;
        Counter completed;

        std::uint64_t ended() const { return completed.get(); }
    } counters;
    Atomics::Plain<int> result{0};
};

// A queue of one place.
struct Queue {
    model::ModelAtomic<int> count{0};

    void push() { count.store(1, kRelease); }
    bool visible() const { return count.load(kSeqCst) != 0; }
    bool take() {
        int one = 1;
        return count.load(std::memory_order_relaxed) == 1 &&
               count.compare_exchange_strong(one, 0, kAcquire, std::memory_order_relaxed);
    }
};

struct State {
    explicit State(std::size_t worker_count) : count(worker_count) {
        for (std::size_t i = 0; i < count; ++i) sole.add_searching(workers[i]);
    }

    const std::size_t count;
    quarry::impl::Ledger<Atomics> ledger;
    Drain& drain = ledger.drain;
    std::array<Worker, 2> workers;
    model::SoleCrew sole;
    Queue queued;
    Queue host_queue;
    std::unique_ptr<Room> room;  // for what is queued; null: without bound
    Atomics::Plain<int> host_result{0};
    int unfinished = 0;  // jobs that exist
    int finished = 0;

    void submit_outside() {
        ++unfinished;
        ledger.created_outside();
    }
    void end_outside() { ledger.ended_outside(quarry::impl::JobEnd::completed); }
    void look() {
        const auto each_worker = [this](auto visit) {
            for (std::size_t i = 0; i < count; ++i) visit(workers[i]);
        };
        ledger.look(each_worker, [this] {
            model::require(unfinished == 0, "a pool ended before its jobs");
            sole.crews.wake_all();
        });
    }
    void stop() {
        drain.stop();
        if (room) room->wake_all();
        look();
        drain.wait_until_drained([this] { run_host_jobs(); }, [] {});
        int results = host_result.get();
        for (std::size_t i = 0; i < count; ++i) results += workers[i].result.get();
        model::require(results == finished, "a pool ended without the results of its jobs");
    }
    void run_host_jobs() {
        if (host_queue.visible() && host_queue.take()) {
            --unfinished;
            ++finished;
            host_result.set(host_result.get() + 1);
            end_outside();
        }
        look();
    }
    void finish_job(Worker& worker) {
        --unfinished;
        ++finished;
        worker.result.set(worker.result.get() + 1);
        worker.counters.completed.add();
    }
    bool work_visible() const { return drain.is_drained() || queued.visible(); }
    bool take() {
        if (!queued.take()) return false;
        if (room) room->make(1);
        return true;
    }

    // What the engine's workers do besides.
    struct Idler : model::PlainIdler {
        State& state;
        explicit Idler(State& of) : state(of) {}

        bool search() const { return state.take(); }
        bool search_after_sleep() const { return state.take(); }
        bool is_over() const { return state.drain.is_drained(); }
        void announced() const { state.look(); }
        bool work_visible() const { return state.work_visible(); }
    };
    void work_until_the_end(Worker& worker) {
        while (sole.idle(worker, Idler(*this))) finish_job(worker);
    }
    bool try_count_outside() {
        return ledger.try_count_outside([] { return false; }, [this] { look(); });
    }
    void take_count_back() {
        ledger.take_count_back([this] { look(); });
    }
    void accept() {
        ++unfinished;
        model::require(!drain.is_drained(), "a job was accepted by a pool that has ended");
        queue();
    }
    void queue() {
        queued.push();
        sole.queued();
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
        worker.counters.spawned.add();
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
        state->workers[0].counters.spawned.add();
        state->queued.push();
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

// The destructor of a closure that is cancelled outside submits a job.
void submitted_before_a_cancel() {
    auto state = std::make_shared<State>(1);
    state->submit_outside();
    model::thread([=] {
        state->submit_outside();
        --state->unfinished;
        state->end_outside();
    });
    model::thread([=] {
        state->drain.stop();
        state->look();
    });
}

// A job queues one that only the thread which stops the pool can run, and ends.
void queued_for_the_host() {
    auto state = std::make_shared<State>(1);
    state->submit_outside();
    model::thread([=] {
        Worker& worker = state->workers[0];
        ++state->unfinished;
        worker.counters.spawned.add();
        state->host_queue.push();
        state->drain.queued_for_stopper();
        state->finish_job(worker);
        state->work_until_the_end(worker);
    });
    model::thread([=] { state->stop(); });
}
// The same from a thread that does nothing more: nobody but it tells the one that waits.
void queued_for_the_host_from_outside() {
    auto state = std::make_shared<State>(0);
    state->submit_outside();
    model::thread([=] {
        state->host_queue.push();
        state->drain.queued_for_stopper();
    });
    model::thread([=] { state->stop(); });
}

// A Task is cancelled by a thread from outside: it is the last one.
void cancelled_outside() {
    auto state = std::make_shared<State>(1);
    state->submit_outside();
    model::thread([=] {
        --state->unfinished;
        state->end_outside();
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
    state->queued.push();
    model::thread([=] {
        const bool granted = state->room->wait_counted_unless([&] { return state->drain.is_stopping(); },
                                                              [&] { return state->try_count_outside(); },
                                                              [&] { state->take_count_back(); });
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
const Program kSubmittedBefore{"submitted_before_a_cancel", submitted_before_a_cancel};
const Program kHost{"queued_for_the_host", queued_for_the_host, 2};
const Program kHostOutside{"queued_for_the_host_from_outside", queued_for_the_host_from_outside};
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
                         testing::Values(kOneWorker, kTwoWorkers, kCreated, kCounted, kSubmittedBefore, kHost,
                                         kHostOutside, kCancelled, kContinued, kWaited),
                         kNameOf);

class DrainMutation : public testing::TestWithParam<Mutant> {};

TEST_P(DrainMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, DrainMutation,
                         testing::Values(Mutant{"accept_fence", Mutation::drain_accept_fence, kContinued, kRace},
                                         Mutant{"count", Mutation::drain_count, kCounted, kEarly},
                                         Mutant{"count_shared", Mutation::drain_count_shared, kSubmittedBefore, kEarly},
                                         Mutant{"created_first", Mutation::drain_created_first, kCounted, kEarly},
                                         Mutant{"host_fence", Mutation::drain_host_fence, kHostOutside, kDeadlock},
                                         Mutant{"news", Mutation::drain_news, kHostOutside, kDeadlock},
                                         Mutant{"count_after_the_wait", Mutation::room_count_late, kWaited, kEnded},
                                         Mutant{"fence", Mutation::drain_fence, kOneWorker, kDeadlock},
                                         Mutant{"found", Mutation::drain_found, kTwoWorkers, kRace},
                                         Mutant{"is_drained", Mutation::drain_is_drained, kOneWorker, kRace},
                                         Mutant{"stop_fence", Mutation::drain_stop_fence, kContinued, kEarly},
                                         Mutant{"sum", Mutation::drain_sum, kCounted, kEarly}),
                         kNameOf);

}  // namespace
