#include "quarry/frame/frame_clock.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/frame/virtual_clock.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

std::string message_of(double hertz, int max_catch_up) {
    try {
        const FrameClock clock(hertz, max_catch_up);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(FrameClock, RatesOutsideOfOneToAThousandHertzAreRefused) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double hertz : {0.0, -0.0, -60.0, 0.999, 1000.001, 10'000.0, infinity, -infinity}) {
        EXPECT_THROW(FrameClock clock(hertz), std::invalid_argument) << hertz;
    }
    EXPECT_THROW(FrameClock clock(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
    EXPECT_THROW(FrameClock clock(std::numeric_limits<double>::denorm_min()), std::invalid_argument);
    EXPECT_EQ(message_of(10'000, 3), "FrameClock: hertz is 10000; allowed are 1 to 1000");
    EXPECT_NO_THROW(FrameClock(1));
    EXPECT_NO_THROW(FrameClock(1000));
}

TEST(FrameClock, CatchUpOutsideOfOneToAThousandIsRefused) {
    for (const int steps : {0, -1, 1001, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
        EXPECT_THROW(FrameClock clock(30, steps), std::invalid_argument) << steps;
    }
    EXPECT_EQ(message_of(30, 0), "FrameClock: max_catch_up is 0; allowed are 1 to 1000");
    EXPECT_NO_THROW(FrameClock(30, 1));
    EXPECT_NO_THROW(FrameClock(30, 1000));
}

TEST(FrameClock, FirstAdvanceStartsTheClockAndRunsNothing) {
    FrameClock clock(30);
    const VirtualClock time(FrameClock::time_point(1000h));
    const FrameSteps first = clock.advance(time.now());
    EXPECT_EQ(first.steps, 0);
    EXPECT_EQ(first.dropped_steps, 0);
    EXPECT_EQ(clock.next_step(), time.now() + 33'333'334ns);
}

TEST(FrameClock, StepIsDueAtItsNanosecondAndNotOneEarlier) {
    FrameClock clock(30);
    const FrameClock::time_point start(7h);
    clock.advance(start);
    EXPECT_EQ(clock.advance(start + 33'333'333ns).steps, 0);
    EXPECT_EQ(clock.advance(start + 33'333'334ns).steps, 1);
    EXPECT_EQ(clock.advance(start + 66'666'666ns).steps, 0);
    EXPECT_EQ(clock.advance(start + 66'666'667ns).steps, 1);
    EXPECT_EQ(clock.advance(start + 99'999'999ns).steps, 0);
    EXPECT_EQ(clock.advance(start + 100ms).steps, 1) << "three periods are a tenth of a second to the nanosecond";
}

TEST(FrameClock, RealClockIsTheDefault) {
    FrameClock clock(1000, 1);
    clock.advance();
    const auto end = FrameClock::Clock::now() + 20s;
    while (clock.steps() == 0 && FrameClock::Clock::now() < end) clock.advance();
    EXPECT_GE(clock.steps(), 1);
}

struct Rate {
    double hertz;
    std::int64_t steps_a_day;
};
class FrameClockOverADay : public testing::TestWithParam<Rate> {};
INSTANTIATE_TEST_SUITE_P(Rates, FrameClockOverADay,
                         testing::Values(Rate{30, 2'592'000}, Rate{60, 5'184'000}, Rate{120, 10'368'000},
                                         Rate{59.94, 5'178'816}, Rate{60'000.0 / 1001, 5'178'821}));

// R41: no drift. Asked about every 4 ms, at irregular moments.
TEST_P(FrameClockOverADay, HasExactlyItsSteps) {
    FrameClock clock(GetParam().hertz);
    VirtualClock time(FrameClock::time_point(123'456'789ns));
    const auto start = time.now();
    clock.advance(start);
    std::minstd_rand random(1);
    while (time.now() - start < 24h) {
        time += nanoseconds(1'000'000 + random() % 6'000'000);
        const double period = 1e9 / GetParam().hertz;
        const auto passed = static_cast<double>((time.now() - start).count());
        clock.advance(time.now());
        ASSERT_NEAR(static_cast<double>(clock.steps()) * period, passed - period / 2, period / 2 + 1);
    }
    const double last = static_cast<double>((time.now() - start).count());
    EXPECT_EQ(clock.steps(), static_cast<std::int64_t>(last * GetParam().hertz / 1e9));
    EXPECT_GE(clock.steps(), GetParam().steps_a_day);
    EXPECT_LE(clock.steps(), GetParam().steps_a_day + 1);
    EXPECT_EQ(clock.dropped_steps(), 0);
}

TEST_P(FrameClockOverADay, EndsOnTheSecond) {
    FrameClock clock(GetParam().hertz, 1000);
    const FrameClock::time_point start(0ns);
    clock.advance(start);
    for (auto passed = 1s; passed < 24h; ++passed) clock.advance(start + passed);
    EXPECT_EQ(clock.advance(start + 24h - 1us).dropped_steps, 0);
    EXPECT_LT(clock.steps(), GetParam().steps_a_day + (GetParam().hertz > 59.94 && GetParam().hertz < 60 ? 1 : 0));
    clock.advance(start + 24h + 1ns);  // the double 59.94 is less than the decimal one, by a picosecond a day
    EXPECT_EQ(clock.steps(), GetParam().steps_a_day);
}

// R41: at most 3 steps after a stall, the rest dropped and counted, and the steps stay where they were in time.
TEST(FrameClock, StallRunsThreeStepsAndDropsTheRest) {
    FrameClock clock(30);
    const FrameClock::time_point start(5s);
    clock.advance(start);
    const FrameSteps after = clock.advance(start + 1s + 10ms);
    EXPECT_EQ(after.steps, 3);
    EXPECT_EQ(after.dropped_steps, 27);
    EXPECT_EQ(after.dropped_time, 900ms);
    EXPECT_NEAR(clock.interpolation(), 0.3, 1e-6) << "the grid is kept";
    EXPECT_EQ(clock.advance(start + 1s + 33'333'333ns).steps, 0);
    EXPECT_EQ(clock.advance(start + 1s + 33'333'334ns).steps, 1);
    EXPECT_EQ(clock.steps(), 4);
    EXPECT_EQ(clock.dropped_steps(), 27);
    EXPECT_EQ(clock.dropped_time(), 900ms);
}

TEST(FrameClock, ShortStallIsCaughtUpWithoutLoss) {
    FrameClock clock(30, 3);
    const FrameClock::time_point start(5s);
    clock.advance(start);
    const FrameSteps after = clock.advance(start + 133'333'333ns);
    EXPECT_EQ(after.steps, 3);
    EXPECT_EQ(after.dropped_steps, 0);
    EXPECT_EQ(clock.advance(start + 133'333'334ns).steps, 1);
}

// R41: an hour of a host that stalls every second.
TEST(FrameClock, AnHourWithStallsAddsUp) {
    for (const double hertz : {30.0, 59.94, 144.0}) {
        FrameClock clock(hertz, 3);
        VirtualClock time(FrameClock::time_point(42h));
        const auto start = time.now();
        clock.advance(start);
        std::minstd_rand random(7);
        std::int64_t run = 0;
        std::int64_t dropped = 0;
        nanoseconds dropped_time{};
        while (time.now() - start < 1h) {
            time += random() % 60 == 0 ? nanoseconds(100'000'000 + random() % 400'000'000)
                                       : nanoseconds(random() % 30'000'000);
            const FrameSteps now = clock.advance(time.now());
            ASSERT_LE(now.steps, 3);
            ASSERT_TRUE(now.dropped_steps == 0 || now.steps == 3);
            run += now.steps;
            dropped += now.dropped_steps;
            dropped_time += now.dropped_time;
        }
        EXPECT_GT(dropped, 1000);
        EXPECT_EQ(run, clock.steps());
        EXPECT_EQ(dropped, clock.dropped_steps());
        EXPECT_EQ(dropped_time, clock.dropped_time());
        const auto passed = static_cast<double>((time.now() - start).count());
        EXPECT_EQ(run + dropped, static_cast<std::int64_t>(passed * hertz / 1e9)) << "each one run or dropped";
        EXPECT_NEAR(static_cast<double>(dropped_time.count()), static_cast<double>(dropped) / hertz * 1e9,
                    static_cast<double>(dropped))
            << "to a nanosecond a stall";
    }
}

TEST(FrameClock, InterpolationGrowsFromStepToStepAndNeverReachesOne) {
    FrameClock clock(59.94);
    VirtualClock time(FrameClock::time_point(1h));
    EXPECT_EQ(clock.interpolation(), 0) << "not started";
    clock.advance(time.now());
    EXPECT_EQ(clock.interpolation(), 0);
    double last = 0;
    for (int i = 0; i < 100'000; ++i) {
        time += 170'001ns;
        const bool stepped = clock.advance(time.now()).steps == 1;
        const double factor = clock.interpolation();
        ASSERT_GE(factor, 0);
        ASSERT_LT(factor, 1);
        ASSERT_EQ(factor < last, stepped);
        last = factor;
    }
}

TEST(FrameClock, InterpolationOfALaterMomentStopsBelowOne) {
    FrameClock clock(50);
    const FrameClock::time_point start(1h);
    clock.advance(start);
    clock.advance(start + 25ms);
    EXPECT_DOUBLE_EQ(clock.interpolation(), 0.25);
    EXPECT_DOUBLE_EQ(clock.interpolation(start + 35ms), 0.75);
    EXPECT_LT(clock.interpolation(start + 40ms), 1);
    EXPECT_GT(clock.interpolation(start + 40ms), 0.999'999);
    EXPECT_LT(clock.interpolation(FrameClock::time_point::max()), 1);
    EXPECT_EQ(clock.interpolation(start + 15ms), 0);
    EXPECT_EQ(clock.interpolation(FrameClock::time_point::min()), 0);
}

TEST(FrameClock, SmallJumpBackIsWaitedOut) {
    FrameClock clock(50);
    const FrameClock::time_point start(1h);
    clock.advance(start);
    EXPECT_EQ(clock.advance(start + 45ms).steps, 2);
    for (const auto back : {44ms, 20ms, 0ms, 30ms}) {
        EXPECT_EQ(clock.advance(start + back).steps, 0) << back.count();
        EXPECT_DOUBLE_EQ(clock.interpolation(), 0.25) << "the picture does not move back";
    }
    EXPECT_EQ(clock.times_backwards(), 4);
    EXPECT_EQ(clock.advance(start + 59ms).steps, 0);
    EXPECT_EQ(clock.advance(start + 60ms).steps, 1) << "no time was counted twice";
    EXPECT_EQ(clock.steps(), 3);
    EXPECT_EQ(clock.dropped_steps(), 0);
}

TEST(FrameClock, LargeJumpBackGoesOnFromThere) {
    FrameClock clock(50, 3);
    const FrameClock::time_point start(100h);
    clock.advance(start);
    EXPECT_EQ(clock.advance(start + 45ms).steps, 2);
    const FrameClock::time_point earlier(1h);
    EXPECT_EQ(clock.advance(earlier).steps, 0);
    EXPECT_EQ(clock.times_backwards(), 1);
    EXPECT_DOUBLE_EQ(clock.interpolation(), 0.25) << "as far into a step as before";
    EXPECT_EQ(clock.advance(earlier + 14ms).steps, 0);
    EXPECT_EQ(clock.advance(earlier + 15ms).steps, 1);
    const FrameSteps forth = clock.advance(start + 60ms);
    EXPECT_EQ(forth.steps, 3) << "the way forth is a stall like any other";
    EXPECT_EQ(forth.dropped_time, (start + 60ms) - (earlier + 15ms) - 60ms - 5ms);
    EXPECT_EQ(clock.dropped_time(), forth.dropped_time);
}

TEST(FrameClock, NeverRunsNegativeOrTooManyStepsWhateverTheTime) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        FrameClock clock(seed % 2 == 0 ? 1000 : 1, 2);
        std::mt19937_64 random(seed);
        std::int64_t dropped = 0;
        for (int i = 0; i < 10'000; ++i) {
            const FrameClock::time_point now(nanoseconds(static_cast<std::int64_t>(random())));
            const FrameSteps steps = clock.advance(now);
            ASSERT_GE(steps.steps, 0) << "seed " << seed;
            ASSERT_LE(steps.steps, 2);
            ASSERT_GE(steps.dropped_steps, 0);
            ASSERT_GE(steps.dropped_time, 0ns);
            ASSERT_GE(clock.interpolation(), 0);
            ASSERT_LT(clock.interpolation(), 1);
            dropped += steps.dropped_steps;
        }
        EXPECT_EQ(clock.dropped_steps(), dropped);
        EXPECT_GT(clock.times_backwards(), 1000);
        EXPECT_GT(clock.dropped_time(), 0ns);
    }
}

TEST(FrameClock, LastsFromTheFirstMomentToTheLast) {
    FrameClock clock(1000, 1);
    clock.advance(FrameClock::time_point::min());
    const FrameSteps all = clock.advance(FrameClock::time_point::max());
    EXPECT_EQ(all.steps, 1);
    EXPECT_EQ(all.dropped_steps, 18'446'744'073'708);
    EXPECT_EQ(all.dropped_time, nanoseconds::max()) << "as long as a duration can say";
    EXPECT_EQ(clock.next_step(), FrameClock::time_point::max());
    EXPECT_EQ(clock.advance(FrameClock::time_point::max()).steps, 0);
    clock.advance(FrameClock::time_point::min());
    EXPECT_EQ(clock.times_backwards(), 1);
    EXPECT_EQ(clock.advance(FrameClock::time_point::min() + 1ms).steps, 1);
}

}  // namespace
}  // namespace quarry
