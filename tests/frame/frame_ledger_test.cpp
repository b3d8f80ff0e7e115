#include "quarry/frame/frame_ledger.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "quarry/frame/virtual_clock.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/trace.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

template <class F>
std::string refusal(F f) {
    try {
        f();
    } catch (const std::invalid_argument& error) {
        return error.what();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

void pass_frames(FrameLedger& ledger, int count) {
    for (int i = 0; i < count; ++i) {
        ledger.begin_frame();
        ledger.end_frame();
    }
}

TEST(FrameLedger, OptionsOutOfRangeAreRefused) {
    for (const double hertz :
         {-1.0, 0.5, 10'000.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THROW(FrameLedger({.hertz = hertz}), std::invalid_argument) << hertz;
    }
    EXPECT_EQ(refusal([] { FrameLedger({.hertz = 10'000}); }),
              "FrameLedgerOptions::hertz is 10000; allowed are 0 and 1 to 1000");
    EXPECT_EQ(refusal([] { FrameLedger({.history = 0}); }), "FrameLedgerOptions::history is 0; allowed are 1 to 65536");
    EXPECT_THROW(FrameLedger({.history = 65'537}), std::invalid_argument);
    EXPECT_NO_THROW(FrameLedger({.hertz = 1000, .history = 65'536}));
    EXPECT_EQ(refusal([] { StalePolicy::drop_older_than(-1); }),
              "StalePolicy::drop_older_than: frames is -1; allowed are 0 to 1000000");
    EXPECT_THROW(StalePolicy::drop_older_than(1'000'001), std::invalid_argument);
    EXPECT_NO_THROW(StalePolicy::drop_older_than(0));
}

// R42
TEST(FrameLedger, LatencyIsCountedInFrames) {
    FrameLedger ledger;
    EXPECT_EQ(ledger.begin_frame(), 1U);
    const std::vector<FrameTag> tags{ledger.submitted(), ledger.submitted(), ledger.submitted(), ledger.submitted()};
    EXPECT_TRUE(ledger.returned(tags[0]));
    ledger.end_frame();
    EXPECT_TRUE(ledger.returned(tags[1])) << "after its end the frame is still the latest";
    EXPECT_EQ(ledger.begin_frame(), 2U);
    EXPECT_TRUE(ledger.returned(tags[2]));
    ledger.end_frame();
    pass_frames(ledger, 3);
    EXPECT_TRUE(ledger.returned(tags[3]));

    const FrameLedgerStats stats = ledger.stats();
    EXPECT_EQ(stats.frames, 5U);
    EXPECT_EQ(stats.latency[0], 2U);
    EXPECT_EQ(stats.latency[1], 1U);
    EXPECT_EQ(stats.latency[4], 1U);
    EXPECT_EQ(std::accumulate(stats.latency.begin(), stats.latency.end(), std::uint64_t{0}), 4U);
    EXPECT_EQ(stats.latency_max, 4U);
    EXPECT_DOUBLE_EQ(stats.mean_latency(), 1.25);
}

TEST(FrameLedger, HistogramIsBoundedAndKeepsWhatLiesBeyond) {
    constexpr int last = static_cast<int>(FrameLedgerStats::kBuckets) - 1;
    FrameLedger ledger;
    ledger.begin_frame();
    const FrameTag tag = ledger.submitted();
    const FrameTag later = ledger.submitted();
    const FrameTag much_later = ledger.submitted();
    ledger.end_frame();
    pass_frames(ledger, last);
    EXPECT_TRUE(ledger.returned(tag));
    EXPECT_EQ(ledger.stats().latency[static_cast<std::size_t>(last)], 1U);
    EXPECT_EQ(ledger.stats().later_than_all, 0U);
    pass_frames(ledger, 1);
    EXPECT_TRUE(ledger.returned(later));
    pass_frames(ledger, 1000);
    EXPECT_TRUE(ledger.returned(much_later));
    EXPECT_EQ(ledger.stats().later_than_all, 2U);
    EXPECT_EQ(ledger.stats().latency_max, 1032U);
    EXPECT_DOUBLE_EQ(ledger.stats().mean_latency(), (31 + 32 + 1032) / 3.0);
}

TEST(FrameLedger, WithoutResultsMeanAndPercentAreZero) {
    const FrameLedger ledger;
    EXPECT_EQ(ledger.stats().mean_latency(), 0);
    EXPECT_EQ(ledger.stats().stale_percent(), 0);
    EXPECT_TRUE(ledger.recent().empty());
}

// R43
TEST(FrameLedger, ApplyCountsStaleResultsAndDropsNone) {
    FrameLedger ledger;
    for (int age = 0; age <= 4; ++age) {
        ledger.begin_frame();
        const FrameTag tag = ledger.submitted();
        pass_frames(ledger, age);
        EXPECT_TRUE(ledger.returned(tag)) << age;
    }
    EXPECT_EQ(ledger.stats().stale, 2U) << "3 and 4 frames";
    EXPECT_EQ(ledger.stats().dropped, 0U);
    EXPECT_DOUBLE_EQ(ledger.stats().stale_percent(), 40);
}

// R43: at the limit from both sides.
TEST(FrameLedger, DropOlderThanDropsOnlyTheOlderOnes) {
    for (const int limit : {0, 1, 2, 5}) {
        FrameLedger ledger({.stale = StalePolicy::drop_older_than(limit)});
        for (int age = 0; age <= limit + 3; ++age) {
            ledger.begin_frame();
            const FrameTag tag = ledger.submitted();
            pass_frames(ledger, age);
            EXPECT_EQ(ledger.returned(tag), age <= limit) << age << " against " << limit;
        }
        EXPECT_EQ(ledger.stats().stale, 3U);
        EXPECT_EQ(ledger.stats().dropped, 3U);
        EXPECT_EQ(ledger.stats().returned, static_cast<std::uint64_t>(limit) + 4) << "a dropped result has returned";
        EXPECT_EQ(ledger.stats().outstanding(), 0);
    }
}

// R44
TEST(FrameLedger, RemembersTheLastFramesOneByOne) {
    FrameLedger ledger({.history = 3});
    std::vector<FrameTag> waiting;
    for (unsigned frame = 1; frame <= 5; ++frame) {
        ledger.begin_frame();
        for (const FrameTag tag : waiting) EXPECT_TRUE(ledger.returned(tag));
        waiting.clear();
        for (unsigned i = 0; i < frame * 10; ++i) waiting.push_back(ledger.submitted());
        ledger.end_frame();
    }
    const std::vector<FrameRecord> recent = ledger.recent();
    ASSERT_EQ(recent.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(recent[i].frame, i + 3);
        EXPECT_EQ(recent[i].submitted, (i + 3) * 10);
        EXPECT_EQ(recent[i].returned, (i + 2) * 10);
        EXPECT_EQ(recent[i].stale, 0U);
    }
    EXPECT_EQ(ledger.stats().submitted, 150U);
    EXPECT_EQ(ledger.stats().returned, 100U);
    EXPECT_EQ(ledger.stats().outstanding(), 50);
}

TEST(FrameLedger, JobsBeforeTheFirstFrameBelongToNumberZero) {
    FrameLedger ledger;
    const FrameTag early = ledger.submitted();
    EXPECT_EQ(early, FrameTag());
    ledger.begin_frame();
    EXPECT_NE(ledger.submitted(), early);
    EXPECT_TRUE(ledger.returned(early));
    EXPECT_EQ(ledger.stats().latency[1], 1U);
    EXPECT_EQ(ledger.stats().submitted, 2U);
    ASSERT_EQ(ledger.recent().size(), 1U);
    EXPECT_EQ(ledger.recent()[0].submitted, 1U);
}

TEST(FrameLedger, WithdrawnJobsAreNotOutstanding) {
    FrameLedger ledger;
    ledger.begin_frame();
    const FrameTag tag = ledger.submitted();
    ledger.submitted();
    ledger.withdrawn(tag);
    EXPECT_EQ(ledger.stats().withdrawn, 1U);
    EXPECT_EQ(ledger.stats().outstanding(), 1);
}

// R44: deadlines at each whole period after the begin.
TEST(FrameLedger, MissedFramesAreTheDeadlinesThatPass) {
    FrameLedger ledger({.hertz = 50});
    VirtualClock time(FrameLedger::time_point(1h));
    const auto frame_of = [&](std::chrono::nanoseconds duration) {
        ledger.begin_frame(time.now());
        time += duration;
        ledger.end_frame(time.now());
        return ledger.recent().back().missed;
    };
    EXPECT_EQ(frame_of(0ns), 0U);
    EXPECT_EQ(frame_of(20ms), 0U);
    EXPECT_EQ(frame_of(20ms + 1ns), 1U);
    EXPECT_EQ(frame_of(40ms), 1U);
    EXPECT_EQ(frame_of(40ms + 1ns), 2U);
    EXPECT_EQ(frame_of(50ms), 2U);
    EXPECT_EQ(ledger.stats().overrun_frames, 4U);
    EXPECT_EQ(ledger.stats().missed_frames, 6U);
    EXPECT_EQ(ledger.stats().duration_max, 50ms);
    EXPECT_EQ(ledger.stats().duration_sum, 170ms + 2ns);
}

TEST(FrameLedger, TimeBetweenFramesIsNoOverrun) {
    FrameLedger ledger({.hertz = 50});
    VirtualClock time;
    for (int i = 0; i < 5; ++i) {
        ledger.begin_frame(time.now());
        time += 1ms;
        ledger.end_frame(time.now());
        time += 10s;  // an editor that redraws on demand
    }
    EXPECT_EQ(ledger.stats().overrun_frames, 0U);
    EXPECT_EQ(ledger.stats().duration_max, 1ms);
}

TEST(FrameLedger, WithoutARateNothingIsMissed) {
    FrameLedger ledger;
    ledger.begin_frame(FrameLedger::time_point(0s));
    ledger.end_frame(FrameLedger::time_point(1h));
    EXPECT_EQ(ledger.stats().overrun_frames, 0U);
    EXPECT_EQ(ledger.stats().duration_max, 1h);
}

TEST(FrameLedger, TimeThatGoesBackwardsMakesAFrameOfNoLength) {
    FrameLedger ledger({.hertz = 60});
    ledger.begin_frame(FrameLedger::time_point(2s));
    ledger.end_frame(FrameLedger::time_point(1s));
    EXPECT_EQ(ledger.recent().back().duration, 0ns);
    ledger.begin_frame(FrameLedger::time_point::min());
    ledger.end_frame(FrameLedger::time_point::max());
    EXPECT_EQ(ledger.stats().duration_sum, std::chrono::nanoseconds::max());
    EXPECT_EQ(ledger.stats().overrun_frames, 1U);
}

TEST(FrameLedger, ClocksDroppedStepsAreInTheBooks) {
    FrameLedger ledger;
    FrameClock clock(30);
    clock.advance(FrameClock::time_point(0s));
    ledger.note(clock.advance(FrameClock::time_point(1s)));
    ledger.note(clock.advance(FrameClock::time_point(2s)));
    EXPECT_EQ(ledger.stats().dropped_steps, 54);
    EXPECT_EQ(ledger.stats().dropped_time, clock.dropped_time());
}

TEST(FrameLedger, BeginEndsAFrameThatAnExceptionLeftOpen) {
    FrameLedger ledger({.hertz = 50});
    ledger.begin_frame(FrameLedger::time_point(0s));
    ledger.begin_frame(FrameLedger::time_point(30ms));
    ledger.end_frame(FrameLedger::time_point(31ms));
    EXPECT_EQ(ledger.stats().frames, 2U);
    EXPECT_EQ(ledger.stats().overrun_frames, 1U);
    EXPECT_EQ(ledger.stats().duration_sum, 31ms);
}

TEST(FrameLedger, EndWithoutBeginIsRefused) {
    FrameLedger ledger;
    EXPECT_EQ(refusal([&] { ledger.end_frame(); }),
              "FrameLedger::end_frame: there is no frame; begin_frame comes first");
    pass_frames(ledger, 1);
    EXPECT_THROW(ledger.end_frame(), Error);
    EXPECT_EQ(ledger.stats().frames, 1U);
}

TEST(FrameLedger, TagOfAFrameToComeIsRefusedAndNotCounted) {
    FrameLedger one;
    FrameLedger other;
    pass_frames(other, 5);
    pass_frames(one, 4);
    const FrameTag foreign = other.submitted();
    EXPECT_EQ(refusal([&] { std::ignore = one.returned(foreign); }),
              "FrameLedger::returned: the tag is of a frame that has not begun, so of another ledger");
    EXPECT_EQ(one.stats().returned, 0U);
}

// R13
TEST(FrameLedger, OnlyTheHostsThreadKeepsTheBooks) {
    FrameLedger ledger;
    ledger.begin_frame();
    Pool pool(1);
    Task<FrameTag> submitted = pool.submit([&] {
        const FrameTag tag = ledger.submitted();
        EXPECT_THROW(ledger.begin_frame(), Error);
        EXPECT_THROW(ledger.end_frame(), Error);
        EXPECT_THROW(ledger.note({}), Error);
        EXPECT_THROW(std::ignore = ledger.returned(tag), Error);
        EXPECT_THROW(ledger.stats(), Error);
        EXPECT_THROW(ledger.recent(), Error);
        std::ostringstream out;
        EXPECT_THROW(ledger.write_json(out), Error);
        EXPECT_EQ(out.str(), "");
        return tag;
    });
    ASSERT_TRUE(eventually([&] { return submitted.ready(); }));
    EXPECT_TRUE(ledger.returned(submitted.get()));
    EXPECT_EQ(ledger.stats().returned, 1U);
}

TEST(FrameLedger, BooksPassToAnotherThreadWithTheRole) {
    HostGuard host;
    FrameLedger ledger({.host = host});
    ledger.begin_frame();
    host.release();
    EXPECT_THROW(ledger.end_frame(), Error);
    std::thread([&] {
        host.adopt();
        EXPECT_NO_THROW(ledger.end_frame());
        host.release();
    }).join();
    host.adopt();
    EXPECT_EQ(ledger.stats().frames, 1U);
}

// R44: the same figures in the trace.
TEST(FrameLedger, FramesAreSpansOfATraceAndTheirFiguresItsCounters) {
    Pool pool(1);
    FrameLedger ledger({.hertz = 50, .stale = StalePolicy::drop_older_than(0)});
    const Trace trace(pool);
    ledger.begin_frame(FrameLedger::time_point(0s));
    const FrameTag tag = ledger.submitted();
    ledger.submitted();
    ledger.end_frame(FrameLedger::time_point(70ms));
    ledger.begin_frame(FrameLedger::time_point(80ms));
    EXPECT_FALSE(ledger.returned(tag));
    ledger.end_frame(FrameLedger::time_point(81ms));
    std::ostringstream out;
    trace.write(out);

    std::map<std::string, std::vector<double>> counters;
    std::vector<std::string> spans;
    const nlohmann::json file = nlohmann::json::parse(out.str());
    for (const auto& event : file["traceEvents"]) {
        if (event["ph"] == "X") spans.push_back(event["name"]);
        if (event["ph"] != "C") continue;
        for (const auto& argument : event["args"].items()) counters[event["name"]].push_back(argument.value());
    }
    EXPECT_EQ(spans, (std::vector<std::string>{"frame 1", "frame 2"})) << "each frame is a span with its number";
    EXPECT_EQ(counters["frame submitted"], (std::vector<double>{2, 0}));
    EXPECT_EQ(counters["frame returned"], (std::vector<double>{0, 1}));
    EXPECT_EQ(counters["frame stale"], (std::vector<double>{0, 1}));
    EXPECT_EQ(counters["frame latency"], std::vector<double>{1}) << "of frames in which results came back";
    EXPECT_EQ(counters["frame missed"], (std::vector<double>{3, 0}));
    EXPECT_EQ(counters["frame outstanding"], (std::vector<double>{2, 1}));
}

}  // namespace
}  // namespace quarry
