#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/completion/drain.hpp"
#include "jobs/queue/left_entries.hpp"
#include "jobs/queue/room.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// The capacity of a lane is exact, and nobody waits for room that there is, under C++'s memory model. A lost wake-up
// shows as a deadlock (R7).
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using Room = quarry::impl::Room<model::ModelAtomics>;

struct State {
    explicit State(std::size_t room_capacity) : capacity(room_capacity), room(room_capacity) {}

    const std::size_t capacity;
    bool named = name();
    Room room;
    quarry::impl::Drain<model::ModelAtomics> end;
    std::size_t inside = 0;

    static bool name() {
        model::name_next({"used", "waiters", "made", "stopping"});
        return true;
    }
    void fill() {
        while (room.try_take()) ++inside;
        model::require(inside == capacity, "a room had not its capacity");
    }
    void came_in() { model::require(++inside <= capacity, "more came in than there is room for"); }
    bool wait_until_closed() {
        return room.wait_unless([this] { return end.is_stopping(); });
    }
    void wait() {
        model::require(wait_until_closed(), "a room was closed that is not");
        came_in();
    }
    void make(std::size_t places) {
        inside -= places;
        room.make(places);
    }
};

void count_is_exact_after(const std::shared_ptr<State>& state) {
    model::after([state] { model::require(state->room.used_hint() == state->inside, "room was lost or made"); });
}

void waiters_and_makers(std::size_t waiters, std::size_t makers, std::size_t places) {
    auto state = std::make_shared<State>(makers * places);
    state->fill();
    for (std::size_t i = 0; i < waiters; ++i) model::thread([=] { state->wait(); });
    for (std::size_t i = 0; i < makers; ++i) model::thread([=] { state->make(places); });
    count_is_exact_after(state);
}

// Whoever got in makes room for the next one.
void one_after_the_other() {
    auto state = std::make_shared<State>(1);
    state->fill();
    for (int i = 0; i < 2; ++i) {
        model::thread([=] {
            state->wait();
            state->make(1);
        });
    }
    model::thread([=] { state->make(1); });
    count_is_exact_after(state);
}

// try_submit: two want the last place, while one is made.
void told_at_once() {
    auto state = std::make_shared<State>(1);
    state->fill();
    for (int i = 0; i < 2; ++i) {
        model::thread([=] {
            if (state->room.try_take()) state->came_in();
        });
    }
    model::thread([=] { state->make(1); });
    count_is_exact_after(state);
}

// The end of the pool sends those away who wait.
void closed_against_waiters(std::size_t waiters) {
    auto state = std::make_shared<State>(1);
    state->fill();
    for (std::size_t i = 0; i < waiters; ++i) {
        model::thread([=] { model::require(!state->wait_until_closed(), "somebody came in without room"); });
    }
    model::thread([=] {
        state->end.stop();
        state->room.wake_all();
    });
    count_is_exact_after(state);
}

// A full lane whose entries have lost their jobs: whoever claims one, or whoever waits, sweeps it out.
struct Lane {
    explicit Lane(std::size_t entries) : room(entries), entry(entries) {
        for (std::size_t i = 0; i < entries; ++i) model::require(room.try_take(), "a room had not its capacity");
    }

    struct Entry {
        model::ModelAtomics::Atomic<bool> claimed{false};
        model::ModelAtomics::Atomic<bool> here{true};
    };
    Room room;
    quarry::impl::LeftEntries<model::ModelAtomics> left;
    std::vector<Entry> entry;

    void sweep() {
        if (!left.take()) return;
        for (Entry& each : entry) {
            // The engine's sweepers go one after the other, by a lock; the model knows none and does with less.
            if (each.claimed.load(std::memory_order_relaxed) && each.here.exchange(false, std::memory_order_relaxed)) {
                room.make(1);
            }
        }
    }
    void claim(std::size_t which) {
        entry[which].claimed.store(true, std::memory_order_relaxed);
        if (left.note(room)) sweep();
    }
    void wait() {
        const bool taken = room.wait_unless([this] {
            if (left.look()) sweep();
            return false;
        });
        model::require(taken, "a wait ended without room");
    }
};

void claims_against_waiters(std::size_t claims, std::size_t waiters) {
    auto lane = std::make_shared<Lane>(claims);
    for (std::size_t i = 0; i < claims; ++i) model::thread([=] { lane->claim(i); });
    for (std::size_t i = 0; i < waiters; ++i) model::thread([=] { lane->wait(); });
}

// The second claim finds the flag of the first, which is swept for at the same time.
void claim_against_sweep() {
    auto lane = std::make_shared<Lane>(2);
    lane->claim(0);
    model::thread([=] { lane->claim(1); });
    model::thread([=] {
        lane->wait();
        lane->wait();
    });
}

const Program kOneWaiter{"one_waiter", [] { waiters_and_makers(1, 1, 1); }};
const Program kBatch{"two_waiters_one_batch", [] { waiters_and_makers(2, 1, 2); }, 2};
const Program kTwoMakers{"two_waiters_two_makers", [] { waiters_and_makers(2, 2, 1); }, 1};
const Program kInTurn{"one_after_the_other", one_after_the_other, 2};
const Program kToldAtOnce{"told_at_once", told_at_once};
const Program kClosed{"closed_against_a_waiter", [] { closed_against_waiters(1); }};
const Program kClosedTwo{"closed_against_two_waiters", [] { closed_against_waiters(2); }, 2};

const Program kOneClaim{"claim_against_a_waiter", [] { claims_against_waiters(1, 1); }};
const Program kTwoClaims{"two_claims_against_a_waiter", [] { claims_against_waiters(2, 1); }, 2};
const Program kClaimSweep{"claim_against_sweep", claim_against_sweep};

constexpr auto kDeadlock = "deadlock";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class RoomModel : public testing::TestWithParam<Program> {};

TEST_P(RoomModel, IsExactAndLosesNoWakeUp) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, RoomModel,
                         testing::Values(kOneWaiter, kBatch, kTwoMakers, kInTurn, kToldAtOnce, kClosed, kClosedTwo,
                                         kOneClaim, kTwoClaims, kClaimSweep),
                         kNameOf);

class RoomMutation : public testing::TestWithParam<Mutant> {};

TEST_P(RoomMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, RoomMutation,
                         testing::Values(Mutant{"has_waiters", Mutation::room_has_waiters, kOneClaim, kDeadlock},
                                         Mutant{"left_note", Mutation::left_note, kOneClaim, kDeadlock},
                                         Mutant{"left_note_fence", Mutation::left_note_fence, kClaimSweep, kDeadlock},
                                         Mutant{"left_take_fence", Mutation::left_take_fence, kClaimSweep, kDeadlock},
                                         Mutant{"made", Mutation::room_made, kOneWaiter, kDeadlock},
                                         Mutant{"make", Mutation::room_make, kOneWaiter, kDeadlock},
                                         Mutant{"recheck", Mutation::room_recheck, kOneWaiter, kDeadlock},
                                         Mutant{"seen", Mutation::room_seen, kOneWaiter, kDeadlock},
                                         Mutant{"stop", Mutation::drain_stop, kClosed, kDeadlock},
                                         Mutant{"take_by_store", Mutation::room_take_by_store, kToldAtOnce,
                                                "more came in"},
                                         Mutant{"wait_fence", Mutation::room_wait_fence, kOneWaiter, kDeadlock},
                                         Mutant{"waiters", Mutation::room_waiters, kOneWaiter, kDeadlock},
                                         Mutant{"wake_all", Mutation::room_wake_all, kClosed, kDeadlock}),
                         kNameOf);

}  // namespace
