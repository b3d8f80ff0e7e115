#include "sync/grade.hpp"

namespace quarry::app {

Grade sync_grade(const SyncFigures& figures) {
    if (!figures.complete) return Grade::f;
    const auto within = [&](double mean, double max, double stale) {
        return figures.mean_latency <= mean && figures.max_latency <= max && figures.stale < stale;
    };
    if (within(1.0, 2, 0.05)) return Grade::a;
    return within(1.5, 3, 0.10) ? Grade::b : Grade::f;
}

}  // namespace quarry::app
