#include "stress/grade.hpp"

#include <array>

namespace quarry::app {
namespace {

constexpr double kLeastCompletion = 0.80;

using Thresholds = std::array<double, 3>;

// How many of the rising thresholds are reached.
int points_for_at_least(double value, const Thresholds& thresholds) {
    int points = 0;
    for (const double threshold : thresholds) points += value >= threshold ? 1 : 0;
    return points;
}

// How many of the falling thresholds are not exceeded; none by NaN.
int points_for_at_most(double value, const Thresholds& thresholds) {
    int points = 0;
    for (const double threshold : thresholds) points += value <= threshold ? 1 : 0;
    return points;
}

}  // namespace

BurstPoints burst_points(const BurstFigures& figures, Rules rules) {
    const Thresholds latency = rules == Rules::strict ? Thresholds{200, 100, 50} : Thresholds{10'000, 5'000, 1'000};
    return {points_for_at_least(figures.throughput, {50, 100, 200}),
            points_for_at_least(figures.completion, {kLeastCompletion, 0.95, 0.99}),
            points_for_at_most(figures.mean_latency_ms, latency)};
}

Grade burst_grade(const BurstFigures& figures, Rules rules) {
    if (figures.workers_alive < figures.workers || !(figures.completion >= kLeastCompletion)) return Grade::f;
    const int sum = burst_points(figures, rules).sum();
    if (sum >= 8) return Grade::a;
    if (sum >= 6) return Grade::b;
    return sum >= 4 ? Grade::c : Grade::f;
}

}  // namespace quarry::app
