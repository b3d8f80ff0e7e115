#include <string>

#include <gtest/gtest.h>

#include "model_test.hpp"
#include "parking_models.hpp"

// No wake-up is lost, under C++'s memory model; rights to wake are neither lost nor made.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

// Fewer preemptions than three where the search would take more than a few seconds.
const Program kOneSleeper{"one_spawner_one_sleeper", [] { parking_models::spawners_and_sleepers(1, 1); }};
const Program kTwoSpawners{"two_spawners_one_sleeper", [] { parking_models::spawners_and_sleepers(2, 1); }, 2};
const Program kTwoSleepers{"one_spawner_two_sleepers", [] { parking_models::spawners_and_sleepers(1, 2); }, 2};
const Program kTwoAndTwo{"two_spawners_two_sleepers", [] { parking_models::spawners_and_sleepers(2, 2); }, 1};
const Program kLastSearcher{"last_searcher", parking_models::last_searcher, 2};
const Program kGettingUp{"getting_up_against_a_waker", parking_models::getting_up_against_a_waker, 2};
const Program kStale{"stale_notification", parking_models::stale_notification};
const Program kTwoTell{"notified_by_two", parking_models::notified_by_two, 2};
const Program kCarriesData{"notification_carries_data", parking_models::notification_carries_data};

constexpr auto kRace = "data race";
constexpr auto kDeadlock = "deadlock";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class ParkingModel : public testing::TestWithParam<Program> {};

TEST_P(ParkingModel, LosesNoWakeUp) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, ParkingModel,
                         testing::Values(kOneSleeper, kTwoSpawners, kTwoSleepers, kTwoAndTwo, kLastSearcher, kGettingUp,
                                         kStale, kTwoTell, kCarriesData),
                         kNameOf);

class ParkingMutation : public testing::TestWithParam<Mutant> {};

TEST_P(ParkingMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, ParkingMutation,
    testing::Values(Mutant{"consume", Mutation::parker_consume, kCarriesData, kRace},
                    Mutant{"consume_by_store", Mutation::parker_consume_by_store, kTwoTell, kDeadlock},
                    Mutant{"notify", Mutation::parker_notify, kCarriesData, kRace},
                    Mutant{"notify_once", Mutation::parker_notify_once, kTwoTell, kDeadlock},
                    Mutant{"notify_without_wake", Mutation::parker_notify_without_wake, kTwoTell, kDeadlock},
                    Mutant{"announce", Mutation::sleep_announce, kOneSleeper, kDeadlock},
                    Mutant{"last_searcher", Mutation::sleep_last_searcher, kLastSearcher, kDeadlock},
                    Mutant{"publish_fence", Mutation::sleep_publish_fence, kOneSleeper, kDeadlock},
                    Mutant{"recheck", Mutation::sleep_recheck, kOneSleeper, kDeadlock},
                    Mutant{"right_kept", Mutation::sleep_right_kept, kGettingUp, kDeadlock},
                    Mutant{"work_found", Mutation::sleep_work_found, kLastSearcher, kDeadlock}),
    kNameOf);

}  // namespace
