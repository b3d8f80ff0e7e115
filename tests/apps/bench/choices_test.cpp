#include "bench/choices.hpp"

#include <array>

#include <gtest/gtest.h>

#include "tests/apps/typed_options.hpp"
#include "tools/input.hpp"

namespace quarry::app {
namespace {

using Indices = std::vector<std::size_t>;

constexpr std::array<std::string_view, 4> kNames{"loop", "loop_small", "loop_large", "sort"};

TEST(BenchChoices, FilterMeansTheRowOfThatNameBeforeRowsThatHoldIt) {
    EXPECT_EQ(chosen_rows("loop", kNames), (Indices{0}));
    EXPECT_EQ(chosen_rows("loop_", kNames), (Indices{1, 2}));
    EXPECT_EQ(chosen_rows("", kNames), (Indices{0, 1, 2, 3}));
}

TEST(BenchChoices, FilterThatMatchesNothingNamesAllRows) {
    try {
        chosen_rows("l\noop", kNames);
        FAIL() << "accepted";
    } catch (const WrongInput& refused) {
        const std::string text = refused.what();
        EXPECT_NE(text.find("there are loop, loop_small, loop_large, sort"), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
}

TEST(BenchChoices, WorkersAreOneTwoAndAllCoresUnlessTyped) {
    EXPECT_EQ(worker_counts(std::nullopt, 1), (std::vector<int>{1, 2}));
    EXPECT_EQ(worker_counts(std::nullopt, 8), (std::vector<int>{1, 2, 8}));
    EXPECT_EQ(worker_counts(3, 8), (std::vector<int>{3}));
}

TEST(BenchChoices, NumbersAreWithinTheirRange) {
    std::optional<int> workers;
    std::optional<int> runs;
    test_support::TypedOptions options;
    declare_workers(options, workers);
    declare_runs(options, runs, "");
    options.type("--workers", "3");
    EXPECT_EQ(workers, 3);
    for (const char* wrong : {"0", "-1", "1.5", "many", "1000000"}) {
        EXPECT_THROW(options.type("--workers", wrong), WrongInput) << wrong;
    }
    options.type("--runs", "1000");
    EXPECT_EQ(runs, 1000);
    EXPECT_THROW(options.type("--runs", "0"), WrongInput);
    EXPECT_THROW(options.type("--runs", "1001"), WrongInput);
}

}  // namespace
}  // namespace quarry::app
