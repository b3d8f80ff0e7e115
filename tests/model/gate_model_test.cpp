#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/claim/claim.hpp"
#include "jobs/completion/drain.hpp"
#include "jobs/gate/free_permits.hpp"
#include "jobs/gate/gate.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// A job that needs a permit runs once or is cancelled, never waits beside a free permit, and no permit is lost or held
// twice, under C++'s memory model (R5).
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using FreePermits = quarry::impl::FreePermits<model::ModelAtomics>;

struct GatedJob {
    explicit GatedJob(std::uint32_t priority = 1) { claim.prepare_task(false, priority); }

    quarry::impl::Claim<model::ModelAtomics> claim;
    model::ModelPlain<GatedJob*> next;
    model::ModelPlain<std::uint32_t> permit;
    // How it was decided about; ordinary variables, only one thread of a model runs at a time.
    int queued = 0;
    int started = 0;
    int cancelled = 0;
    int forgotten = 0;

    bool waits() const { return queued + started + cancelled == 0; }
};

// What a gate does with jobs, as GatedJobs in src/jobs/gate does, with the queue reduced to a count.
struct ModelJobs {
    using Job = GatedJob;
    const quarry::impl::Drain<model::ModelAtomics>* pool;

    static GatedJob* next(GatedJob& job) { return job.next.get(); }
    static void set_next(GatedJob& job, GatedJob* next) { job.next.set(next); }
    static std::uint32_t level(GatedJob& job) { return job.claim.priority(); }
    bool must_go(GatedJob&) const { return pool->is_stopping(); }
    static void give_up(GatedJob& job) {
        if (job.claim.try_claim_even_if_unarmed()) ++job.cancelled;
        ++job.forgotten;
    }
    static bool grant(GatedJob& job, std::uint32_t permit) {
        job.permit.set(permit);
        std::uint32_t level = 0;
        if (!job.claim.try_arm_with_permit(level)) {
            ++job.forgotten;
            return false;
        }
        ++job.queued;
        return true;
    }
};

struct State {
    State(std::uint32_t permits, std::size_t job_count)
        : gate(permits, ModelJobs{&pool}), contents(permits), holders(permits) {
        for (std::size_t i = 0; i < job_count; ++i) jobs.push_back(std::make_unique<GatedJob>());
    }

    quarry::impl::Drain<model::ModelAtomics> pool;  // its end closes the gate
    quarry::impl::Gate<model::ModelAtomics, ModelJobs> gate;
    std::vector<model::ModelPlain<int>> contents;  // of the permits: whoever holds one writes to it
    std::vector<int> holders;
    std::vector<std::unique_ptr<GatedJob>> jobs;

    std::uint32_t take() {
        const std::uint32_t permit = gate.try_take_if_none_waits();
        if (permit == FreePermits::kNone) return permit;
        contents[permit].set(1);
        model::require(++holders[permit] == 1, "a permit is held twice");
        return permit;
    }
    void give(std::uint32_t permit) {
        contents[permit].set(2);
        holders[permit] = 0;
        gate.give(permit);
    }
    // A worker has found an entry of the job.
    void bring(std::size_t which) {
        GatedJob& job = *jobs[which];
        if (!job.claim.enter_gate()) return;
        const std::uint32_t permit = gate.try_take_if_none_waits();
        if (permit == FreePermits::kNone) return gate.wait(job);
        job.permit.set(permit);
        if (job.claim.try_start_with_permit()) {
            ++job.started;
        } else {
            ++job.forgotten;
        }
        // It has run, or was cancelled.
        give(permit);
    }
    void cancel(std::size_t which) {
        GatedJob& job = *jobs[which];
        if (!job.claim.try_claim_even_if_unarmed()) return;
        ++job.cancelled;
        if (job.claim.has_permit()) give(job.permit.get());
        if (!job.claim.has_permit() && !job.claim.has_entered_gate()) ++job.forgotten;
    }
    // A job that was queued with its permit is taken out and run.
    void run_queued(std::size_t which) {
        GatedJob& job = *jobs[which];
        if (job.queued == 0 || !job.claim.try_claim()) return;
        ++job.started;
        give(job.permit.get());
    }
};

std::shared_ptr<State> full_gate(std::uint32_t permits, std::size_t jobs) {
    auto state = std::make_shared<State>(permits, jobs);
    for (std::uint32_t i = 0; i < permits; ++i) model::require(state->take() == i, "a new gate was not free");
    return state;
}

