#include <string>

#include <gtest/gtest.h>

#include "completion_models.hpp"
#include "model_test.hpp"

// A scope returns when all its jobs have ended, and nobody uses it afterwards, under C++'s memory model.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

const Program kOneOther{"finished_by_another", [] { completion_models::finished_by_others(1); }};
const Program kTwoOthers{"finished_by_two_others", [] { completion_models::finished_by_others(2); }};
const Program kSpawned{"spawned_by_a_job", completion_models::spawned_by_a_job};
const Program kListed{"listed_against_the_owner", [] { completion_models::listed_against_the_owner(false); }};
const Program kListedAndStolen{"listed_and_stolen", [] { completion_models::listed_against_the_owner(true); }};
// Three preemptions would take minutes here.
const Program kListedByTwo{"listed_by_two", completion_models::listed_by_two, 2};
const Program kHidden{"hidden_in_each_other", completion_models::hidden_in_each_other};

constexpr auto kRace = "data race";
constexpr auto kDeadlock = "deadlock";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class CompletionModel : public testing::TestWithParam<Program> {};

TEST_P(CompletionModel, EndsWhenAllHasEndedAndIsNotUsedAfterwards) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, CompletionModel,
                         testing::Values(kOneOther, kTwoOthers, kSpawned, kListed, kListedAndStolen, kListedByTwo,
                                         kHidden),
                         kNameOf);

class CompletionMutation : public testing::TestWithParam<Mutant> {};

TEST_P(CompletionMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, CompletionMutation,
                         testing::Values(Mutant{"done", Mutation::completion_done, kOneOther, kRace},
                                         Mutant{"finish", Mutation::completion_finish, kOneOther, kRace},
                                         Mutant{"hold", Mutation::completion_hold, kListedAndStolen, "destruction"},
                                         Mutant{"list", Mutation::completion_list, kListed, kRace},
                                         Mutant{"list_by_load", Mutation::completion_list_by_load, kListed, kDeadlock},
                                         Mutant{"list_end", Mutation::completion_list_end, kListed, kRace},
                                         Mutant{"recheck", Mutation::wait_recheck, kOneOther, kDeadlock},
                                         Mutant{"take", Mutation::completion_take, kListed, kRace}),
                         kNameOf);

}  // namespace
