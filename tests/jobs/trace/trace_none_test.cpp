#include <gtest/gtest.h>
#include <quarry/jobs/error.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/trace.hpp>

// A library without trace points.
namespace quarry {
namespace {

TEST(TraceNone, AStartSaysWhyThereIsNothingToRecord) {
    Pool pool(1);
    Trace trace;
    try {
        trace.start(pool);
        FAIL() << "a trace that records nothing has started";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "this library was built without trace points: configure it with -DQUARRY_TRACE_POINTS=ON");
    }
    EXPECT_FALSE(trace.active());
}

}  // namespace
}  // namespace quarry
