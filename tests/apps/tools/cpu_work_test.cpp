#include "tools/cpu_work.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

using namespace std::chrono_literals;

std::chrono::nanoseconds cpu_time_of(const CpuWork& work, std::chrono::nanoseconds length) {
    const std::chrono::nanoseconds start = thread_cpu_time();
    work.run(length);
    return thread_cpu_time() - start;
}

TEST(CpuWork, TakesTheWantedCpuTime) {
    const CpuWork work = CpuWork::calibrate();
    for (const std::chrono::nanoseconds length : {20us, 300us, 2000us, 8000us}) {
        const std::chrono::nanoseconds taken = cpu_time_of(work, length);
        EXPECT_GE(taken, length);
        EXPECT_LE(taken, length + length / 5 + 100us) << length.count();
    }
}

TEST(CpuWork, NothingIsDoneForNoLength) {
    const CpuWork work = CpuWork::calibrate();
    EXPECT_LE(cpu_time_of(work, 0ns), 100us);
    EXPECT_LE(cpu_time_of(work, -1ms), 100us);
}

// Two at once on any number of cores: each still does all of its own.
TEST(CpuWork, ThreadThatIsPutAsideStillDoesItAll) {
    const CpuWork work = CpuWork::calibrate();
    std::chrono::nanoseconds taken[3]{};
    std::thread threads[3];
    for (int each = 0; each < 3; ++each) {
        threads[each] = std::thread([&, each] { taken[each] = cpu_time_of(work, 5ms); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::chrono::nanoseconds each : taken) EXPECT_GE(each, 5ms);
}

// A wrong speed costs looks at the clock, not length.
TEST(CpuWork, WrongCalibrationIsCorrectedOnTheWay) {
    const CpuWork slow(CpuWork::calibrate().rounds_per_nanosecond() / 10);
    const std::chrono::nanoseconds taken = cpu_time_of(slow, 3ms);
    EXPECT_GE(taken, 3ms);
    EXPECT_LE(taken, 4ms);
}

}  // namespace
}  // namespace quarry::app
