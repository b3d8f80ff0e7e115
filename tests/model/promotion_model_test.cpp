#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/claim/claim.hpp"
#include "jobs/completion/latch.hpp"
#include "jobs/completion/settle.hpp"
#include "jobs/completion/wait.hpp"
#include "jobs/deque/deque.hpp"
#include "jobs/parking/parker.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"
#include "wait_models.hpp"

// A join's second closure is promoted, and its owner takes it back against a thief: it runs once, its result arrives,
// the frame is not touched after the join has returned, and the node is recycled by the last reference.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using quarry::impl::StealStatus;

using Atomics = model::ModelAtomics;
using Parker = quarry::impl::Parker<Atomics>;

// On the owner's stack.
struct Frame {
    Atomics::Plain<int> closure{42};
    Atomics::Plain<int> result{0};
};

// The memory of a node stays; what is in it begins and ends with each use.
struct Node {
    struct ReusedLatch {
        std::unique_ptr<quarry::impl::Latch<Atomics>> now;

        void set() const { now->set(); }
    };

    quarry::impl::Claim<Atomics> claim;
    model::ModelAtomic<int> depth{1};
    Atomics::Plain<Frame*> frame{nullptr};
    ReusedLatch latch;
    bool in_use = false;
};

struct State {
    Parker parker;
    quarry::impl::Deque<Atomics, Node*> deque{2};
    std::array<Node, 2> nodes;
    std::vector<Node*> owners_free{&nodes[0], &nodes[1]};
    std::vector<Node*> thieves_free;

    void release(Node& node, std::vector<Node*>& free) {
        if (!node.claim.release()) return;
        model::require(node.in_use, "a node was recycled twice");
        node.in_use = false;
        node.frame.set(nullptr);
        node.latch.now.reset();
        free.push_back(&node);
    }
    static void run(Frame& frame) {
        model::require(frame.closure.get() == 42, "a closure ran twice");
        frame.closure.set(0);
        frame.result.set(7);
    }

    // As promote_join.
    Node& promote(Frame& frame) {
        Node& node = *owners_free.back();
        owners_free.pop_back();
        node.in_use = true;
        node.latch.now = std::make_unique<quarry::impl::Latch<Atomics>>();
        node.frame.set(&frame);
        quarry::impl::prepare_promoted(node);
        node.depth.store(1, std::memory_order_relaxed);
        deque.push(&node);
        return node;
    }
    void settle(Frame& frame, Node& node) {
        const auto release_by_owner = [this](Node* one) { release(*one, owners_free); };
        const auto take_out = [&] {
            if (deque.pop_if(&node)) release_by_owner(&node);
        };
        const auto wait = [&] {
            quarry::impl::LatchEvent<Atomics> event{*node.latch.now};
            if (event.is_over()) return;
            model::wait_asleep(event, parker);
        };
        if (quarry::impl::settle_promoted(node, take_out, wait, release_by_owner)) run(frame);
    }
    void join() {
        auto frame = std::make_unique<Frame>();
        settle(*frame, promote(*frame));
        model::require(frame->result.get() == 7, "a join returned without its result");
    }
    // As Worker::steal_descendant_of and Worker::execute.
    void steal() {
        const auto stolen = deque.steal_if([](Node* node) { return node->depth.load(std::memory_order_relaxed) > 0; });
        if (stolen.status != StealStatus::got) return;
        Node& node = *stolen.value;
        const auto release_by_thief = [this](Node* one) { release(*one, thieves_free); };
        if (!node.claim.try_claim()) return release_by_thief(&node);
        run(*node.frame.get());
        quarry::impl::end_promoted(node, release_by_thief);
    }
};

void finish(const std::shared_ptr<State>& state) {
    model::after([state] {
        // Entries of joins that were taken back while others lay above them.
        while (Node* const node = state->deque.pop()) {
            model::require(!node->claim.try_claim(), "a join returned and its closure can be claimed");
            state->release(*node, state->owners_free);
        }
        model::require(state->owners_free.size() + state->thieves_free.size() == 2, "a node was not recycled");
    });
}

void taken_back_against_thieves(int thieves) {
    auto state = std::make_shared<State>();
    model::thread([=] { state->join(); });
    for (int i = 0; i < thieves; ++i) model::thread([=] { state->steal(); });
    finish(state);
}

// The second join uses the node of the first one again, if the owner was the one to recycle it.
void two_joins() {
    auto state = std::make_shared<State>();
    model::thread([=] {
        state->join();
        state->join();
    });
    model::thread([=] {
        state->steal();
        state->steal();
    });
    finish(state);
}

// The outer join is promoted first and settled last; its entry lies below that of the inner one.
void nested_joins() {
    auto state = std::make_shared<State>();
    model::thread([=] {
        auto outer = std::make_unique<Frame>();
        auto inner = std::make_unique<Frame>();
        Node& outer_node = state->promote(*outer);
        Node& inner_node = state->promote(*inner);
        state->settle(*inner, inner_node);
        inner.reset();
        state->settle(*outer, outer_node);
        model::require(outer->result.get() == 7, "a join returned without its result");
    });
    model::thread([=] { state->steal(); });
    finish(state);
}

const Program kOneThief{"one_thief", [] { taken_back_against_thieves(1); }};
const Program kTwoThieves{"two_thieves", [] { taken_back_against_thieves(2); }};
const Program kTwoJoins{"two_joins", two_joins};
const Program kNested{"nested_joins", nested_joins};

constexpr auto kRace = "data race";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class PromotionModel : public testing::TestWithParam<Program> {};

TEST_P(PromotionModel, RunsTheClosureOnceAndBringsItsResult) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, PromotionModel, testing::Values(kOneThief, kTwoThieves, kTwoJoins, kNested),
                         kNameOf);

class PromotionMutation : public testing::TestWithParam<Mutant> {};

TEST_P(PromotionMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, PromotionMutation,
    testing::Values(Mutant{"claim_release", Mutation::claim_release, kOneThief, kRace},
                    Mutant{"claim_sole_acquire", Mutation::claim_sole_acquire, kOneThief, kRace},
                    Mutant{"claim_without_exchange", Mutation::claim_without_exchange, kOneThief, "not recycled"},
                    Mutant{"latch_is_set", Mutation::latch_is_set, kOneThief, kRace},
                    Mutant{"latch_set", Mutation::latch_set, kOneThief, kRace},
                    Mutant{"notify_without_wake", Mutation::parker_notify_without_wake, kOneThief, "deadlock"}),
    kNameOf);

}  // namespace
