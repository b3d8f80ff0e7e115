// Where jobs run: each lane on its own threads, and all that a job splits off in its lane (R30).
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/worker_local.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

std::string thread_name() {
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    return name;
}

// Where the pieces of jobs of one lane were seen.
struct Sightings {
    std::atomic<int> pieces{0};
    std::atomic<int> elsewhere{0};   // on a thread that is none of the lane's
    std::atomic<int> other_lane{0};  // Pool::current_lane() said something else

    void note(Lane lane, int first_index, int last_index) {
        ++pieces;
        const int index = Pool::current_index();
        if (index < first_index || index > last_index) ++elsewhere;
        if (Pool::current_lane() != lane) ++other_lane;
    }
};

class LanesOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, LanesOf, testing::Values(1, 2, 8));

TEST_P(LanesOf, EachJobRunsOnAThreadOfItsLane) {
    Pool pool(PoolOptions{.workers = GetParam(), .io_threads = 3, .name = "crew"});
    struct Seen {
        std::string name;
        Lane lane;
        int index;
    };
    const auto look = [] { return Seen{thread_name(), Pool::current_lane(), Pool::current_index()}; };
    for (const Lane lane : {Lane::frame, Lane::background, Lane::io}) {
        for (int i = 0; i < 20; ++i) {
            Task<Seen> task = pool.submit(look, {.lane = lane});
            // Not by waiting: the caller would run it.
            ASSERT_TRUE(eventually([&] { return task.ready(); }));
            const Seen seen = task.get();
            EXPECT_EQ(seen.lane, lane);
            EXPECT_EQ(seen.name.substr(0, lane == Lane::io ? 8 : 5), lane == Lane::io ? "crew-io-" : "crew-");
            EXPECT_EQ(seen.index < GetParam(), lane != Lane::io);
        }
    }
    EXPECT_EQ(Pool::current_lane(), Lane::frame);
    const PoolStats stats = pool.stats();
    ASSERT_EQ(stats.io.size(), 3U);
    std::uint64_t io_jobs = 0;
    for (const WorkerStats& thread : stats.io) io_jobs += thread.completed;
    EXPECT_EQ(io_jobs, 20U);
}

// Scopes, joins and loops inside one another; every piece calls note().
template <class Note>
void split_work(Pool& pool, Note note, int depth) {
    note();
    if (depth == 0) return spin_for(microseconds(5));
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < 3; ++i) scope.spawn([&] { split_work(pool, note, depth - 1); });
    });
    pool.join([&] { split_work(pool, note, depth - 1); }, [&] { split_work(pool, note, depth - 1); });
    parallel_for(pool, 0, 20, [&](int) {
        note();
        spin_for(microseconds(5));
    });
}

// Frame jobs of the same kind go on all the time, so that the reserved workers are awake and looking for work.
TEST_P(LanesOf, PiecesOfAJobStayInItsLaneAndOffTheReservedWorkers) {
    const int workers = GetParam();
    for (const int reserved : {0, workers / 2, workers - 1}) {
        Pool pool(PoolOptions{.workers = workers, .reserved_for_frame = reserved});
        Sightings background;
        Sightings io;
        Sightings frame;
        for (int i = 0; i < static_cast<int>(scaled(20, 4)); ++i) {
            const auto submit = [&](Lane lane, Sightings& sightings, int first, int last) {
                pool.submit(
                    [&, lane, first, last] {
                        split_work(
                            pool, [&, lane, first, last] { sightings.note(lane, first, last); }, 2);
                    },
                    {.lane = lane});
            };
            submit(Lane::background, background, reserved, workers - 1);
            submit(Lane::io, io, workers + 256, workers + 257);
            submit(Lane::frame, frame, 0, workers - 1);
        }
        ASSERT_TRUE(eventually([&] {
            const PoolStats stats = pool.stats();
            return stats.total.spawned == stats.total.completed;
        }));
        for (const Sightings* seen : {&background, &io, &frame}) {
            EXPECT_GT(seen->pieces.load(), 0);
            EXPECT_EQ(seen->elsewhere.load(), 0) << reserved << " reserved";
            EXPECT_EQ(seen->other_lane.load(), 0) << reserved << " reserved";
        }
    }
}

