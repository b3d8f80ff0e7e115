#include "stress/report.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/report_support.hpp"

namespace quarry::app {
namespace {

using test_support::kMachine;
using test_support::mentions;

StressOutcome good_outcome() {
    StressOutcome outcome;
    outcome.submitted = 1'000'000;
    outcome.received = 1'000'000;
    outcome.success = 1'000'000;
    outcome.workers_alive = 4;
    outcome.bursts = 2;
    outcome.seconds = 2;
    outcome.submit_seconds = 0.2;
    outcome.collect_seconds = 0.1;
    for (int value = 1; value <= 100; ++value) outcome.latency.record(value * 100'000);
    outcome.shares = {0.25, 0.25, 0.26, 0.24};
    outcome.worker_jobs = {250'000, 250'000, 260'000, 240'000};
    outcome.plain.rates = {300'000, 325'000};
    outcome.plain.threads = 2;
    return outcome;
}

std::string issues_in_one(const StressOutcome& outcome, const StressOptions& options) {
    std::string all;
    for (const std::string& issue : issues_of(outcome, options)) all += issue + "\n";
    return all;
}

TEST(StressReport, PlainOneHasEveryFigureAndNoControlCharacter) {
    const std::string text = format_stress(good_outcome(), {}, kMachine, Look(false));
    for (const char* word : {"a processor",
                             "A, ready",
                             "9 of 9 points",
                             "4 of 4 alive",
                             "submitted 1,000,000",
                             "received 1,000,000",
                             "success 1,000,000",
                             "failed 0",
                             "lost 0",
                             "rejected 0",
                             "500,000 jobs/s",
                             "0.80 of 2 plain loops of 312,500 jobs/s (3.20 us a job)",
                             "mean 5.05 ms",
                             "min 100 us",
                             "p50 5",
                             "p99 9.9",
                             "max 10.0 ms",
                             "10.0 % of the host's time, 200 ns a job",
                             " 5.0 % of the host's time, 100 ns a job",
                             "worker 2",
                             "26.0 % of the jobs, 260,000",
                             "issues      none",
                             "verdict     Ready"}) {
        EXPECT_TRUE(mentions(text, word)) << word << "\n" << text;
    }
    EXPECT_TRUE(
        std::all_of(text.begin(), text.end(), [](char each) { return each == '\n' || (each >= ' ' && each < 127); }));
}

TEST(StressReport, TerminalGetsColoursAndBlocks) {
    const std::string text = format_stress(good_outcome(), {}, kMachine, Look(true));
    EXPECT_TRUE(mentions(text, "\033[32m"));
    EXPECT_TRUE(mentions(text, "█"));
}

TEST(StressReport, EveryFailureIsAnIssueInWords) {
    StressOutcome outcome = good_outcome();
    outcome.received = 999'000;
    outcome.success = 998'900;
    outcome.failed = 100;
    outcome.twice = 7;
    outcome.rejected = 12;
    outcome.workers_alive = 3;
    outcome.shares = {0.4, 0.2, 0.2, 0.2};
    const std::string issues = issues_in_one(outcome, {});
    for (const char* word :
         {"1 of 4 workers are dead", "1,000 jobs were lost", "7 results came twice", "100 jobs gave a wrong answer",
          "12 submits found the queue of 10000 full", "differ by 20 points"}) {
        EXPECT_TRUE(mentions(issues, word)) << word << "\n" << issues;
    }
    const std::string text = format_stress(outcome, {}, kMachine, Look(false));
    EXPECT_TRUE(mentions(text, "F, failed")) << text;
    EXPECT_TRUE(mentions(text, "verdict     Not to be used")) << text;
}

TEST(StressReport, LateResultsSayWhichQueueWouldDo) {
    StressOutcome outcome = good_outcome();
    outcome.latency.record(100'000'000'000);
    const std::string issues = issues_in_one(outcome, {});
    EXPECT_TRUE(mentions(issues, "Mean latency 995 ms costs 3 of 3 points")) << issues;
    EXPECT_TRUE(mentions(issues, "holds 20.0 ms of work; --queue 12500")) << issues;
    StressOptions after;
    after.poll = Poll::afterwards;
    EXPECT_TRUE(mentions(issues_in_one(outcome, after), "waited for the end of the submission"));
}

TEST(StressReport, EndOfRoomForResultsIsSaid) {
    StressOutcome outcome = good_outcome();
    outcome.result_bound_reached = true;
    EXPECT_TRUE(mentions(issues_in_one(outcome, {}), "Submission ended after 1,000,000 jobs"));
}

TEST(StressReport, NothingReceivedIsNoReasonToCrash) {
    StressOutcome outcome;
    outcome.submitted = 10;
    outcome.workers_alive = 4;
    outcome.seconds = 1;
    const std::string text = format_stress(outcome, {}, kMachine, Look(false));
    EXPECT_TRUE(mentions(text, "F, failed")) << text;
    EXPECT_TRUE(mentions(text, "mean -")) << text;
    const auto json = nlohmann::json::parse(stress_json(outcome, {}, kMachine));
    EXPECT_TRUE(json.at("latency_ms").at("mean").is_null());
    EXPECT_EQ(json.at("lost"), 10);
}

TEST(StressReport, JsonHasTheFiguresAsNamedKeys) {
    const auto json = nlohmann::json::parse(stress_json(good_outcome(), {}, kMachine));
    EXPECT_EQ(json.at("schema"), 1);
    EXPECT_EQ(json.at("program"), "quarry stress");
    EXPECT_EQ(json.at("machine").at("cores"), 2);
    EXPECT_EQ(json.at("options").at("job"), "compute_heavy");
    EXPECT_EQ(json.at("options").at("poll"), "while");
    EXPECT_EQ(json.at("options").at("backend"), "threads");
    EXPECT_EQ(json.at("grade"), "A");
    EXPECT_EQ(json.at("status"), "ready");
    EXPECT_EQ(json.at("workers_alive"), 4);
    EXPECT_EQ(json.at("throughput"), 500'000);
    EXPECT_EQ(json.at("plain_loop").at("efficiency"), 0.8);
    EXPECT_EQ(json.at("latency_ms").at("mean"), 5.05);
    EXPECT_EQ(json.at("submit").at("ns_per_job"), 200);
    EXPECT_EQ(json.at("collect").at("ns_per_job"), 100);
    EXPECT_EQ(json.at("shares").size(), 4u);
    EXPECT_TRUE(json.at("issues").empty());
    EXPECT_TRUE(json.at("verdict").is_string());
}

TEST(StressReport, RefusalThatIsNotExactIsAnIssueAndAFailure) {
    StressOutcome outcome = good_outcome();
    outcome.refusal = {.offered = 10'100, .fitting = 10'000, .accepted = 10'000, .ran = 10'000};
    EXPECT_TRUE(outcome.is_sound());
    outcome.refusal.accepted = 10'001;
    EXPECT_FALSE(outcome.is_sound());
    EXPECT_TRUE(mentions(issues_in_one(outcome, {}), "room for 10,000, 10,001 were taken and 10,000 ran"));
    outcome.refusal.accepted = 10'000;
    outcome.refusal.ran = 9'999;
    EXPECT_FALSE(outcome.is_sound());
}

TEST(StressReport, BusyMachineAndEarlyEndAreSaid) {
    StressOutcome outcome = good_outcome();
    outcome.cpu = {.own = 0.5, .others = 0.4, .stolen = 0.1, .idle = 0};
    outcome.cut_short = true;
    const std::string issues = issues_in_one(outcome, {});
    EXPECT_TRUE(mentions(issues,
                         "The machine was short of CPU time: other processes had 40 % of the CPU time, "
                         "the machine's host 10 %"))
        << issues;
    EXPECT_TRUE(mentions(issues, "Cut short")) << issues;
    EXPECT_TRUE(mentions(format_stress(outcome, {}, kMachine, Look(false)), ", on a machine short of CPU time"));
}

}  // namespace
}  // namespace quarry::app