// Takes all that are free. A round of the gate before would have given one to a job that waits.
std::uint32_t take_all(State& state, std::uint32_t permits) {
    const auto count_waiting = [&state] {
        return std::count_if(state.jobs.begin(), state.jobs.end(), [](const auto& job) { return job->waits(); });
    };
    const auto waited = count_waiting();
    state.gate.look_who_must_go();
    model::require(count_waiting() == waited, "a job waits beside a free permit");
    std::uint32_t taken = 0;
    while (taken <= permits && state.gate.try_take_if_none_waits() != FreePermits::kNone) ++taken;
    return taken;
}

// held: permits that somebody still has, besides the queued jobs.
void check_at_the_end(const std::shared_ptr<State>& state, std::uint32_t permits, std::uint32_t held = 0) {
    model::after([=] {
        const std::uint32_t free = take_all(*state, permits);
        std::uint32_t in_use = held;
        for (const auto& job : state->jobs) {
            model::require(job->started + job->cancelled <= 1, "a job was decided about twice");
            model::require(job->queued <= 1, "a job got two permits");
            if (job->queued == 1 && job->started + job->cancelled == 0) ++in_use;
        }
        model::require(free + in_use == permits, "a permit was lost or given twice");
    });
}

void give_against_wait() {
    auto state = full_gate(1, 1);
    model::thread([=] { state->bring(0); });
    model::thread([=] { state->give(0); });
    check_at_the_end(state, 1);
}

void two_jobs_one_permit() {
    auto state = full_gate(1, 2);
    model::thread([=] { state->bring(0); });
    model::thread([=] { state->bring(1); });
    model::thread([=] {
        state->give(0);
        state->run_queued(0);
        state->run_queued(1);
    });
    check_at_the_end(state, 1);
}

void two_jobs_two_permits() {
    auto state = full_gate(2, 2);
    model::thread([=] { state->bring(0); });
    model::thread([=] { state->bring(1); });
    model::thread([=] { state->give(0); });
    model::thread([=] { state->give(1); });
    check_at_the_end(state, 2);
}

// A host that has emptied several permits gives them back at once.
void two_slots_given_at_once() {
    auto state = full_gate(2, 2);
    model::thread([=] { state->bring(0); });
    model::thread([=] { state->bring(1); });
    model::thread([=] {
        for (const std::uint32_t permit : {0U, 1U}) {
            state->contents[permit].set(2);
            state->holders[permit] = 0;
        }
        const std::uint32_t both[] = {1, 0};
        state->gate.give(both, 2);
    });
    check_at_the_end(state, 2);
}

// Two entries of one job, because it was raised.
void two_entries() {
    auto state = full_gate(1, 1);
    model::thread([=] { state->bring(0); });
    model::thread([=] { state->bring(0); });
    model::thread([=] { state->give(0); });
    check_at_the_end(state, 1);
}

void cancel_against_grant() {
    auto state = full_gate(1, 1);
    state->bring(0);
    model::thread([=] { state->give(0); });
    model::thread([=] { state->cancel(0); });
    check_at_the_end(state, 1);
    model::after(
        [=] { model::require(state->jobs[0]->cancelled == 1, "a job that had not started was not cancelled"); });
}

// Whoever cancels a job and whoever brings it to the gate: one of them answers for what the job holds of it.
void cancel_against_bring() {
    auto state = full_gate(1, 1);
    model::thread([=] { state->bring(0); });
    model::thread([=] {
        state->cancel(0);
        state->give(0);
    });
    model::after([=] {
        const GatedJob& job = *state->jobs[0];
        const bool left_in_gate = state->gate.waiting_hint() != 0;
        model::require(job.started + job.queued == 1 || job.forgotten + (left_in_gate ? 1 : 0) == 1,
                       "nobody, or two, answered for a job");
    });
    check_at_the_end(state, 1);
}

void close_against_wait() {
    auto state = full_gate(1, 1);
    model::thread([=] { state->bring(0); });
    model::thread([=] {
        state->pool.stop();
        state->gate.look_who_must_go();
    });
    model::after([=] { model::require(state->gate.waiting_hint() == 0, "a job waits at a closed gate"); });
    check_at_the_end(state, 1, 1);
}

// Somebody attends, and may take back the flag of the one who closes the gate before it is asked for its round.
void close_against_an_attendant() {
    auto state = full_gate(1, 2);
    state->bring(0);
    model::thread([=] { state->bring(1); });
    model::thread([=] {
        state->pool.stop();
        state->gate.look_who_must_go();
    });
    model::after([=] { model::require(state->gate.waiting_hint() == 0, "a job waits at a closed gate"); });
    check_at_the_end(state, 1, 1);
}

