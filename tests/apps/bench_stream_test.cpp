#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"

namespace quarry::tests {
namespace {

using StreamJson = nlohmann::json;

// Of a row that has no peer: one that was built earlier would take its time.
TEST(BenchStream, RunWithPeersSaysSoAndGoesOnWithoutCargo) {
    const Outcome outcome = run_program_without_cargo(
        {"bench", "stream", "--filter", "hand_over", "--runs", "1", "--peers", "--json", "-"});
    expect_note_of_missing_cargo(outcome);
    const StreamJson results = StreamJson::parse(outcome.output).at("results");
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].at("name"), "hand_over");
    EXPECT_EQ(results[0].at("engine"), "quarry");
    EXPECT_EQ(results[0].at("better"), "lower");
}

TEST(BenchStream, PeersHaveTheNoiseFieldOnly) {
    const Outcome outcome = run_program(
        {"bench", "stream", "--filter", "hand_over", "--runs", "1", "--peers", "--field", "showcase", "--json", "-"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.errors.find("Rust peers left out: they have the field noise only"), std::string::npos)
        << outcome.errors;
}

}  // namespace
}  // namespace quarry::tests
