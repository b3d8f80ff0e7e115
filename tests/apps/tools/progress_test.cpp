#include "tools/progress.hpp"

#include <gtest/gtest.h>

#include "harness/terminal.hpp"

namespace quarry::app {
namespace {

TEST(ProgressText, HasShareRateAndTimeLeft) {
    EXPECT_EQ(progress_text(Look(false), "meshing", "chunks", {1000, 4000}, 2),
              "meshing  ####............  25 %  1,000 of 4,000 chunks, 500/s, 0:06 left");
    EXPECT_EQ(progress_text(Look(false), "meshing", "chunks", {10, 40'000}, 1),
              "meshing  #...............   0 %  10 of 40,000 chunks, 10/s, 1:06:39 left");
}

TEST(ProgressText, SaysNothingThatIsNotKnown) {
    EXPECT_EQ(progress_text(Look(false), "looking", "chunks", {0, 0}, 65.5), "looking  1:05 so far");
    EXPECT_EQ(progress_text(Look(false), "meshing", "chunks", {0, 40}, 5),
              "meshing  ................   0 %  0 of 40 chunks");
    EXPECT_EQ(progress_text(Look(false), "meshing", "chunks", {40, 40}, 4),
              "meshing  ################ 100 %  40 of 40 chunks, 10/s");
}

TEST(ProgressText, OfWorkThatTakesAKnownTimeHasTheTime) {
    EXPECT_EQ(progress_text(Look(false), "stress", kMilliseconds, {2'500, 65'000}, 2.5),
              "stress   #...............   4 %  0:02 of 1:05");
}

TEST(Fitting, LeavesTheLastColumnFreeAndCutsNoCharacter) {
    EXPECT_EQ(bench::fitting("12345", 6), "12345");
    EXPECT_EQ(bench::fitting("12345", 5), "1234");
    EXPECT_EQ(bench::fitting("\u2588\u2588\u2588", 3), "\u2588\u2588");
    EXPECT_EQ(bench::fitting("\u2588", 1), "");
    EXPECT_EQ(bench::fitting("text", 0), "");
    EXPECT_EQ(bench::characters_in("a\u2588b"), 3u);
}

}  // namespace
}  // namespace quarry::app
