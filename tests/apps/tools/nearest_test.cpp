#include "tools/nearest.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

const std::vector<std::string> kCommands{"bench", "stress", "sync", "bake", "demo"};
const std::vector<std::string> kOptions{"--preview", "--preview-lods", "--seed", "--json", "--octaves"};

TEST(NearestWord, IsTheOneWithTheFewestWrongLetters) {
    EXPECT_EQ(nearest_word("stres", kCommands), "stress");
    EXPECT_EQ(nearest_word("snyc", kCommands), "sync");
    EXPECT_EQ(nearest_word("BAKE", kCommands), "bake");
    EXPECT_EQ(nearest_word("bakee", kCommands), "bake");
    EXPECT_EQ(nearest_word("--octave", kOptions), "--octaves");
    EXPECT_EQ(nearest_word("-seed", kOptions), "--seed");
}

TEST(NearestWord, MayBeLongerThanWhatWasTyped) {
    EXPECT_EQ(nearest_word("--prev", kOptions), "--preview");
    EXPECT_EQ(nearest_word("be", kCommands), "bench");
}

TEST(NearestWord, IsNothingForAnotherWord) {
    EXPECT_EQ(nearest_word("dig", kCommands), std::nullopt);
    EXPECT_EQ(nearest_word("b", kCommands), std::nullopt);
    EXPECT_EQ(nearest_word("", kCommands), std::nullopt);
    EXPECT_EQ(nearest_word("--", kOptions), std::nullopt);
    EXPECT_EQ(nearest_word(std::string(100'000, 'x'), kCommands), std::nullopt);
    EXPECT_EQ(nearest_word("stress", {}), std::nullopt);
}

}  // namespace
}  // namespace quarry::app