// A permit is given while a job that waits is being raised: at the latest the next permit is its own.
void raise_against_give() {
    auto state = full_gate(2, 3);
    for (const std::size_t job : {0U, 1U, 2U}) state->bring(job);
    model::thread([=] {
        state->jobs[2]->claim.raise(3);
        state->gate.note_raise();
    });
    model::thread([=] { state->give(0); });
    model::after([=] {
        state->give(1);
        model::require(state->jobs[2]->queued == 1, "a raised job did not go first");
    });
    check_at_the_end(state, 2);
}

// A job that waits is raised: the next permit is its own.
void raise_while_waiting() {
    auto state = full_gate(1, 2);
    state->bring(0);
    state->bring(1);
    model::thread([=] {
        state->jobs[1]->claim.raise(3);
        state->gate.note_raise();
        state->give(0);
    });
    check_at_the_end(state, 1);
    model::after([=] { model::require(state->jobs[1]->queued == 1, "a raised job did not go first"); });
}

// The first thread may be held up between its look and its exchange, while the top goes and comes back.
void taken_and_given() {
    auto state = std::make_shared<State>(2, 0);
    model::thread([=] {
        (void)state->take();
        (void)state->take();
    });
    model::thread([=] {
        const std::uint32_t first = state->take();
        (void)state->take();
        if (first != FreePermits::kNone) state->give(first);
    });
}

const Program kGive{"give_against_wait", give_against_wait};
const Program kTwoJobs{"two_jobs_one_permit", two_jobs_one_permit, 2};
const Program kTwoSlots{"two_jobs_two_permits", two_jobs_two_permits, 1};
const Program kGivenAtOnce{"two_slots_given_at_once", two_slots_given_at_once, 2};
const Program kTwoEntries{"two_entries", two_entries, 2};
const Program kCancel{"cancel_against_grant", cancel_against_grant};
const Program kCancelBring{"cancel_against_bring", cancel_against_bring};
const Program kClose{"close_against_wait", close_against_wait};
const Program kCloseAttended{"close_against_an_attendant", close_against_an_attendant, 2};
const Program kRaiseGive{"raise_against_give", raise_against_give};
const Program kRaise{"raise_while_waiting", raise_while_waiting};
const Program kSlots{"taken_and_given", taken_and_given};

constexpr auto kClosed = "a job waits at a closed gate";
constexpr auto kNotFirst = "a raised job did not go first";
constexpr auto kLost = "a job waits beside a free permit";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class GateModel : public testing::TestWithParam<Program> {};

TEST_P(GateModel, LosesNeitherJobNorSlot) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, GateModel,
                         testing::Values(kGive, kTwoJobs, kTwoSlots, kGivenAtOnce, kTwoEntries, kCancel, kCancelBring,
                                         kClose, kCloseAttended, kRaise, kRaiseGive, kSlots),
                         kNameOf);

class GateMutation : public testing::TestWithParam<Mutant> {};

TEST_P(GateMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, GateMutation,
    testing::Values(Mutant{"again", Mutation::gate_again, kGive, kLost},
                    Mutant{"arrive", Mutation::gate_arrive, kTwoJobs, "race"},
                    Mutant{"enter_by_store", Mutation::claim_enter_by_store, kTwoEntries, "race"},
                    Mutant{"flag_of_a_close", Mutation::gate_flag, kCloseAttended, kClosed},
                    Mutant{"flag_of_a_raise", Mutation::gate_flag, kRaiseGive, kNotFirst},
                    Mutant{"raise", Mutation::gate_raise, kRaiseGive, kNotFirst},
                    Mutant{"sweep", Mutation::gate_sweep, kCloseAttended, kClosed},
                    Mutant{"grant", Mutation::claim_grant, kCancel, "race"},
                    Mutant{"hand_on", Mutation::gate_hand_on, kTwoJobs, "race"},
                    Mutant{"has_permit", Mutation::claim_has_permit, kCancel, "race"},
                    Mutant{"leave_word", Mutation::gate_leave_word, kTwoJobs, "race"},
                    Mutant{"one_round", Mutation::gate_one_round, kGive, kLost},
                    Mutant{"recheck", Mutation::gate_recheck, kGive, kLost},
                    Mutant{"take_in", Mutation::gate_take_in, kTwoJobs, "race"},
                    Mutant{"wait", Mutation::gate_wait, kGive, kLost},
                    Mutant{"waiting", Mutation::gate_waiting, kGive, kLost},
                    Mutant{"permits_give", Mutation::permits_give, kGive, kLost},
                    Mutant{"permits_look", Mutation::permits_look, kGive, kLost},
                    Mutant{"permits_take", Mutation::permits_take, kSlots, "a permit is held twice"},
                    Mutant{"permits_turn", Mutation::permits_turn, kSlots, "a permit is held twice"}),
    kNameOf);

}  // namespace
