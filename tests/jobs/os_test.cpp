#include "jobs/os.hpp"

#include <gtest/gtest.h>

namespace quarry::impl {
namespace {

TEST(UsableCpus, ThereIsAtLeastOne) {
    EXPECT_GE(os::usable_cpus(), 1);
}

}  // namespace
}  // namespace quarry::impl