TEST_P(LanesOf, BackgroundSubmittedByAReservedWorkerRunsOnAnotherOne) {
    const int workers = GetParam() + 1;
    Pool pool(PoolOptions{.workers = workers, .reserved_for_frame = workers - 1});
    Sightings sightings;
    constexpr int kJobs = 200;
    for (int i = 0; i < kJobs; ++i) {
        pool.submit([&] {
            Pool::current()->submit([&] { sightings.note(Lane::background, workers - 1, workers - 1); },
                                    {.lane = Lane::background});
        });
    }
    ASSERT_TRUE(eventually([&] { return sightings.pieces == kJobs; }));
    EXPECT_EQ(sightings.elsewhere.load(), 0);
    EXPECT_EQ(sightings.other_lane.load(), 0);
}

// The only exception: what a frame job waits for.
TEST_P(LanesOf, FrameJobMayWaitForABackgroundJobThatNobodyElseCanRun) {
    std::atomic<bool> release{false};
    std::atomic<bool> busy{false};
    Pool pool(PoolOptions{.workers = GetParam() + 1, .reserved_for_frame = GetParam()});
    pool.submit(
        [&] {
            busy = true;
            while (!release) std::this_thread::yield();
        },
        {.lane = Lane::background});
    ASSERT_TRUE(eventually([&] { return busy.load(); }));
    Task<Lane> frame = pool.submit([] {
        Task<Lane> background = Pool::current()->submit(&Pool::current_lane, {.lane = Lane::background});
        return background.get();
    });
    EXPECT_TRUE(eventually([&] { return frame.ready(); }));
    EXPECT_EQ(frame.get(), Lane::background);
    release = true;
}

TEST_P(LanesOf, IoThreadsStartWithTheFirstIoJob) {
    const int workers = GetParam();
    std::atomic<int> started{0};
    std::atomic<int> io_started{0};
    Pool pool(PoolOptions{.workers = workers, .io_threads = 5, .on_thread_start = [&](int index) {
                              ++(index < workers ? started : io_started);
                          }});
    pool.submit([] {}, {.lane = Lane::background}).get();
    ASSERT_TRUE(eventually([&] { return started == workers; }));
    EXPECT_EQ(io_started.load(), 0);
    for (int i = 0; i < 3; ++i) pool.submit([] {}, {.lane = Lane::io}).get();
    EXPECT_TRUE(eventually([&] { return io_started == 5; }));
    pool.submit([] {}, {.lane = Lane::io}).get();
    EXPECT_EQ(io_started.load(), 5);
}

// R30
TEST_P(LanesOf, IoLaneFullOfSleepersDisturbsNobody) {
    std::latch release(1);
    std::atomic<int> slept{0};
    std::atomic<int> ran{0};
    Pool pool(PoolOptions{.workers = GetParam(), .io_threads = 4});
    for (int i = 0; i < 100; ++i) {
        pool.submit(
            [&] {
                release.wait();
                ++slept;
            },
            {.lane = Lane::io});
    }
    for (int i = 0; i < 500; ++i) {
        pool.submit([&] { ++ran; });
        pool.submit([&] { ++ran; }, {.lane = Lane::background});
    }
    EXPECT_TRUE(eventually([&] { return ran == 1000; }));
    EXPECT_EQ(slept.load(), 0);
    release.count_down();
    EXPECT_TRUE(eventually([&] { return slept == 100; }));
}

TEST_P(LanesOf, IoJobsHaveTheirOwnWorkerLocal) {
    std::atomic<int> ran{0};
    Pool pool(PoolOptions{.workers = GetParam(), .io_threads = 2});
    WorkerLocal<int> counts(pool);
    for (int i = 0; i < 100; ++i) {
        for (const Lane lane : {Lane::frame, Lane::io}) {
            pool.submit(
                [&] {
                    ++counts.local();
                    ++ran;
                },
                {.lane = lane});
        }
    }
    ASSERT_TRUE(eventually([&] { return ran == 200; }));
    int sum = 0;
    counts.for_each([&](int count) { sum += count; });
    EXPECT_EQ(sum, 200);
}

// Both kinds of job are recorded as they start: the frame is 0, the background 1.
TEST(Lanes, FrameJobWaitsForOneBackgroundJobAtMost) {
    for (const bool as_chain : {false, true}) {
        std::atomic<bool> running{false};
        std::atomic<bool> go_on{false};
        StartOrder order;
        Pool pool(1);
        Task<void> background = pool.submit(
            [&] {
                order.note(1);
                running = true;
                while (!go_on) std::this_thread::yield();
            },
            {.lane = Lane::background});
        for (int i = 0; i < 50; ++i) {
            const auto more = [&] { order.note(1); };
            if (as_chain) {
                background = std::move(background).then(more);
            } else {
                pool.submit(more, {.lane = Lane::background});
            }
        }
        ASSERT_TRUE(eventually([&] { return running.load(); }));
        for (int i = 0; i < 3; ++i) pool.submit([&] { order.note(0); });
        go_on = true;
        ASSERT_TRUE(eventually([&] { return order.size() == 54; }));
        const std::vector<int> started = order.jobs();
        EXPECT_EQ(std::vector<int>(started.begin(), started.begin() + 4), (std::vector<int>{1, 0, 0, 0}))
            << (as_chain ? "continuations" : "submitted");
    }
}

