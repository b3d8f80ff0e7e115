#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/completion/visitors.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// A Task that outlives its pool finds out, and one that visits it keeps it, under C++'s memory model (R4).
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using Atomics = model::ModelAtomics;

struct Pool {
    explicit Pool(std::uint32_t pool_serial) : serial(pool_serial) {}

    Atomics::Plain<int> state{3};
    const std::uint32_t serial;
};

// As TaskHome, which outlives the pools.
struct Home {
    quarry::impl::Visitors<Atomics> visitors;
    Atomics::Plain<Pool*> core{nullptr};
    std::unique_ptr<Pool> owner;
    Atomics::Plain<int> result{0};  // of a task of the first pool

    void open(std::uint32_t serial) {
        owner = std::make_unique<Pool>(serial);
        core.set(owner.get());
        visitors.open(serial);
    }
    void close() {
        visitors.close();
        owner.reset();
    }
    // As wait_for_task for a task that is not known to have ended.
    void visit(std::uint32_t serial) {
        if (visitors.try_enter(serial)) {
            Pool& pool = *core.get();
            model::require(pool.serial == serial, "a task visited a pool that is not its own");
            model::require(pool.state.get() == 3, "a task visited a pool that has ended");
            visitors.leave();
        } else if (serial == 1) {
            model::require(result.get() == 7, "a task was turned away before it had ended");
        }
    }
};

// The pool ends, with its last task, while others come and go.
void end_against_visitors(int visitors) {
    auto home = std::make_shared<Home>();
    home->open(1);
    model::thread([=] {
        home->result.set(7);
        home->close();
    });
    for (int i = 0; i < visitors; ++i) model::thread([=] { home->visit(1); });
}

// The home is used again, for a pool of its own serial number. visited: what the second pool's task does meanwhile.
void used_again(bool ends, bool visited) {
    auto home = std::make_shared<Home>();
    home->open(1);
    model::thread([=] {
        home->result.set(7);
        home->close();
        home->open(2);
        if (ends) home->close();
    });
    model::thread([=] { home->visit(1); });
    if (visited) model::thread([=] { home->visit(2); });
}

const Program kOne{"end_against_a_visitor", [] { end_against_visitors(1); }};
const Program kTwo{"end_against_two_visitors", [] { end_against_visitors(2); }};
const Program kAgain{"used_again", [] { used_again(false, true); }};
const Program kAgainEnds{"used_again_and_ends", [] { used_again(true, false); }};
const Program kAll{"used_again_visited_and_ends", [] { used_again(true, true); }, 2};

constexpr auto kRace = "data race";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class VisitorsModel : public testing::TestWithParam<Program> {};

TEST_P(VisitorsModel, NeverMeetTheEnd) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, VisitorsModel, testing::Values(kOne, kTwo, kAgain, kAgainEnds, kAll), kNameOf);

class VisitorsMutation : public testing::TestWithParam<Mutant> {};

TEST_P(VisitorsMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, VisitorsMutation,
                         testing::Values(Mutant{"close", Mutation::visitors_close, kOne, kRace},
                                         Mutant{"enter", Mutation::visitors_enter, kOne, kRace},
                                         Mutant{"leave", Mutation::visitors_leave, kOne, kRace},
                                         Mutant{"no_wait", Mutation::visitors_no_wait, kOne, kRace},
                                         Mutant{"open", Mutation::visitors_open, kAgain, kRace},
                                         Mutant{"serial", Mutation::visitors_serial, kAgain, "not its own"},
                                         Mutant{"wait", Mutation::visitors_wait, kOne, kRace},
                                         Mutant{"wake", Mutation::visitors_wake, kOne, "deadlock"}),
                         kNameOf);

}  // namespace
