// Pool::begin_frame and end_frame: the host's thread says when it computes, so that those it wakes start elsewhere.
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "quarry/jobs/caller_goes_on.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;
using impl::WakerGoesOn;

TEST(FramePhase, OnlyWithinAFrameTheHostIsTakenToGoOn) {
    Pool pool(1);
    EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::no);
    pool.begin_frame();
    EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::yes);
    pool.begin_frame();
    pool.end_frame();
    EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::no) << "frames do not nest";
    pool.end_frame();
    EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::no);
}

TEST(FramePhase, SaysNothingAboutOtherThreads) {
    Pool pool(1);
    pool.begin_frame();
    std::thread([&] { EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::no); }).join();
    Task<WakerGoesOn> of_worker = pool.submit([&] { return pool.core().waker_goes_on(impl::Worker::current()); });
    ASSERT_TRUE(eventually([&] { return of_worker.ready(); }));
    EXPECT_EQ(of_worker.get(), WakerGoesOn::yes) << "a worker always goes on";
}

TEST(FramePhase, AnyThreadMaySayThatItGoesOn) {
    Pool pool(1);
    {
        const CallerGoesOn outer;
        {
            const CallerGoesOn inner;
            EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::yes);
        }
        EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::yes) << "hints nest";
        std::thread([&] {
            EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::no) << "that was another thread";
            const CallerGoesOn here;
            EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::yes);
        }).join();
    }
    EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::no);
}

TEST(FramePhase, BelongsToTheHostsThread) {
    Pool pool(1);
    pool.begin_frame();
    std::thread([&] {
        EXPECT_THROW(pool.begin_frame(), Error);
        EXPECT_THROW(pool.end_frame(), Error);
        pool.adopt_host_thread();
        EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::no) << "the frame was another thread's";
        EXPECT_NO_THROW(pool.begin_frame());
        EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::yes);
    }).join();
    EXPECT_EQ(pool.core().waker_goes_on(nullptr), WakerGoesOn::no) << "this thread is no longer the host's";
    EXPECT_THROW(pool.end_frame(), Error);
}

// Keeps the calling thread on one CPU.
class OnOneCpu {
  public:
    explicit OnOneCpu(int cpu) {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    OnOneCpu(const OnOneCpu&) = delete;
    OnOneCpu& operator=(const OnOneCpu&) = delete;
    ~OnOneCpu() { sched_setaffinity(0, sizeof before_, &before_); }

  private:
    cpu_set_t before_{};
};

// On some machines the kernel would put it on the host's own CPU, where it waits until the host sleeps.
TEST(FramePhase, WorkerThatTheHostWakesStartsOnAnotherCpu) {
    const std::vector<int> cpus = impl::os::affinity_cpus();
    if (cpus.size() < 2) return;
    Pool pool(1);
    const OnOneCpu host(cpus.front());
    constexpr int kTries = 40;
    int elsewhere = 0;
    for (int i = 0; i < kTries; ++i) {
        ASSERT_TRUE(workers_park());
        pool.begin_frame();
        Task<int> cpu = pool.submit([] { return sched_getcpu(); });
        // The host goes on; a wait would run the job itself.
        ASSERT_TRUE(eventually([&] { return cpu.ready(); }));
        if (cpu.get() != cpus.front()) ++elsewhere;
        pool.end_frame();
    }
    // The mask is lifted just before the job starts; what the kernel does from then on is its own affair.
    EXPECT_GE(elsewhere, kTries * 9 / 10);
}

}  // namespace
}  // namespace quarry