TEST(Lanes, BackgroundGetsOneJobIn64UnderAPermanentFrameLoad) {
    enum class Load { injected, own_queue, chain };
    for (const Load load : {Load::injected, Load::own_queue, Load::chain}) {
        constexpr int kFrameJobs = 64 * 20;
        StartOrder order;
        {
            const auto frame_job = [&] { order.note(0); };
            BusyPool busy(PoolOptions{.workers = 1});
            for (int i = 0; i < 10; ++i) busy.pool.submit([&] { order.note(1); }, {.lane = Lane::background});
            if (load == Load::own_queue) {
                busy.pool.submit([&] {
                    for (int i = 0; i < kFrameJobs; ++i) Pool::current()->submit(frame_job);
                });
            } else if (load == Load::chain) {
                Task<void> last = busy.pool.submit(frame_job);
                for (int i = 1; i < kFrameJobs; ++i) last = std::move(last).then(frame_job);
            } else {
                for (int i = 0; i < kFrameJobs; ++i) busy.pool.submit(frame_job);
            }
        }
        const std::vector<int> started = order.jobs();
        ASSERT_EQ(started.size(), kFrameJobs + 10U);
        int frame_jobs_between = 0;
        int background_jobs = 0;
        for (const int job : started) {
            frame_jobs_between = job == 0 ? frame_jobs_between + 1 : 0;
            background_jobs += job;
            if (background_jobs == 10) break;
            ASSERT_LE(frame_jobs_between, 63) << "load " << static_cast<int>(load);
        }
    }
}

void expect_refused(const PoolOptions& options, const std::string& option, const std::string& range) {
    try {
        const Pool pool(options);
        FAIL() << option << " was accepted";
    } catch (const std::invalid_argument& refusal) {
        EXPECT_NE(std::string(refusal.what()).find(option), std::string::npos) << refusal.what();
        EXPECT_NE(std::string(refusal.what()).find(range), std::string::npos) << refusal.what();
    }
}

TEST(Lanes, OptionsOutOfRangeAreRefusedByNameAndRange) {
    for (const int workers : {1, 2, 8}) {
        for (const int reserved : {-1, workers, workers + 1, 1'000'000'000, -1'000'000'000}) {
            expect_refused(PoolOptions{.workers = workers, .reserved_for_frame = reserved}, "reserved_for_frame",
                           "0 to " + std::to_string(workers - 1));
        }
    }
    for (const int threads : {-1, 257, 1'000'000'000}) {
        expect_refused(PoolOptions{.workers = 1, .io_threads = threads}, "io_threads", "0 to 256");
    }
}

TEST(Lanes, WithoutIoThreadsThereIsNoIoLane) {
    Pool pool(PoolOptions{.workers = 1, .io_threads = 0});
    EXPECT_THROW(pool.submit([] {}, {.lane = Lane::io}), Error);
    EXPECT_THROW(pool.try_submit([] {}, {.lane = Lane::io}), Error);
    pool.submit([&] { EXPECT_THROW(pool.submit([] {}, {.lane = Lane::io}), Error); }).get();
    EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
    EXPECT_EQ(pool.stats().total.spawned, 2U);
}

TEST(Lanes, UnknownLanesAndPrioritiesAreRefused) {
    Pool pool(1);
    for (const int value : {4, 5, 128, 255}) {
        const SubmitOptions lane{.lane = static_cast<Lane>(value)};
        const SubmitOptions priority{.priority = static_cast<Priority>(value)};
        EXPECT_THROW(pool.submit([] {}, lane), std::invalid_argument);
        EXPECT_THROW(pool.try_submit([] {}, lane), std::invalid_argument);
        EXPECT_THROW(pool.submit([] {}, priority), std::invalid_argument);
        EXPECT_THROW(pool.try_submit([] {}, priority), std::invalid_argument);
        BusyPool busy(PoolOptions{.workers = 1});
        Task<int> task = busy.pool.submit([] { return 3; });
        EXPECT_THROW(task.raise(static_cast<Priority>(value)), std::invalid_argument);
        EXPECT_EQ(task.get(), 3);
    }
    EXPECT_EQ(pool.stats().total.spawned, 0U);
}

}  // namespace
}  // namespace quarry
