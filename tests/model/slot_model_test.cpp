#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/slot/slot.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// R54: what is put into the last-in slot comes out once, to its owner, to a thief, or displaced by the next one.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

struct Node {
    model::ModelPlain<int> payload{0};
    int taken = 0;
};

struct State {
    quarry::impl::Slot<model::ModelAtomics, Node*> slot;
    std::array<Node, 3> nodes;
    std::size_t used = 0;
    model::ModelAtomic<int> sleeping{0};

    static void take(Node* node) {
        if (node == nullptr) return;
        model::require(node->payload.get() == 42, "a job arrived without its payload");
        node->payload.set(0);
        model::require(++node->taken == 1, "a job was taken twice");
    }
    void put() {
        Node& node = nodes[used++];
        node.payload.set(42);
        take(slot.put(&node));
    }
    void drain() {
        take(slot.take());
        model::require(slot.looks_empty(), "an empty slot does not look it");
        for (std::size_t i = 0; i < used; ++i) model::require(nodes[i].taken == 1, "a job was lost");
    }
};

void drain_after(const std::shared_ptr<State>& state) {
    model::after([state] { state->drain(); });
}

void owner_and_thieves(int thieves) {
    auto state = std::make_shared<State>();
    model::thread([=] {
        state->put();
        state->put();
        State::take(state->slot.take());
        state->put();
    });
    for (int i = 0; i < thieves; ++i) {
        model::thread([=] { State::take(state->slot.take()); });
    }
    drain_after(state);
}

// A task that its submitter waits for is taken back from the slot.
void taken_back_against_thieves() {
    auto state = std::make_shared<State>();
    model::thread([=] {
        for (int i = 0; i < 2; ++i) {
            state->put();
            Node* const mine = &state->nodes[state->used - 1];
            if (state->slot.take_if(mine)) State::take(mine);
        }
    });
    for (int i = 0; i < 2; ++i) {
        model::thread([=] { State::take(state->slot.take()); });
    }
    drain_after(state);
}

// As for the deque: the owner looks for sleepers after a fence, the sleeper for work after a seq_cst operation.
void sleeper_looks_again() {
    auto state = std::make_shared<State>();
    struct Seen {
        bool sleeper = false;
        bool work = false;
    };
    auto seen = std::make_shared<Seen>();
    model::thread([=] {
        state->put();
        model::ModelAtomics::fence(std::memory_order_seq_cst);
        seen->sleeper = state->sleeping.load(std::memory_order_relaxed) != 0;
    });
    model::thread([=] {
        state->sleeping.fetch_add(1, std::memory_order_seq_cst);
        seen->work = !state->slot.looks_empty();
    });
    model::after([=] { model::require(seen->sleeper || seen->work, "a sleeper and a job missed each other"); });
    drain_after(state);
}

const Program kOneThief{"one_thief", [] { owner_and_thieves(1); }};
const Program kTwoThieves{"two_thieves", [] { owner_and_thieves(2); }};
const Program kThreeThieves{"three_thieves", [] { owner_and_thieves(3); }};
const Program kTakenBack{"taken_back_against_thieves", taken_back_against_thieves};
const Program kSleeper{"sleeper_looks_again", sleeper_looks_again};

const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class SlotModel : public testing::TestWithParam<Program> {};

TEST_P(SlotModel, GivesEachJobOnce) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, SlotModel,
                         testing::Values(kOneThief, kTwoThieves, kThreeThieves, kTakenBack, kSleeper), kNameOf);

class SlotMutation : public testing::TestWithParam<Mutant> {};

TEST_P(SlotMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, SlotMutation,
                         testing::Values(Mutant{"empty", Mutation::slot_empty, kSleeper, "missed each other"},
                                         Mutant{"put", Mutation::slot_put, kOneThief, "data race"},
                                         Mutant{"put_without_exchange", Mutation::slot_put_without_exchange, kOneThief,
                                                "data race"},
                                         Mutant{"take", Mutation::slot_take, kOneThief, "data race"}),
                         kNameOf);

}  // namespace
