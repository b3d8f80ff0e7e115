#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/claim/claim.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// Raise, cancel, arm and start of a submitted job, each against the others, under C++'s memory model (R5, R6).
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using Claim = quarry::impl::Claim<model::ModelAtomics>;

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr std::uint32_t kNormal = 1;
constexpr std::uint32_t kUrgent = 3;

// Destroyed where the pool's would be recycled.
struct Node {
    Claim claim;
    model::ModelPlain<int> closure{42};
    model::ModelPlain<int> spare{0};  // written only by whoever recycles the node
};

struct State {
    explicit State(bool armed) : continues(!armed) { node->claim.prepare_task(armed, kNormal); }

    const bool continues;
    std::unique_ptr<Node> owner = std::make_unique<Node>();
    Node* node = owner.get();
    model::ModelPlain<int> antecedent{0};                  // what the job continues has left this
    std::array<model::ModelAtomic<Node*>, 4> levels = {};  // one queue a priority; one place in each is enough
    int runs = 0;
    int cancelled = 0;
    int results_destroyed = 0;
    int recycled = 0;

    void end() {
        model::require(node->closure.get() == 42, "a job ended twice");
        node->closure.set(0);
        if (node->claim.ended()) ++results_destroyed;
    }
    void run() {
        ++runs;
        if (continues) model::require(antecedent.get() == 7, "a continuation ran before what it continues had ended");
        end();
    }
    void release() {
        if (!node->claim.release()) return;
        model::require(++recycled == 1, "a node was recycled twice");
        node->spare.set(1);
        owner.reset();
    }
    void queue(std::uint32_t level) {
        model::require(levels[level].exchange(node, kRelease) == nullptr, "a job was queued twice at one priority");
    }
    // A worker looks into one queue, as Worker::claimed.
    void take(std::uint32_t level) {
        if (levels[level].exchange(nullptr, kAcquire) == nullptr) return;
        if (node->claim.try_claim()) run();
        release();
    }
    // As PoolCore::queue_continuation.
    void antecedent_ends() {
        antecedent.set(7);
        std::uint32_t level = 0;
        if (node->claim.arm(level)) {
            queue(level);
        } else {
            release();
        }
    }
    // As Worker::tell_of_end, on a thread that goes on with what continues its job.
    void antecedent_ends_and_is_succeeded() {
        antecedent.set(7);
        if (node->claim.try_claim_even_if_unarmed()) run();
        release();
    }
    // The verbs of the handle, whose holder drops it afterwards.
    void raise() {
        if (node->claim.raise(kUrgent) == Claim::Raise::requeue) queue(kUrgent);
    }
    void cancel() {
        if (!node->claim.try_claim_even_if_unarmed()) return;
        ++cancelled;
        end();
    }
    // As impl::drop_handle. The verbs before it have read the header, which whoever uses the node again writes.
    void drop_handle() {
        (void)node->spare.get();
        if (node->claim.drop_handle_before_end()) return;
        if (node->claim.handle_dropped()) ++results_destroyed;
        release();
    }
    void take_all() {
        for (std::uint32_t level = 0; level < levels.size(); ++level) take(level);
    }
    void all_is_over() const {
        model::require(runs + cancelled == 1, "a job did not end exactly once");
        model::require(results_destroyed == 1, "a result was not destroyed exactly once");
        model::require(recycled == 1, "a node was not recycled");
    }
};

void finish(const std::shared_ptr<State>& state) {
    model::after([state] {
        state->take_all();
        state->all_is_over();
    });
}

// The job is found in the queue it was in, in the one it was raised to, or in both.
void raise_against_start() {
    auto state = std::make_shared<State>(true);
    state->queue(kNormal);
    model::thread([=] {
        state->raise();
        state->drop_handle();
    });
    model::thread([=] { state->take(kNormal); });
    model::thread([=] { state->take(kUrgent); });
    finish(state);
}

// Either arm() sees the new priority, or raise() sees that the job is armed.
void raise_against_arm() {
    auto state = std::make_shared<State>(false);
    model::thread([=] {
        state->raise();
        state->drop_handle();
    });
    model::thread([=] { state->antecedent_ends(); });
    model::after([=] {
        model::require(state->levels[kUrgent].load(kAcquire) != nullptr, "a raised job is not where it was raised to");
    });
    finish(state);
}

