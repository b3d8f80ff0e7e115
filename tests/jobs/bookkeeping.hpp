#pragma once

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/stats.hpp"
#include "tests/jobs/support.hpp"

namespace quarry::test_support {

// Whether every job that the pool created has ended in exactly one way (R6), at the latest after some time.
inline ::testing::AssertionResult adds_up(const Pool& pool) {
    WorkerStats total;
    const bool in_time = eventually([&] {
        total = pool.stats().total;
        return total.spawned == total.completed + total.failed + total.cancelled;
    });
    return (in_time ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
           << total.spawned << " jobs, " << total.completed << " completed, " << total.failed << " failed, "
           << total.cancelled << " cancelled";
}

}  // namespace quarry::test_support
