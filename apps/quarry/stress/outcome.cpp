#include "stress/outcome.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

constexpr double kUnevenShares = 0.10;

std::string latency_issue(const StressOutcome& outcome, const StressOptions& options, int points) {
    const double mean = outcome.latency.mean();
    std::string text = fmt::format("Mean latency {} costs {} of 3 points.", duration_text(mean), 3 - points);
    if (options.poll == Poll::afterwards) return text + " The results waited for the end of the submission.";
    const double aim_ms = options.rules == Rules::strict ? 50 : 1'000;
    const double fitting = aim_ms / 1e3 * outcome.throughput() / 2;
    return text + fmt::format(" The queue holds {} of work; --queue {} would hold half of what is allowed.",
                              duration_text(options.queue / outcome.throughput() * 1e9),
                              std::max(1, static_cast<int>(std::min(fitting, 1e6))));
}

}  // namespace

double PlainLoop::rate() const {
    if (rates.empty()) return 0;
    return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

bool StressOutcome::is_sound() const {
    return lost() == 0 && failed == 0 && twice == 0 && refusal.is_exact();
}

double StressOutcome::completion() const {
    return submitted == 0 ? 0 : static_cast<double>(success) / static_cast<double>(submitted);
}

double StressOutcome::efficiency() const {
    const double best = plain.rate() * plain.threads;
    return best > 0 ? throughput() / best : std::nan("");
}

BurstFigures StressOutcome::figures(const StressOptions& options) const {
    return {throughput(), completion(), latency.mean() / 1e6, options.workers, workers_alive};
}

std::vector<std::string> issues_of(const StressOutcome& outcome, const StressOptions& options) {
    const BurstPoints points = burst_points(outcome.figures(options), options.rules);
    std::vector<std::string> issues;
    const auto say = [&](std::string text) { issues.push_back(std::move(text)); };
    if (outcome.cut_short) say(fmt::format("Cut short: it was stopped after {:.1f} s of bursts.", outcome.seconds));
    if (outcome.cpu.is_short()) {
        say(fmt::format("The machine was short of CPU time: {}. Run it again when nothing else runs.",
                        outcome.cpu.taken_text()));
    }
    if (outcome.workers_alive < options.workers) {
        say(fmt::format("{} of {} workers are dead.", options.workers - outcome.workers_alive, options.workers));
    }
    if (outcome.lost() != 0) say(fmt::format("{} jobs were lost: they never came back.", grouped(outcome.lost())));
    if (outcome.twice != 0) say(fmt::format("{} results came twice.", grouped(outcome.twice)));
    if (outcome.failed != 0) say(fmt::format("{} jobs gave a wrong answer or none.", grouped(outcome.failed)));
    if (outcome.rejected != 0) {
        say(fmt::format("{} submits found the queue of {} full.", grouped(outcome.rejected), options.queue));
    }
    if (const RefusalFigures& refusal = outcome.refusal; !refusal.is_exact()) {
        say(fmt::format("Of {} jobs offered to a queue with room for {}, {} were taken and {} ran.",
                        grouped(refusal.offered), grouped(refusal.fitting), grouped(refusal.accepted),
                        grouped(refusal.ran)));
    }
    if (points.throughput < 3) {
        say(fmt::format("Throughput {:.0f} jobs/s costs {} of 3 points.", outcome.throughput(), 3 - points.throughput));
    }
    if (points.latency < 3) say(latency_issue(outcome, options, points.latency));
    if (outcome.result_bound_reached) {
        say(
            fmt::format("Submission ended after {} jobs: there is no room for further results before they are "
                        "collected.",
                        grouped(outcome.submitted)));
    }
    if (!outcome.shares.empty()) {
        const auto [least, most] = std::minmax_element(outcome.shares.begin(), outcome.shares.end());
        if (*most - *least > kUnevenShares) {
            say(fmt::format("Shares of the workers differ by {:.0f} points.", (*most - *least) * 100));
        }
    }
    return issues;
}

}  // namespace quarry::app
