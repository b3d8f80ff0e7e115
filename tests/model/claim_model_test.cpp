#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/claim/claim.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// The right to run a job, the references to its node and the life of its result, under C++'s memory model.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

struct Result {
    model::ModelPlain<int> value{0};
    model::ModelPlain<int> home{3};  // what a handle may look at before the job has ended
};

// The node that is destroyed where the pool's would be recycled: whoever touches it later is found out.
struct Node {
    quarry::impl::Claim<model::ModelAtomics> claim;
    model::ModelPlain<int> closure{0};
    model::ModelPlain<int> spare{0};  // written only by whoever recycles the node
    std::unique_ptr<Result> result = std::make_unique<Result>();
};

struct State {
    std::unique_ptr<Node> owner = std::make_unique<Node>();
    Node* node = owner.get();
    model::ModelAtomic<Node*> published{nullptr};
    std::array<model::ModelAtomic<Node*>, 2> places;
    int runs = 0;
    int results_destroyed = 0;
    int recycled = 0;

    void prepare(std::uint32_t references, bool shared, bool handle) {
        node->closure.set(42);
        node->claim.prepare(references, shared, handle);
    }
    void run() {
        model::require(++runs == 1, "a job ran twice");
        model::require(node->closure.get() == 42, "a job ran without its closure");
        node->closure.set(0);
        node->result->value.set(7);
        end(node->claim.ended());
    }
    void end(bool last) {
        if (!last) return;
        ++results_destroyed;
        node->result.reset();
    }
    void release() {
        if (!node->claim.release()) return;
        model::require(++recycled == 1, "a node was recycled twice");
        node->spare.set(1);
        owner.reset();
    }
    void drop_handle() {
        end(node->claim.handle_dropped());
        release();
    }
    // What a queue's entry gives the thread that takes it.
    void claim_and_run() {
        if (node->claim.try_claim()) run();
        release();
    }
    void all_is_over() const {
        model::require(runs == 1, "a job never ran");
        model::require(results_destroyed == 1, "a result was not destroyed exactly once");
        model::require(recycled == 1, "a node was not recycled");
    }
};

void finish(const std::shared_ptr<State>& state) {
    model::after([state] { state->all_is_over(); });
}

void many_claimers(int claimers) {
    auto state = std::make_shared<State>();
    state->prepare(static_cast<std::uint32_t>(claimers), true, false);
    for (int i = 0; i < claimers; ++i) model::thread([=] { state->claim_and_run(); });
    finish(state);
}

// A job is taken out of its only queue, shared and published in two places; meanwhile its handle is dropped.
void shared_later() {
    auto state = std::make_shared<State>();
    state->prepare(2, false, true);
    model::thread([=] {
        state->node->claim.share();
        for (auto& place : state->places) place.store(state->node, kRelease);
    });
    model::thread([=] { state->drop_handle(); });
    for (std::size_t i = 0; i < 2; ++i) {
        model::thread([=] {
            if (state->places[i].exchange(nullptr, kAcquire) != nullptr) state->claim_and_run();
        });
    }
    model::after([=] {
        for (auto& place : state->places) {
            if (place.exchange(nullptr, kAcquire) != nullptr) state->claim_and_run();
        }
    });
    finish(state);
}

// An unshared job needs no exchange: it belongs to whoever took it out of its queue, which is the only one.
void unshared() {
    auto state = std::make_shared<State>();
    model::thread([=] {
        state->prepare(2, false, true);
        state->published.store(state->node, kRelease);
        state->drop_handle();
    });
    for (int i = 0; i < 2; ++i) {
        model::thread([=] {
            if (state->published.exchange(nullptr, kAcquire) != nullptr) state->claim_and_run();
        });
    }
    model::after([=] {
        if (state->published.exchange(nullptr, kAcquire) != nullptr) state->claim_and_run();
    });
    finish(state);
}

// The handle's holder reads the result once it is told that the job has ended, then drops it; a stale entry of a
// queue is the last to let go of the node, or the first.
void result_outlives_the_job() {
    auto state = std::make_shared<State>();
    state->prepare(3, true, true);
    auto ended = std::make_shared<model::ModelAtomic<int>>(0);
    model::thread([=] {
        if (state->node->claim.try_claim()) state->run();
        ended->store(1, kRelease);
        state->release();
    });
    model::thread([=] {
        model::require(state->node->result->home.get() == 3, "a handle without its result");
        if (ended->load(kAcquire) != 0) {
            model::require(state->node->result->value.get() == 7, "a result arrived too late");
        }
        state->drop_handle();
    });
    model::thread([=] { state->release(); });
    finish(state);
}

// A reference that is handed on.
void retained() {
    auto state = std::make_shared<State>();
    state->prepare(2, true, false);
    model::thread([=] {
        state->node->claim.retain();
        if (state->node->claim.try_claim()) state->run();
        state->release();
        state->release();
    });
    model::thread([=] { state->claim_and_run(); });
    finish(state);
}

const Program kTwoClaimers{"two_claimers", [] { many_claimers(2); }};
const Program kThreeClaimers{"three_claimers", [] { many_claimers(3); }};
const Program kSharedLater{"shared_later", shared_later};
const Program kUnshared{"unshared", unshared};
const Program kResult{"result_outlives_the_job", result_outlives_the_job};
const Program kRetained{"retained", retained};

constexpr auto kRace = "data race";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class ClaimModel : public testing::TestWithParam<Program> {};

TEST_P(ClaimModel, RunsOnceAndRecyclesOnce) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, ClaimModel,
                         testing::Values(kTwoClaimers, kThreeClaimers, kSharedLater, kUnshared, kResult, kRetained),
                         kNameOf);

class ClaimMutation : public testing::TestWithParam<Mutant> {};

TEST_P(ClaimMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, ClaimMutation,
    testing::Values(Mutant{"ended", Mutation::claim_ended, kResult, kRace},
                    Mutant{"ended_alone", Mutation::claim_ended_alone, kResult, kRace},
                    Mutant{"handle", Mutation::claim_handle, kResult, kRace},
                    Mutant{"release", Mutation::claim_release, kTwoClaimers, kRace},
                    Mutant{"share_by_store", Mutation::claim_share_by_store, kSharedLater, "exactly once"},
                    Mutant{"sole_acquire", Mutation::claim_sole_acquire, kTwoClaimers, kRace},
                    Mutant{"without_exchange", Mutation::claim_without_exchange, kTwoClaimers, "data race"}),
    kNameOf);

}  // namespace
