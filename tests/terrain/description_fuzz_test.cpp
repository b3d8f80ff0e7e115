// Whatever text comes, a description is read or refused by a DescriptionError with one line.
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/description.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/materials.hpp"
#include "tests/terrain/checkout.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

const std::filesystem::path kFolder = test_support::checkout() / "examples/terrain";

std::string example() {
    std::ostringstream text;
    text << std::ifstream(kFolder / "world.json").rdbuf();
    return text.str();
}

bool reads(const std::string& json) {
    try {
        const Described world = parse_description(json, kFolder, "fuzz.json");
        EXPECT_NE(world.field, nullptr);
        EXPECT_TRUE(std::isfinite(world.field->density_at({1, 2, 3})));
        return true;
    } catch (const DescriptionError& error) {
        const std::string message = error.what();
        EXPECT_TRUE(message.starts_with("fuzz.json: ")) << message;
        for (const char c : message) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20) << message;
        return false;
    }
}

void damage(Random& random, std::string& text) {
    static const std::vector<std::string> words{
        "{",       "}",          "[",         "]",        ",",         ":",
        "\"",      "-",          "1e400",     "1e-400",   "1e308",     "null",
        "true",    "{}",         "[]",        "0",        "-0",        "\"type\"",
        "\\u0000", "\\ud800",    "\xC3\x28",  "\xFF",     "\n",        "\"a\":1,",
        "NaN",     "4294967296", "\"noise\"", "\"b\":{}", "\"union\"", "1.5",
        "-7e18",   "\"\"",       "\"field\"", "1e-300",   "[0,0,0]",   "18446744073709551616"};
    const auto place = [&] {
        return static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(text.size()) - 1));
    };
    for (int i = random.integer(1, 3); i > 0 && !text.empty(); --i) {
        const std::size_t at = place();
        const auto length = static_cast<std::size_t>(random.integer(0, 12));
        const std::string& word =
            words[static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(words.size()) - 1))];
        switch (random.integer(0, 4)) {
            case 0:
                text.insert(at, word);
                break;
            case 1:
                text.replace(at, length, word);
                break;
            case 2:
                text.erase(at, length);
                break;
            case 3:
                text[at] = static_cast<char>(random.integer(-128, 127));
                break;
            default:
                text.insert(at, text.substr(place(), 40));
        }
    }
}

// One of its tokens replaced: most of these are JSON still, and get as far as the fields.
std::string with_another_token(Random& random, const std::string& text) {
    static const std::vector<std::string> values{"0",         "-1",
                                                 "1e6",       "1e9",
                                                 "1e-9",      "7",
                                                 "3.5",       "\"noise\"",
                                                 "\"box\"",   "null",
                                                 "[1,2,3]",   "{\"type\":\"noise\"}",
                                                 "\"blend\"", "\"island.png\""};
    std::vector<std::pair<std::size_t, std::size_t>> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const std::string separators = " \n{}[]:,";
        const std::size_t first = text.find_first_not_of(separators, at);
        if (first == std::string::npos) break;
        at = text[first] == '"' ? text.find('"', first + 1) + 1 : text.find_first_of(separators, first);
        tokens.emplace_back(first, at - first);
    }
    const auto& [first, length] =
        tokens[static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(tokens.size()) - 1))];
    std::string other = text;
    return other.replace(
        first, length,
        values[static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(values.size()) - 1))]);
}

TEST(DescriptionFuzz, DamagedTextIsReadOrRefused) {
    Random random(411);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const std::string good = example();
    ASSERT_TRUE(reads(good));
    int read = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string text = good;
        damage(random, text);
        read += reads(text) ? 1 : 0;
    }
    EXPECT_GT(read, 20);
    EXPECT_LT(read, 1800);
}

TEST(DescriptionFuzz, OtherValuesAreReadOrRefused) {
    Random random(412);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const std::string good = example();
    int read = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string text = with_another_token(random, good);
        if (round % 2 == 0) text = with_another_token(random, text);
        read += reads(text) ? 1 : 0;
    }
    EXPECT_GT(read, 100);
    EXPECT_LT(read, 1500);
}

TEST(DescriptionFuzz, TextCutAnywhereIsRefused) {
    std::string text = example();
    while (text.back() == '\n') text.pop_back();
    while (!text.empty()) {
        text.pop_back();
        ASSERT_FALSE(reads(text)) << text.size();
    }
}

TEST(DescriptionFuzz, RandomBytesAreRefused) {
    Random random(413);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const std::string alphabet = "{}[]\",:0123456789.eE+- \n\\utypefieldanoise";
    for (int round = 0; round < 4000; ++round) {
        std::string text(static_cast<std::size_t>(random.integer(0, 60)), ' ');
        for (char& c : text) {
            c = round % 2 == 0 ? static_cast<char>(random.integer(-128, 127))
                               : alphabet[static_cast<std::size_t>(
                                     random.integer(0, static_cast<std::int32_t>(alphabet.size()) - 1))];
        }
        ASSERT_FALSE(reads(text)) << text;
    }
}

}  // namespace
}  // namespace quarry::terrain
