#include "sync/report.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sync/soak.hpp"
#include "tests/apps/report_support.hpp"

namespace quarry::app {
namespace {

using test_support::kMachine;
using test_support::mentions;

using namespace std::chrono_literals;

SyncOptions options() {
    SyncOptions options;
    options.workers = 2;
    options.scenarios.assign(all_scenarios().begin(), all_scenarios().end());
    return options;
}

// What an ideal machine of one core does, as if it had been measured, beside one of 2 cores.
SyncOutcome outcome() {
    SyncOutcome outcome;
    for (const Scenario& scenario : all_scenarios()) {
        SyncOptions small = options();
        small.workers = 1;
        outcome.scenarios.push_back({scenario, play_ideal(scenario, small, 1), play_ideal(scenario, options(), 2)});
    }
    outcome.work_accuracy = 1.25;
    return outcome;
}

TEST(SyncReport, EachScenarioHasItsMarkTheIdealOneAndAHistogram) {
    const std::string text = format_sync(outcome(), options(), kMachine, Look(false));
    for (const char* word :
         {"a processor, 2 usable cores", "30 Hz, 2 worker threads, 4 ms to render, seed 1", "stale: older than 2",
          "HEAVY          F      F    2700", "MEDIUM         F      A    1350", "LIGHT, results by frames waited", "6+",
          "ideal  98.9 %", "takes 1.250 of its"}) {
        EXPECT_TRUE(mentions(text, word)) << word << "\n" << text;
    }
    EXPECT_TRUE(
        std::all_of(text.begin(), text.end(), [](char each) { return each == '\n' || (each >= ' ' && each < 127); }));
    EXPECT_TRUE(mentions(format_sync(outcome(), options(), kMachine, Look(true)), "\033["));
}

TEST(SyncReport, WorstScenarioIsTheMarkOfAll) {
    EXPECT_EQ(outcome().worst(), Grade::f);
    SyncOutcome two = outcome();
    two.scenarios.resize(1);
    EXPECT_EQ(two.worst(), Grade::a);
    EXPECT_TRUE(two.complete());
    two.scenarios[0].real.twice = 1;
    EXPECT_FALSE(two.complete());
    EXPECT_EQ(two.worst(), Grade::f);
    EXPECT_TRUE(mentions(format_sync(two, options(), kMachine, Look(false)), "1 results came twice"));
}

TEST(SyncReport, HistogramInJsonAddsUpToTheResults) {
    const auto json = nlohmann::json::parse(sync_json(outcome(), options(), kMachine));
    ASSERT_EQ(json.at("scenarios").size(), 6u);
    for (const auto& scenario : json.at("scenarios")) {
        std::uint64_t sum = scenario.at("later_than_histogram");
        for (const auto& count : scenario.at("latency_histogram")) sum += count.get<std::uint64_t>();
        EXPECT_EQ(sum, scenario.at("returned")) << scenario.at("name");
        EXPECT_TRUE(scenario.at("ledger").is_object());
        EXPECT_TRUE(scenario.at("ideal").contains("grade"));
    }
}

TEST(SoakReport, EveryFailureIsNamed) {
    SoakOutcome soak;
    soak.playback.ledger = "{}";
    EXPECT_TRUE(soak.failures().empty());
    EXPECT_TRUE(mentions(format_soak(soak, {}, kMachine, Look(false)), "It holds."));
    soak.playback.stats.submitted = 10;
    soak.playback.stats.returned = 7;
    soak.playback.twice = 2;
    soak.deliveries.deliveries = 5;
    soak.deliveries.over = 1;
    soak.deliveries.worst_excess = 3ms;
    const std::string text = format_soak(soak, {}, kMachine, Look(false));
    for (const char* word :
         {"3 of 10 jobs were lost", "2 results came twice",
          "1 of 5 deliveries went over their budget by more than one item, by up to 3.00 ms", "It does not hold."}) {
        EXPECT_TRUE(mentions(text, word)) << word << "\n" << text;
    }
    EXPECT_EQ(nlohmann::json::parse(soak_json(soak, {}, kMachine)).at("failures").size(), 3u);
}

SoakOutcome soak_with(std::uint64_t missed, std::uint64_t stale) {
    SoakOutcome soak;
    soak.playback.ledger = "{}";
    for (Playback* each : {&soak.playback, &soak.bare}) {
        each->stats.frames = 1000;
        each->stats.submitted = each->stats.returned = 10'000;
    }
    soak.playback.stats.missed_frames = missed;
    soak.playback.stats.stale = stale;
    return soak;
}

TEST(SoakReport, LateFramesAndResultsAreComparedWithABareLoop) {
    EXPECT_EQ(soak_with(0, 0).verdict(), SoakVerdict::holds);
    EXPECT_EQ(soak_with(10, 100).verdict(), SoakVerdict::holds);
    EXPECT_EQ(soak_with(40, 0).verdict(), SoakVerdict::fails);
    EXPECT_EQ(soak_with(0, 400).verdict(), SoakVerdict::fails);
    SoakOutcome both_late = soak_with(40, 400);
    both_late.bare.stats.missed_frames = 40;
    both_late.bare.stats.stale = 400;
    EXPECT_EQ(both_late.verdict(), SoakVerdict::holds);
    const std::string text = format_soak(soak_with(40, 400), {}, kMachine, Look(false));
    EXPECT_TRUE(mentions(text, "40 of 1000 frames were late; with bare threads 0 of 1000")) << text;
    EXPECT_TRUE(mentions(text, "400 of 10000 results were stale; with bare threads 0 of 10000")) << text;
    EXPECT_TRUE(mentions(text, "It does not hold.")) << text;
}

TEST(SoakReport, BusyMachineAndEarlyEndAreNotJudged) {
    SoakOutcome soak = soak_with(0, 0);
    soak.cpu = {.own = 0.5, .others = 0.5, .stolen = 0, .idle = 0};
    EXPECT_EQ(soak.verdict(), SoakVerdict::not_judged);
    EXPECT_TRUE(mentions(format_soak(soak, {}, kMachine, Look(false)),
                         "Not judged: the machine was short of CPU time: other processes had 50 % of the CPU time."));
    soak.playback.twice = 1;
    EXPECT_EQ(soak.verdict(), SoakVerdict::fails) << "that is nobody else's fault";
    SoakOutcome stopped = soak_with(0, 0);
    stopped.playback.cut_short = true;
    EXPECT_EQ(stopped.verdict(), SoakVerdict::not_judged);
    EXPECT_TRUE(mentions(format_soak(stopped, {}, kMachine, Look(false)), "Not judged: it was cut short."));
}

TEST(SyncReport, SaysWhenTheMachineWasShortOfCpuTime) {
    SyncOutcome outcome;
    ScenarioOutcome scenario{all_scenarios()[1], {}, {}};
    scenario.cpu = {.own = 0.5, .others = 0.4, .stolen = 0.1, .idle = 0};
    outcome.scenarios.push_back(scenario);
    outcome.cut_short = true;
    SyncOptions options;
    options.scenarios = {all_scenarios()[1], all_scenarios()[2]};
    const std::string text = format_sync(outcome, options, kMachine, Look(false));
    EXPECT_TRUE(mentions(text,
                         "LIGHT: the machine was short of CPU time: other processes had 40 % of the CPU time, "
                         "the machine's host 10 %"))
        << text;
    EXPECT_TRUE(mentions(text, "cut short: stopped in scenario 1 of 2")) << text;
}

TEST(SoakLoad, HasABurstAndAStallEachSecond) {
    SoakOptions options;
    options.seconds = 4;
    const auto load = make_soak_load(options);
    ASSERT_EQ(load.size(), 240u);
    for (std::size_t second = 0; second < 4; ++second) {
        int bursts = 0;
        int stalls = 0;
        for (std::size_t frame = second * 60; frame < (second + 1) * 60; ++frame) {
            bursts += load[frame].jobs.size() > 100 ? 1 : 0;
            stalls += load[frame].stall == 100ms ? 1 : 0;
        }
        EXPECT_EQ(bursts, 1) << second;
        EXPECT_EQ(stalls, 1) << second;
    }
}

}  // namespace
}  // namespace quarry::app
