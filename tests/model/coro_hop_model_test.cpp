#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/claim/claim.hpp"
#include "jobs/completion/antecedents.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// A coroutine moves on from one hop to the next while a thread that waits for its Task goes from the Task to the hop,
// in order to run it (see src/jobs/task/coro.cpp).
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

struct alignas(32) Hop {  // as Antecedents asks for
    quarry::impl::Claim<model::ModelAtomics> claim;
    model::ModelPlain<int> header{0};  // read within visits; written by whoever uses the node again
};

struct State {
    std::array<std::unique_ptr<Hop>, 2> owners{std::make_unique<Hop>(), std::make_unique<Hop>()};
    const std::array<Hop*, 2> hops{owners[0].get(), owners[1].get()};
    quarry::impl::Antecedents<model::ModelAtomics> antecedents;  // of the Task
    model::ModelPlain<int> coroutine{0};                         // the hops that it has behind it
    model::ModelAtomic<Hop*> queued{nullptr};
    std::array<int, 2> runs{};
    std::array<int, 2> recycled{};

    State() {
        hops[0]->claim.prepare_task(true, 1);
        antecedents.set(address(0));
    }
    std::uintptr_t address(std::size_t hop) const { return reinterpret_cast<std::uintptr_t>(hops[hop]); }

    void release(std::size_t hop) {
        if (!hops[hop]->claim.release()) return;
        model::require(++recycled[hop] == 1, "a node was recycled twice");
        hops[hop]->header.set(1);
        owners[hop].reset();
    }
    void drop_handle(std::size_t hop) {
        (void)hops[hop]->claim.handle_dropped();
        release(hop);
    }
    void run(std::size_t hop) {
        model::require(++runs[hop] == 1, "a hop ran twice");
        model::require(coroutine.get() == static_cast<int>(hop), "a coroutine went on before its time");
        coroutine.set(static_cast<int>(hop) + 1);
        if (hop == 0) {
            hops[1]->claim.prepare_task(true, 1);
            antecedents.replace(address(1));
            drop_handle(0);
            queued.store(hops[1], kRelease);
        } else {
            antecedents.clear();
            drop_handle(1);
        }
        (void)hops[hop]->claim.ended();
    }
    void claim_and_run(std::size_t hop) {
        if (hops[hop]->claim.try_claim()) run(hop);
        release(hop);
    }
    void take_from_queue() {
        if (queued.exchange(nullptr, kAcquire) != nullptr) claim_and_run(1);
    }
    // What a waiter does again and again.
    void go_from_the_task_to_its_hop(bool leave_alone = false) {
        std::size_t found = 2;
        antecedents.visit([&](std::uintptr_t seen) {
            if (seen == 0) return;
            const std::size_t hop = seen == address(0) ? 0 : 1;
            // As first_unended: one that has ended is left alone, and there is no reference to it.
            (void)hops[hop]->header.get();
            if (leave_alone) return;
            found = hop;
            hops[found]->claim.retain();
        });
        if (found != 2) claim_and_run(found);
    }
};

void hops() {
    auto state = std::make_shared<State>();
    model::thread([=] {
        state->claim_and_run(0);
        state->take_from_queue();
    });
    model::thread([=] {
        state->go_from_the_task_to_its_hop();
        state->go_from_the_task_to_its_hop();
    });
    model::after([=] {
        state->take_from_queue();
        for (std::size_t hop = 0; hop < 2; ++hop) {
            model::require(state->runs[hop] == 1, "a hop never ran");
            model::require(state->recycled[hop] == 1, "a node was not recycled");
        }
    });
}

// A waiter only looks at the hop, while the coroutine moves on and the node is used again.
void looked_at() {
    auto state = std::make_shared<State>();
    model::thread([=] {
        state->claim_and_run(0);
        state->take_from_queue();
    });
    model::thread([=] { state->go_from_the_task_to_its_hop(true); });
}

const Program kOneWaiter{"one_waiter", hops};
const Program kLookedAt{"looked_at", looked_at};

constexpr auto kGone = "used after its destruction";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class CoroHopModel : public testing::TestWithParam<Program> {};

TEST_P(CoroHopModel, EveryHopRunsOnceInItsTurn) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, CoroHopModel, testing::Values(kOneWaiter, kLookedAt), kNameOf);

class CoroHopMutation : public testing::TestWithParam<Mutant> {};

TEST_P(CoroHopMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, CoroHopMutation,
                         testing::Values(Mutant{"leave", Mutation::chain_leave, kLookedAt, "data race"},
                                         Mutant{"no_wait", Mutation::chain_no_wait, kOneWaiter, "data race"},
                                         Mutant{"replace", Mutation::chain_replace, kOneWaiter, kGone},
                                         Mutant{"replacing", Mutation::chain_replacing, kLookedAt, "data race"},
                                         Mutant{"wait", Mutation::chain_wait, kLookedAt, "data race"}),
                         kNameOf);

}  // namespace
