#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "frame/inbox/arrivals.hpp"
#include "jobs/gate/free_permits.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// What is put into an inbox is taken once, whole, and a host that sleeps is woken, under C++'s memory model (R5).
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

struct State {
    explicit State(std::uint32_t slots) : free(slots), arrivals(slots), cells(slots) {}

    quarry::impl::FreePermits<model::ModelAtomics> free;
    quarry::impl::Arrivals<model::ModelAtomics> arrivals;
    std::vector<model::ModelPlain<int>> cells;
    std::vector<int> taken = std::vector<int>(8);
    int delivered = 0;
    int put = 0;

    // False: no slot was free.
    bool try_put(int value) {
        const std::uint32_t slot = free.try_take();
        if (slot == quarry::impl::FreePermits<model::ModelAtomics>::kNone) return false;
        cells[slot].set(value);
        ++put;
        arrivals.put(slot);
        return true;
    }
    void deliver() {
        arrivals.take_all([&](std::uint32_t slot) {
            ++taken[static_cast<std::size_t>(cells[slot].get())];
            ++delivered;
            free.give(slot);
        });
    }
    void deliver_at_least(int count) {
        deliver();
        while (delivered < count) {
            arrivals.sleep_until_put([](model::ModelAtomic<std::uint32_t>& word, std::uint32_t asleep) {
                model::ModelAtomics::futex_wait(word, asleep);
            });
            deliver();
        }
    }
};

void check_at_the_end(const std::shared_ptr<State>& state) {
    model::after([=] {
        state->deliver();
        model::require(state->delivered == state->put, "an item was lost or delivered twice");
        for (const int times : state->taken) model::require(times <= 1, "an item was delivered twice");
    });
}

void put_against_sleep() {
    auto state = std::make_shared<State>(1);
    model::thread([=] { state->try_put(0); });
    model::thread([=] { state->deliver_at_least(1); });
    check_at_the_end(state);
}

void two_puts_against_sleep() {
    auto state = std::make_shared<State>(2);
    model::thread([=] { state->try_put(0); });
    model::thread([=] { state->try_put(1); });
    model::thread([=] { state->deliver_at_least(2); });
    check_at_the_end(state);
}

// One slot: the second item can only come where the first was.
void slot_used_again() {
    auto state = std::make_shared<State>(1);
    model::thread([=] {
        for (int i = 0; i < 3; ++i) (void)state->try_put(i);
    });
    model::thread([=] {
        state->deliver();
        state->deliver();
    });
    check_at_the_end(state);
}

const Program kSleep{"put_against_sleep", put_against_sleep};
const Program kTwoPuts{"two_puts_against_sleep", two_puts_against_sleep, 2};
const Program kUsedAgain{"slot_used_again", slot_used_again};

constexpr auto kDeadlock = "deadlock";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class InboxModel : public testing::TestWithParam<Program> {};

TEST_P(InboxModel, HandsEveryItemOverOnce) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, InboxModel, testing::Values(kSleep, kTwoPuts, kUsedAgain), kNameOf);

class InboxMutation : public testing::TestWithParam<Mutant> {};

TEST_P(InboxMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, InboxMutation,
                         testing::Values(Mutant{"put", Mutation::inbox_put, kSleep, "race"},
                                         Mutant{"put_wakes", Mutation::inbox_put_wakes, kSleep, kDeadlock},
                                         Mutant{"sleep_by_store", Mutation::inbox_sleep_by_store, kSleep, kDeadlock},
                                         Mutant{"take", Mutation::inbox_take, kSleep, "race"}),
                         kNameOf);

}  // namespace
