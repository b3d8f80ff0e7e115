#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/trace/ring.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// R28: whoever copies a ring while its owner records gets whole events, in order, without a gap.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

constexpr std::size_t kWords = 2;
using Ring = quarry::impl::EventRing<model::ModelAtomics, kWords>;

// Both words of event number i are i + 1; an empty slot has zeros.
struct State {
    explicit State(std::size_t events) : ring(events) {}
    Ring ring;
    std::uint64_t recorded = 0;  // begun

    void record() {
        ++recorded;
        ring.record({recorded, recorded});
    }
    void copy() const {
        const Ring::Copy copy = ring.copy();
        std::uint64_t expected = copy.first;
        for (const Ring::Words& event : copy.events) {
            ++expected;
            model::require(event[0] == event[1], "an event is torn");
            model::require(event[0] == expected, "an event is not the one it should be");
        }
        model::require(expected <= recorded, "an event was copied that was never recorded");
    }
};

void copied_while_recording(std::size_t events, int records, int readers) {
    auto state = std::make_shared<State>(events);
    model::thread([=] {
        for (int i = 0; i < records; ++i) state->record();
    });
    for (int i = 0; i < readers; ++i) {
        model::thread([=] { state->copy(); });
    }
    model::after([=] {
        state->copy();
        const auto kept = static_cast<std::uint64_t>(state->ring.copy().events.size());
        model::require(kept == std::min<std::uint64_t>(events, state->recorded), "a ring at rest keeps too few");
        model::require(state->ring.lost() == state->recorded - kept, "the lost ones are counted wrong");
    });
}

const Program kNoOverwrite{"no_overwrite", [] { copied_while_recording(2, 2, 1); }};
const Program kOverwrite{"overwrite", [] { copied_while_recording(1, 4, 1); }};
const Program kTwoKept{"two_kept", [] { copied_while_recording(2, 4, 1); }};
const Program kTwoReaders{"two_readers", [] { copied_while_recording(1, 3, 2); }, 2};

const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class TraceModel : public testing::TestWithParam<Program> {};

TEST_P(TraceModel, CopiesHoldWholeEventsInOrder) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, TraceModel, testing::Values(kNoOverwrite, kOverwrite, kTwoKept, kTwoReaders),
                         kNameOf);

class TraceMutation : public testing::TestWithParam<Mutant> {};

TEST_P(TraceMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, TraceMutation,
                         testing::Values(Mutant{"copy", Mutation::trace_copy, kNoOverwrite, "an event is"},
                                         Mutant{"overwrite", Mutation::trace_overwrite, kOverwrite, "an event is"},
                                         Mutant{"publish", Mutation::trace_publish, kNoOverwrite, "an event is"},
                                         Mutant{"recheck", Mutation::trace_recheck, kOverwrite, "an event is"},
                                         Mutant{"recheck_fence", Mutation::trace_recheck_fence, kOverwrite,
                                                "an event is"}),
                         kNameOf);

}  // namespace
