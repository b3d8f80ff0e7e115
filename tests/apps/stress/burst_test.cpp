#include "stress/burst.hpp"

#include <chrono>
#include <deque>
#include <functional>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

using namespace std::chrono_literals;

// Answers at the next collect, unless told to misbehave.
class FakeBackend final : public Backend {
  public:
    std::size_t capacity = 1'000'000;
    std::function<bool(std::uint64_t)> loses = [](std::uint64_t) { return false; };
    std::function<bool(std::uint64_t)> is_wrong = [](std::uint64_t) { return false; };
    std::function<bool(std::uint64_t)> fails = [](std::uint64_t) { return false; };
    std::function<bool(std::uint64_t)> repeats = [](std::uint64_t) { return false; };
    std::size_t most_waiting = 0;
    std::size_t collects = 0;

    bool submit(JobKind kind, std::uint64_t number, std::uint32_t ticket) override {
        if (answers_.size() >= capacity) return false;
        if (loses(number)) return true;
        const std::uint32_t value = expected_answer(kind, number) + (is_wrong(number) ? 1 : 0);
        answers_.push_back({ticket, value, fails(number)});
        if (repeats(number)) answers_.push_back(answers_.back());
        most_waiting = std::max(most_waiting, answers_.size());
        return true;
    }
    void collect(std::vector<Answer>& answers) override {
        ++collects;
        answers.insert(answers.end(), answers_.begin(), answers_.end());
        answers_.clear();
    }
    std::size_t waiting() override { return answers_.size(); }
    int workers_alive() override { return 4; }
    std::vector<std::uint64_t> worker_jobs() override { return {1, 1, 1, 1}; }

  private:
    std::deque<Answer> answers_;
};

StressOutcome burst(FakeBackend& backend, const StressOptions& options, std::size_t results) {
    StressOutcome outcome;
    Burst burst(backend, options, results);
    burst.set_patience(30ms);
    burst.run(10ms, outcome);
    return outcome;
}

TEST(Burst, EveryJobIsSubmittedReceivedAndRight) {
    FakeBackend backend;
    const StressOutcome outcome = burst(backend, {}, 10'000);
    EXPECT_GT(outcome.submitted, 1'000u);
    EXPECT_EQ(outcome.received, outcome.submitted);
    EXPECT_EQ(outcome.success, outcome.submitted);
    EXPECT_EQ(outcome.failed + outcome.lost() + outcome.rejected + outcome.twice, 0u);
    EXPECT_EQ(outcome.latency.count(), outcome.received);
    EXPECT_EQ(outcome.completion(), 1.0);
    EXPECT_GT(outcome.submit_seconds, 0);
    EXPECT_GT(outcome.collect_seconds, 0);
    EXPECT_LE(outcome.submit_seconds + outcome.collect_seconds, outcome.seconds);
    EXPECT_GE(outcome.seconds, 0.01);
}

TEST(Burst, LostJobsAreCountedOnceTheWaitIsOver) {
    FakeBackend backend;
    backend.loses = [](std::uint64_t number) { return number % 100 == 7; };
    const StressOutcome outcome = burst(backend, {}, 1'000);
    EXPECT_GT(outcome.lost(), 0u);
    EXPECT_EQ(outcome.received + outcome.lost(), outcome.submitted);
    EXPECT_LT(outcome.completion(), 1.0);
    EXPECT_FALSE(issues_of(outcome, {}).empty());
}

TEST(Burst, WrongAnswersAndErrorsAreFailures) {
    FakeBackend backend;
    backend.is_wrong = [](std::uint64_t number) { return number == 3; };
    backend.fails = [](std::uint64_t number) { return number == 5; };
    const StressOutcome outcome = burst(backend, {}, 1'000);
    EXPECT_EQ(outcome.failed, 2u);
    EXPECT_EQ(outcome.success + 2, outcome.received);
    EXPECT_EQ(outcome.lost(), 0u);
}

TEST(Burst, ResultsThatComeTwiceCountOnce) {
    FakeBackend backend;
    backend.repeats = [](std::uint64_t number) { return number == 11; };
    const StressOutcome outcome = burst(backend, {}, 1'000);
    EXPECT_EQ(outcome.twice, 1u);
    EXPECT_EQ(outcome.received, outcome.submitted);
}

TEST(Burst, FullQueueIsCountedAndTheJobIsTriedAgain) {
    FakeBackend backend;
    backend.capacity = 10;
    const StressOutcome outcome = burst(backend, {}, 1'000);
    EXPECT_GT(outcome.rejected, 0u);
    EXPECT_GT(outcome.submitted, 10u);
    EXPECT_EQ(outcome.success, outcome.submitted);
}

// R35: results wait for the last submit, and the room for them is kept.
TEST(Burst, PolledAfterwardsNothingIsCollectedBeforeTheEnd) {
    FakeBackend backend;
    StressOptions options;
    options.poll = Poll::afterwards;
    const StressOutcome outcome = burst(backend, options, 500);
    EXPECT_TRUE(outcome.result_bound_reached);
    EXPECT_EQ(outcome.submitted, 500u);
    EXPECT_EQ(backend.most_waiting, 500u);
    EXPECT_EQ(backend.collects, 1u);
    EXPECT_EQ(outcome.success, 500u);
}

TEST(Burst, TwoBurstsAddUp) {
    FakeBackend backend;
    StressOutcome outcome;
    Burst burst(backend, {}, 100);
    burst.run(2ms, outcome);
    const std::uint64_t first = outcome.received;
    burst.run(2ms, outcome);
    EXPECT_GT(outcome.received, first);
    EXPECT_EQ(outcome.bursts, 2);
    EXPECT_EQ(outcome.success, outcome.submitted);
}

}  // namespace
}  // namespace quarry::app
