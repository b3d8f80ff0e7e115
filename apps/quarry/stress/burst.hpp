#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

#include "stress/backend.hpp"
#include "stress/outcome.hpp"

namespace quarry::app {

// The host of the burst test: it submits as fast as the queue takes jobs, never more than `queue` that have not come
// back, and keeps the time and the whereabouts of each.
class Burst {
  public:
    // How long it waits, once it has stopped submitting, for the next answer; what has not come by then is lost.
    static constexpr std::chrono::seconds kPatience{10};

    // Room for `results` that are not collected yet; more are not submitted.
    Burst(Backend& backend, const StressOptions& options, std::size_t results);

    // Submits for that long, then collects the rest. The figures are added to the outcome.
    void run(std::chrono::nanoseconds duration, StressOutcome& outcome);

    void set_patience(std::chrono::nanoseconds patience) { patience_ = patience; }
    // Stop ends the submission; what is under way is still collected.
    void set_stop_token(std::stop_token stop_token) { stop_token_ = std::move(stop_token); }

  private:
    using Clock = std::chrono::steady_clock;

    struct Ticket {
        Clock::time_point submitted;
        std::uint64_t number = 0;
        bool out = false;
    };

    std::size_t room() const;
    std::size_t submit_some(StressOutcome& outcome);
    std::size_t collect_some(StressOutcome& outcome);
    void take(const Answer& answer, Clock::time_point now, StressOutcome& outcome);
    void submit_for(std::chrono::nanoseconds duration, StressOutcome& outcome);
    void collect_rest(StressOutcome& outcome);

    Backend& backend_;
    StressOptions options_;
    std::chrono::nanoseconds patience_ = kPatience;
    std::vector<Ticket> tickets_;
    std::vector<std::uint32_t> free_;
    std::vector<Answer> answers_;
    std::stop_token stop_token_;
    std::uint64_t number_ = 0;
};

}  // namespace quarry::app
