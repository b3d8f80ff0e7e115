#include "tools/terminal.hpp"

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

TEST(Look, BarFillsWithItsShare) {
    const Look plain(false);
    EXPECT_EQ(plain.bar(0, 4), "....");
    EXPECT_EQ(plain.bar(0.5, 4), "##..");
    EXPECT_EQ(plain.bar(1, 4), "####");
    EXPECT_EQ(plain.bar(0.0001, 4), "#...") << "a little is not nothing";
    EXPECT_EQ(plain.bar(7, 4), "####");
    EXPECT_EQ(plain.bar(-1, 4), "....");
}

TEST(Look, BarOnATerminalHasEighths) {
    const Look terminal(true);
    EXPECT_EQ(terminal.bar(0.5, 4), "██  ");
    EXPECT_EQ(terminal.bar(1, 2), "██");
    EXPECT_EQ(terminal.bar(1.0 / 8, 4), "▌   ");
    EXPECT_EQ(terminal.bar(0, 2), "  ");
}

TEST(Look, ColoursAreForTerminalsOnly) {
    EXPECT_EQ(Look(false).good("text"), "text");
    EXPECT_EQ(Look(true).good("text"), "\033[32mtext\033[0m");
    EXPECT_EQ(Look(true).graded(Grade::a, "A"), Look(true).good("A"));
    EXPECT_EQ(Look(true).graded(Grade::b, "B"), Look(true).warning("B"));
    EXPECT_EQ(Look(true).graded(Grade::c, "C"), Look(true).warning("C"));
    EXPECT_EQ(Look(true).graded(Grade::f, "F"), Look(true).bad("F"));
}

TEST(DurationText, HasThreeDigitsAndTheUnitThatSuits) {
    EXPECT_EQ(duration_text(0), "0 ns");
    EXPECT_EQ(duration_text(999), "999 ns");
    EXPECT_EQ(duration_text(1'000), "1.00 us");
    EXPECT_EQ(duration_text(12'345), "12.3 us");
    EXPECT_EQ(duration_text(999'600), "1.00 ms");
    EXPECT_EQ(duration_text(123'456'789), "123 ms");
    EXPECT_EQ(duration_text(2'830'000'000), "2.83 s");
    EXPECT_EQ(duration_text(5e12), "5000 s");
}

TEST(Grouped, ThousandsAreParted) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'000), "1,000");
    EXPECT_EQ(grouped(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace quarry::app
