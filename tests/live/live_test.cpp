#include <gtest/gtest.h>

#include "stress/run.hpp"
#include "sync/run.hpp"
#include "sync/soak.hpp"

// The graded tests of the program, shortly, for a build without the program: the thread sanitizer sees the loops of a
// real host with a pool and an inbox. What they measure says nothing there; what they count must hold.

namespace quarry::app {
namespace {

constexpr int kCores = 2;

TEST(Live, StressLosesNothing) {
    for (const JobKind job : {JobKind::compute_heavy, JobKind::mixed}) {
        for (const Poll poll : {Poll::during, Poll::afterwards}) {
            StressOptions options;
            options.duration = 0.2;
            options.queue = 500;
            options.job = job;
            options.poll = poll;
            const StressOutcome outcome = run_stress(options, kCores);
            EXPECT_GT(outcome.submitted, 100u);
            EXPECT_EQ(outcome.success, outcome.submitted);
            EXPECT_TRUE(outcome.is_sound());
        }
    }
}

TEST(Live, SyncLosesNothing) {
    SyncOptions options;
    for (const Scenario& scenario : all_scenarios()) {
        if (scenario.name != "HEAVY") options.scenarios.push_back(scenario);
    }
    for (Scenario& scenario : options.scenarios) scenario.frames = 45;
    options.hertz = 120;
    options.render_ms = 0.5;
    options.workers = 3;
    const SyncOutcome outcome = run_sync(options, kCores);
    EXPECT_TRUE(outcome.complete());
    EXPECT_EQ(outcome.scenarios.size(), options.scenarios.size());
}

TEST(Live, SoakLosesNothingAndCanBeCutShort) {
    SoakOptions options;
    options.seconds = 1;
    options.render_ms = 1;
    options.workers = 3;
    const SoakOutcome outcome = run_soak(options);
    EXPECT_EQ(outcome.playback.stats.outstanding(), 0u);
    EXPECT_EQ(outcome.playback.twice, 0u);
    EXPECT_EQ(outcome.bare.stats.outstanding(), 0u);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(run_soak(options, {nullptr, stop.get_token()}).verdict(), SoakVerdict::not_judged);
}

}  // namespace
}  // namespace quarry::app
