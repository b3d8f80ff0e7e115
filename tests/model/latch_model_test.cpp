#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/completion/latch.hpp"
#include "jobs/parking/parker.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"
#include "wait_models.hpp"

// One event, one waiter: the waiter wakes, sees what was done before, and may destroy the latch at once.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

using Parker = quarry::impl::Parker<model::ModelAtomics>;
using Latch = quarry::impl::Latch<model::ModelAtomics>;

struct Event {
    Latch latch;
    model::ModelPlain<int> result{0};
};

struct State {
    Parker parker;  // outlives all waits
    std::unique_ptr<Event> first = std::make_unique<Event>();
    std::unique_ptr<Event> second = std::make_unique<Event>();
};

void set(Event& event) {
    event.result.set(7);
    event.latch.set();
}

void wait(Parker& parker, Event& event) {
    quarry::impl::LatchEvent<model::ModelAtomics> set{event.latch};
    model::wait_asleep(set, parker);
    model::require(event.result.get() == 7, "a wait returned before its event");
}

// For a waiter that believes what announce() says.
void wait_by_announce(Parker& parker, Event& event) {
    while (event.latch.announce(parker)) {
        if (parker.prepare(Parker::kWaiting)) parker.park(Parker::kWaiting);
    }
    model::require(event.result.get() == 7, "a wait returned before its event");
}

void destroyed_after_the_wait() {
    auto state = std::make_shared<State>();
    Event* const event = state->first.get();
    model::thread([=] { set(*event); });
    model::thread([=] {
        wait(state->parker, *event);
        state->first.reset();
    });
}

void announce_alone_tells() {
    auto state = std::make_shared<State>();
    Event* const event = state->first.get();
    model::thread([=] { set(*event); });
    model::thread([=] {
        wait_by_announce(state->parker, *event);
        state->first.reset();
    });
}

// A guest's parker may be as new as its wait.
void parker_made_for_the_wait() {
    auto state = std::make_shared<State>();
    auto parker = std::make_shared<std::unique_ptr<Parker>>();
    Event* const event = state->first.get();
    model::thread([=] { set(*event); });
    model::thread([=] {
        *parker = std::make_unique<Parker>();
        wait(**parker, *event);
        state->first.reset();
    });
}

// The first wait may end without a sleep; its notification then comes during the second wait.
void two_waits_with_late_notifications() {
    auto state = std::make_shared<State>();
    Event* const first = state->first.get();
    Event* const second = state->second.get();
    model::thread([=] { set(*first); });
    model::thread([=] { set(*second); });
    model::thread([=] {
        wait(state->parker, *first);
        state->first.reset();
        wait(state->parker, *second);
        state->second.reset();
    });
}

const Program kDestroyed{"destroyed_after_the_wait", destroyed_after_the_wait};
const Program kAnnounce{"announce_alone_tells", announce_alone_tells};
const Program kNewParker{"parker_made_for_the_wait", parker_made_for_the_wait};
const Program kTwoWaits{"two_waits_with_late_notifications", two_waits_with_late_notifications};

const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class LatchModel : public testing::TestWithParam<Program> {};

TEST_P(LatchModel, WakesItsWaiterAndIsNotTouchedAfterwards) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, LatchModel, testing::Values(kDestroyed, kAnnounce, kNewParker, kTwoWaits), kNameOf);

class LatchMutation : public testing::TestWithParam<Mutant> {};

TEST_P(LatchMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, LatchMutation,
                         testing::Values(Mutant{"announce", Mutation::latch_announce, kNewParker, "used"},
                                         Mutant{"announce_late", Mutation::latch_announce_late, kAnnounce, "data race"},
                                         Mutant{"is_set", Mutation::latch_is_set, kDestroyed, "data race"},
                                         Mutant{"recheck", Mutation::wait_recheck, kDestroyed, "deadlock"},
                                         Mutant{"set", Mutation::latch_set, kDestroyed, "data race"},
                                         Mutant{"without_wake", Mutation::parker_notify_without_wake, kDestroyed,
                                                "deadlock"}),
                         kNameOf);

}  // namespace