// Two holders raise: one to urgent, both count.
void raised_twice() {
    auto state = std::make_shared<State>(true);
    state->queue(kNormal);
    state->node->claim.retain();
    model::thread([=] {
        state->raise();
        state->drop_handle();
    });
    model::thread([=] {
        if (state->node->claim.raise(kUrgent - 1) == Claim::Raise::requeue) state->queue(kUrgent - 1);
        state->release();
    });
    model::thread([=] { state->take(kNormal); });
    finish(state);
}

// Nobody waits for it: the worker claims and ends it without an exchange once the handle is gone.
void drop_against_start() {
    auto state = std::make_shared<State>(true);
    state->queue(kNormal);
    model::thread([=] { state->drop_handle(); });
    model::thread([=] { state->take(kNormal); });
    finish(state);
}

void cancel_against_start() {
    auto state = std::make_shared<State>(true);
    state->queue(kNormal);
    model::thread([=] {
        state->cancel();
        state->drop_handle();
    });
    model::thread([=] { state->take(kNormal); });
    finish(state);
}

// What the continuation continues ends meanwhile; a worker stands by.
void cancel_against_arm() {
    auto state = std::make_shared<State>(false);
    model::thread([=] {
        state->cancel();
        state->drop_handle();
    });
    model::thread([=] { state->antecedent_ends(); });
    model::thread([=] { state->take(kNormal); });
    finish(state);
}

void cancel_against_succession() {
    auto state = std::make_shared<State>(false);
    model::thread([=] {
        state->cancel();
        state->drop_handle();
    });
    model::thread([=] { state->antecedent_ends_and_is_succeeded(); });
    finish(state);
}

// Whoever waits for the continuation may run it as soon as it is armed, and sees what it continues.
void waiter_against_arm() {
    auto state = std::make_shared<State>(false);
    model::thread([=] {
        state->node->claim.retain();
        if (state->node->claim.try_claim()) state->run();
        state->release();
        state->drop_handle();
    });
    model::thread([=] { state->antecedent_ends(); });
    finish(state);
}

const Program kRaiseStart{"raise_against_start", raise_against_start, 2};
const Program kRaiseArm{"raise_against_arm", raise_against_arm};
const Program kRaisedTwice{"raised_twice", raised_twice, 2};
const Program kDropStart{"drop_against_start", drop_against_start};
const Program kCancelStart{"cancel_against_start", cancel_against_start};
const Program kCancelArm{"cancel_against_arm", cancel_against_arm};
const Program kCancelSuccession{"cancel_against_succession", cancel_against_succession};
const Program kWaiterArm{"waiter_against_arm", waiter_against_arm};

const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class TaskClaimModel : public testing::TestWithParam<Program> {};

TEST_P(TaskClaimModel, EndsOnceAndRecyclesOnce) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, TaskClaimModel,
                         testing::Values(kRaiseStart, kRaiseArm, kRaisedTwice, kDropStart, kCancelStart, kCancelArm,
                                         kCancelSuccession, kWaiterArm),
                         kNameOf);

class TaskClaimMutation : public testing::TestWithParam<Mutant> {};

TEST_P(TaskClaimMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, TaskClaimMutation,
    testing::Values(Mutant{"arm", Mutation::claim_arm, kWaiterArm, "data race"},
                    Mutant{"armed", Mutation::claim_armed, kWaiterArm, "data race"},
                    Mutant{"drop_early", Mutation::claim_drop_early, kDropStart, "data race"},
                    Mutant{"raise_by_store", Mutation::claim_raise_by_store, kRaiseStart, "ended twice"},
                    Mutant{"raise_by_store_unarmed", Mutation::claim_raise_by_store, kRaiseArm,
                           "not where it was raised to"},
                    Mutant{"unarmed", Mutation::claim_unarmed, kWaiterArm, "before what it continues"},
                    Mutant{"without_exchange", Mutation::claim_without_exchange, kCancelStart, "data race"}),
    kNameOf);

}  // namespace
