#include "tools/input.hpp"

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

template <class F>
std::string refusal(F f) {
    try {
        f();
    } catch (const WrongInput& wrong) {
        return wrong.what();
    }
    return "";
}

TEST(Input, WholeNumbersAreTakenWithinTheirRange) {
    EXPECT_EQ(whole_number("--n", "1", 1, 9), 1);
    EXPECT_EQ(whole_number("--n", "9", 1, 9), 9);
    for (const char* text : {"0", "10", "-1", "1.5", "1e3", "nan", "", " 1", "1 ", "0x1", "99999999999999999999"}) {
        EXPECT_EQ(refusal([&] { whole_number("--n", text, 1, 9); }),
                  "--n takes a whole number from 1 to 9, not '" + std::string(text) + "'");
    }
}

TEST(Input, RealNumbersAreTakenWithinTheirRange) {
    EXPECT_EQ(real_number("--x", "0.5", 0, 10), 0.5);
    EXPECT_EQ(real_number("--x", "1e1", 0, 10), 10);
    EXPECT_EQ(real_number("--x", "0", 0, 10), 0);
    for (const char* text : {"-0.1", "10.1", "nan", "-nan", "inf", "1e999", "5s", "", "1,5"}) {
        EXPECT_EQ(refusal([&] { real_number("--x", text, 0, 10); }),
                  "--x takes a number from 0 to 10, not '" + std::string(text) + "'");
    }
}

TEST(Input, WordsAreTakenFromAList) {
    constexpr std::array<std::string_view, 2> kWords{"while", "after"};
    EXPECT_EQ(one_of("--poll", "after", kWords), 1u);
    EXPECT_EQ(one_of("--poll", "WHILE", kWords), 0u);
    EXPECT_EQ(refusal([&] { one_of("--poll", "whil", kWords); }), "--poll takes while, after, not 'whil'");
    EXPECT_EQ(refusal([&] { one_of("--poll", "", kWords); }), "--poll takes while, after, not ''");
}

TEST(Input, MessageStaysOneShortLine) {
    const std::string message = refusal([] { whole_number("--n", "7\n8\x1b[31m" + std::string(1000, 'x'), 1, 9); });
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_EQ(message.find('\x1b'), std::string::npos);
    EXPECT_LT(message.size(), 120u);
}

TEST(Input, GradesAreLetters) {
    EXPECT_EQ(grade_from("--require", "B"), Grade::b);
    EXPECT_EQ(refusal([] { grade_from("--require", "D"); }), "--require takes A, B, C or F, not 'D'");
}

}  // namespace
}  // namespace quarry::app
