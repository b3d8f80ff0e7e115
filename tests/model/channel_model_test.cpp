#include <string>

#include <gtest/gtest.h>

#include "channel_models.hpp"
#include "model_test.hpp"

// The channel under C++'s memory model: nothing lost, nothing twice, nobody asleep for ever.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

constexpr std::uint64_t kLastLap = (std::uint64_t{1} << 43) - 1;

// Fewer preemptions than three where the search would take more than a few seconds.
const Program kFillOne{"fill_one", [] { channel_models::fill(1); }};
const Program kFillThree{"fill_three", [] { channel_models::fill(3); }};
const Program kLapsOfOne{"laps_of_one", [] { channel_models::laps(1, 0); }};
const Program kLapsOfTwo{"laps_of_two", [] { channel_models::laps(2, 0); }};
const Program kLapsWrap{"lap_count_wraps", [] { channel_models::laps(1, kLastLap); }};
const Program kTryReceivers{"two_try_receivers", channel_models::two_try_receivers};
const Program kOneSlot{"one_slot", [] { channel_models::one_slot(2); }};
const Program kOneSlotLonger{"one_slot_longer", [] { channel_models::one_slot(3); }, 1};
const Program kTwoReceivers{"two_receivers", channel_models::two_receivers, 1};
const Program kTwoSenders{"two_senders", channel_models::two_senders, 1};
const Program kTimedOut{"timed_out_receiver", channel_models::timed_out_receiver, 1};
const Program kCloseSend{"close_against_send", channel_models::close_against_send};
const Program kCloseReceivers{"close_against_waiting_receivers", channel_models::close_against_waiting_receivers, 2};
const Program kCloseCarries{"close_carries_data", channel_models::close_carries_data, 2};
const Program kCloseSenders{"close_against_waiting_senders", channel_models::close_against_waiting_senders, 2};
const Program kCloseUnderWay{"close_while_a_send_is_under_way", channel_models::close_while_a_send_is_under_way, 2};
const Program kFailingClose{"failing_send_and_close", channel_models::failing_send_and_close};
const Program kFailingSender{"failing_send_and_sender", channel_models::failing_send_and_sender};
const Program kThrowing{"values_that_throw", channel_models::values_that_throw, 2};

constexpr auto kRace = "data race";
constexpr auto kDeadlock = "deadlock";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class ChannelModel : public testing::TestWithParam<Program> {};

TEST_P(ChannelModel, LosesNothingAndLeavesNobodyAsleep) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, ChannelModel,
                         testing::Values(kFillOne, kFillThree, kLapsOfOne, kLapsOfTwo, kLapsWrap, kTryReceivers,
                                         kOneSlot, kOneSlotLonger, kTwoReceivers, kTwoSenders, kTimedOut, kCloseSend,
                                         kCloseReceivers, kCloseCarries, kCloseSenders, kCloseUnderWay, kFailingClose,
                                         kFailingSender, kThrowing),
                         kNameOf);

class ChannelMutation : public testing::TestWithParam<Mutant> {};

TEST_P(ChannelMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, ChannelMutation,
    testing::Values(Mutant{"arm", Mutation::channel_arm, kOneSlot, kDeadlock},
                    Mutant{"arm_left_out", Mutation::channel_arm_left_out, kOneSlot, kDeadlock},
                    Mutant{"close", Mutation::channel_close, kCloseCarries, kRace},
                    Mutant{"closed", Mutation::channel_closed, kCloseCarries, kRace},
                    Mutant{"over", Mutation::channel_over, kCloseCarries, kRace},
                    Mutant{"close_wake", Mutation::channel_close_wake, kCloseReceivers, kDeadlock},
                    Mutant{"drained", Mutation::channel_drained, kCloseSend, "after the end"},
                    Mutant{"marked_over", Mutation::channel_marked_over, kCloseUnderWay, kDeadlock},
                    Mutant{"pass_on", Mutation::channel_pass_on, kTwoReceivers, kDeadlock},
                    Mutant{"pass_on_over", Mutation::channel_pass_on_over, kCloseUnderWay, kDeadlock},
                    Mutant{"receive_acquire", Mutation::channel_receive_acquire, kLapsOfOne, kRace},
                    Mutant{"receive_claim", Mutation::channel_receive_claim, kTryReceivers, "after its destruction"},
                    Mutant{"send_acquire", Mutation::channel_send_acquire, kLapsOfOne, kRace},
                    Mutant{"send_claim", Mutation::channel_send_claim, kFillOne, kRace},
                    Mutant{"send_closed", Mutation::channel_send_closed, kCloseSend, "after the end"},
                    Mutant{"ticket", Mutation::channel_ticket, kCloseReceivers, kDeadlock},
                    Mutant{"turn_acquire", Mutation::channel_turn_acquire, kOneSlot, kDeadlock},
                    Mutant{"turn_other_side", Mutation::channel_turn_other_side, kTwoSenders, kDeadlock},
                    Mutant{"turn_release", Mutation::channel_turn_release, kLapsOfOne, kRace},
                    Mutant{"unclaim_wake_receiver", Mutation::channel_unclaim_wake, kFailingClose, kDeadlock},
                    Mutant{"unclaim_wake_sender", Mutation::channel_unclaim_wake, kFailingSender, kDeadlock},
                    Mutant{"wake_bump", Mutation::channel_wake_bump, kOneSlot, kDeadlock},
                    Mutant{"wake_release", Mutation::channel_wake_release, kCloseReceivers, kDeadlock}),
    kNameOf);

}  // namespace
