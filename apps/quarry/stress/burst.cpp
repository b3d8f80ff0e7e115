#include "stress/burst.hpp"

#include <algorithm>
#include <thread>

namespace quarry::app {
namespace {

// So few that a look at what has come back is never far.
constexpr std::size_t kBatch = 1'000;
constexpr std::size_t kBetweenLooks = 16;
// What the host does while the queue is full, or holds all that is left: a core less would be the workers'.
constexpr auto kNap = std::chrono::milliseconds(1);

double seconds_of(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

Burst::Burst(Backend& backend, const StressOptions& options, std::size_t results)
    : backend_(backend), options_(options), tickets_(results) {
    free_.reserve(results);
    for (std::size_t ticket = results; ticket != 0; --ticket) free_.push_back(static_cast<std::uint32_t>(ticket - 1));
}

// How many jobs the queue is sure to take: as many as it holds, less those that were submitted and have no answer yet.
std::size_t Burst::room() const {
    const auto queue = static_cast<std::size_t>(options_.queue);
    std::size_t out = tickets_.size() - free_.size();
    if (options_.poll == Poll::afterwards) out -= std::min(out, backend_.waiting());
    return std::min(free_.size(), queue - std::min(queue, out));
}

std::size_t Burst::submit_some(StressOutcome& outcome) {
    const Clock::time_point start = Clock::now();
    const std::size_t count = std::min(kBatch, room());
    Clock::time_point now = start;
    std::size_t job = 0;
    for (; job < count; ++job) {
        // The clock costs a third of a submit. Between two looks, jobs are said to be older than they are.
        if (job % kBetweenLooks == 0) now = Clock::now();
        const std::uint32_t ticket = free_.back();
        tickets_[ticket] = {now, number_, true};
        if (!backend_.submit(options_.job, number_, ticket)) {
            tickets_[ticket].out = false;
            ++outcome.rejected;
            break;
        }
        free_.pop_back();
        ++number_;
        ++outcome.submitted;
    }
    outcome.submit_seconds += seconds_of(Clock::now() - start);
    return job;
}

void Burst::take(const Answer& answer, Clock::time_point now, StressOutcome& outcome) {
    Ticket& ticket = tickets_[answer.ticket];
    if (!ticket.out) {
        ++outcome.twice;
        return;
    }
    ticket.out = false;
    ++outcome.received;
    const bool right = !answer.failed && answer.value == expected_answer(options_.job, ticket.number);
    ++(right ? outcome.success : outcome.failed);
    outcome.latency.record((now - ticket.submitted).count());
    free_.push_back(answer.ticket);
}

std::size_t Burst::collect_some(StressOutcome& outcome) {
    const Clock::time_point start = Clock::now();
    answers_.clear();
    backend_.collect(answers_);
    // One look at the clock for all of them, after the last: no answer is said to have come earlier than it did.
    const Clock::time_point now = Clock::now();
    for (const Answer& answer : answers_) take(answer, now, outcome);
    outcome.collect_seconds += seconds_of(Clock::now() - start);
    return answers_.size();
}

void Burst::submit_for(std::chrono::nanoseconds duration, StressOutcome& outcome) {
    const Clock::time_point end = Clock::now() + duration;
    while (Clock::now() < end && !stop_token_.stop_requested()) {
        const std::size_t submitted = submit_some(outcome);
        const std::size_t collected = options_.poll == Poll::during ? collect_some(outcome) : 0;
        if (options_.poll == Poll::afterwards && free_.empty()) {
            outcome.result_bound_reached = true;
            return;
        }
        if (submitted + collected < kBatch && room() == 0) std::this_thread::sleep_for(kNap);
    }
}

void Burst::collect_rest(StressOutcome& outcome) {
    Clock::time_point last = Clock::now();
    while (free_.size() != tickets_.size() && Clock::now() - last < patience_) {
        if (collect_some(outcome) != 0) {
            last = Clock::now();
        } else {
            std::this_thread::sleep_for(kNap);
        }
    }
}

void Burst::run(std::chrono::nanoseconds duration, StressOutcome& outcome) {
    const Clock::time_point start = Clock::now();
    submit_for(duration, outcome);
    collect_rest(outcome);
    outcome.seconds += seconds_of(Clock::now() - start);
    ++outcome.bursts;
}

}  // namespace quarry::app
