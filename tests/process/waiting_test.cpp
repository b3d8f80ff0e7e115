#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "tests/process/support.hpp"

namespace process_tests {
namespace {

class ProcessWaiting : public testing::TestWithParam<bool> {
  protected:
    static EngineOptions options(int workers) { return small_engine(workers, GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Native, ProcessWaiting, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Portable, ProcessWaiting, testing::Values(true));

JobId sleep_in_worker(Engine& engine, std::uint32_t milliseconds) {
    return engine.submit("sleep_ms", bytes_of(milliseconds)).id;
}

bool wait_for(Engine& engine, JobId id) {
    return engine.wait(std::span(&id, 1), in(kLong));
}

// How often this thread went to sleep so far.
long sleeps() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

TEST_P(ProcessWaiting, AThreadThatWaitsBesideAnotherSleepsInsteadOfLookingAgainAndAgain) {
    Engine engine(options(2));
    std::atomic<long> together = 0;
    std::vector<std::thread> threads;
    const std::vector<JobId> ids{sleep_in_worker(engine, 500), sleep_in_worker(engine, 500)};
    for (const JobId id : ids) {
        threads.emplace_back([&engine, &together, id] {
            const long before = sleeps();
            EXPECT_TRUE(wait_for(engine, id));
            together += sleeps() - before;
        });
    }
    for (std::thread& each : threads) each.join();
    // One of them listens, and looks every 10 ms; the other sleeps until a job ends.
    EXPECT_LT(together.load(), 200);
}

TEST_P(ProcessWaiting, AJobThatEndsWakesItsWaiterWhileAnotherWaitsForALongOne) {
    Engine engine(options(2));
    const JobId long_job = sleep_in_worker(engine, 1200);
    const JobId short_job = sleep_in_worker(engine, 200);
    std::atomic<bool> long_ended = false;
    std::thread first([&] {
        EXPECT_TRUE(wait_for(engine, long_job));
        long_ended = true;
    });
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(wait_for(engine, short_job));
    EXPECT_FALSE(long_ended) << "it waited for the job of the other";
    first.join();
}

TEST_P(ProcessWaiting, AWaiterListensWhenTheOneThatListenedGivesUp) {
    Engine engine(options(1));
    // Without a listener the supervisor would come by after a second. A busy machine may take that long, too.
    bool in_time = false;
    for (int attempt = 0; attempt < 3 && !in_time; ++attempt) {
        const JobId job = sleep_in_worker(engine, 400);
        const auto start = std::chrono::steady_clock::now();
        std::thread listener([&] { EXPECT_FALSE(engine.wait(std::span(&job, 1), in(100ms))) << "it takes longer"; });
        std::this_thread::sleep_for(30ms);
        EXPECT_TRUE(wait_for(engine, job));
        in_time = std::chrono::steady_clock::now() - start < 700ms;
        listener.join();
    }
    EXPECT_TRUE(in_time);
}

TEST_P(ProcessWaiting, WhoWaitsForAJobThatIsCancelledIsToldAtOnce) {
    Engine engine(options(1));
    const JobId blocker = sleep_in_worker(engine, 700);
    const JobId waiting = engine.submit("sleep_ms", bytes_of(1U)).id;
    std::atomic<bool> told = false;
    std::thread waiter([&] {
        EXPECT_TRUE(wait_for(engine, waiting));
        told = true;
    });
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(engine.cancel(waiting), quarry::process::Cancel::done);
    EXPECT_TRUE(eventually([&] { return told.load(); }, 500ms));
    waiter.join();
    EXPECT_TRUE(wait_for(engine, blocker));
}

TEST_P(ProcessWaiting, ManyThreadsThatSubmitAndWaitAllGetTheirResults) {
    constexpr int kThreads = 8;
    constexpr int kRounds = 300;
    Engine engine(options(2));
    std::atomic<int> missed = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&engine, &missed] {
            for (int round = 0; round < kRounds; ++round) {
                const Submitted job = engine.submit("echo", bytes_of(round));
                if (!job || !wait_for(engine, job.id)) ++missed;
            }
        });
    }
    std::size_t polled = 0;
    std::atomic<bool> ended = false;
    std::thread poller([&] {  // takes results from under those who wait for them
        while (!ended || polled < kThreads * kRounds) {
            polled += engine.poll().size();
            std::this_thread::sleep_for(1ms);
        }
    });
    for (std::thread& each : threads) each.join();
    ended = true;
    poller.join();
    EXPECT_EQ(missed, 0);
    EXPECT_EQ(polled, kThreads * kRounds);
    EXPECT_TRUE(engine.drain(in(kLong)));
}

}  // namespace
}  // namespace process_tests
