// R28: what a trace costs where jobs are not tiny.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>
#include <quarry/jobs/trace.hpp>

#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// Takes about a microsecond, by its work and not by the clock, which is what a trace makes dearer.
void work_a_microsecond(std::uint64_t steps) {
    std::uint64_t state = steps;
    for (std::uint64_t i = 0; i < steps; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    asm volatile("" : : "r"(state));  // Clang leaves out what nobody reads, a store to an atomic as well
}

// CPU time of all threads: what else the machine does is no part of it.
double seconds_of_scope(Pool& pool, int jobs, std::uint64_t steps) {
    const double begun = process_cpu_seconds();
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < jobs; ++i) scope.spawn([steps] { work_a_microsecond(steps); });
    });
    return process_cpu_seconds() - begun;
}

// The shortest of several runs decides: one that was held up would make the jobs too short.
std::uint64_t steps_of_a_microsecond(Pool& pool) {
    constexpr int kJobs = 1'000;
    std::uint64_t steps = 100;
    for (;; steps += steps / 8) {
        double shortest = 1;
        for (int run = 0; run < 9; ++run) shortest = std::min(shortest, seconds_of_scope(pool, kJobs, steps));
        if (shortest >= kJobs * 1e-6) return steps;
    }
}

TEST(TraceTiming, JobsOfAMicrosecondCostNoMoreThanATenthMoreWithATrace) {
    constexpr int kJobs = 4'000;  // fit into the queue: none is run in place by its spawner
    Pool pool(1);
    const std::uint64_t steps = steps_of_a_microsecond(pool);
    const double ratio = best_of(5, 1.1, [&] {
        std::vector<double> off;
        std::vector<double> on;
        for (int round = 0; round < 15; ++round) {
            off.push_back(seconds_of_scope(pool, kJobs, steps));
            const Trace trace(pool);
            (void)seconds_of_scope(pool, 100, steps);  // its first events
            on.push_back(seconds_of_scope(pool, kJobs, steps));
        }
        std::printf("a job of %.2f us costs %.0f ns more with a trace\n", median(off) * 1e6 / kJobs,
                    (median(on) - median(off)) * 1e9 / kJobs);
        return median(on) / median(off);
    });
    // The sanitizers make the few steps of a record many.
    EXPECT_LE(ratio, kSanitized ? 2.0 : 1.1);
}

}  // namespace
}  // namespace quarry
