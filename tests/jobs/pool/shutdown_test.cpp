// Destroying a pool finishes all that was accepted, and what that submits meanwhile (R4, R6, R20).
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/when_all.hpp"
#include "tests/jobs/busy_pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

constexpr Lane kAllLanes[] = {Lane::frame, Lane::background, Lane::io, Lane::host};

class ShutdownOf : public testing::TestWithParam<int> {
  protected:
    PoolOptions options(std::size_t capacity = 10'000) const {
        return PoolOptions{
            .workers = GetParam(), .io_threads = 2, .reserved_for_frame = GetParam() / 2, .queue_capacity = capacity};
    }
};
INSTANTIATE_TEST_SUITE_P(Workers, ShutdownOf, testing::Values(1, 2, 8));

TEST_P(ShutdownOf, FinishesWhatIsQueuedInEveryLane) {
    std::atomic<int> ran{0};
    {
        BusyPool busy(options(), BusyPool::Io::busy);
        for (int i = 0; i < 100; ++i) {
            for (const Lane lane : kAllLanes) {
                busy.pool.submit([&] { ++ran; }, {.lane = lane, .priority = static_cast<Priority>(i % 4)});
            }
        }
        EXPECT_EQ(ran.load(), 0);
    }
    EXPECT_EQ(ran.load(), 400);
}

TEST_P(ShutdownOf, FinishesContinuationsThatWaitForOthers) {
    std::atomic<int> ran{0};
    {
        BusyPool busy(options(), BusyPool::Io::busy);
        for (int i = 0; i < 30; ++i) {
            for (const Lane first : kAllLanes) {
                for (const Lane second : kAllLanes) {
                    // In the lane of the first, after the second has ended in its own.
                    when_all(busy.pool.submit([&] { ++ran; }, {.lane = first}),
                             busy.pool.submit([&] { ++ran; }, {.lane = second}).then([&] { ++ran; }))
                        .then([&](auto&&) { ++ran; });
                }
            }
        }
    }
    EXPECT_EQ(ran.load(), 30 * 16 * 4);
}

// Every job starts two others in other lanes, from the moment the destructor waits.
struct Spreading {
    static void spread(Pool& pool, int depth, std::atomic<int>& ran) {
        ++ran;
        if (depth == 0) return;
        for (const int step : {1, 2}) {
            const auto lane = static_cast<Lane>((static_cast<int>(Pool::current_lane()) + step) % kLanes);
            pool.submit([&pool, depth, &ran] { spread(pool, depth - 1, ran); },
                        {.lane = lane, .priority = static_cast<Priority>(depth % 4)});
        }
    }
};

TEST_P(ShutdownOf, FinishesWhatJobsSubmitMeanwhile) {
    for (int round = 0; round < static_cast<int>(scaled(100)); ++round) {
        std::atomic<int> ran{0};
        {
            Pool pool(options(3));
            pool.submit([&] {
                if (round % 2 == 0) spin_for(microseconds(50));
                Spreading::spread(pool, 6, ran);
            });
        }
        ASSERT_EQ(ran.load(), 127);
    }
}

TEST_P(ShutdownOf, RefusesThoseOutsideAndNotItsOwnJobs) {
    auto pool = std::make_unique<Pool>(options());
    Pool& same = *pool;
    std::atomic<bool> release{false};
    std::atomic<int> ran{0};
    Task<void> keeps_it_open = pool->submit([&] {
        while (!release) std::this_thread::yield();
        same.submit([&] { ++ran; });
        same.scope([&](Scope& scope) { scope.spawn([&] { ++ran; }); });
    });
    std::jthread outside([&] {
        // Only the pool's own jobs may submit from the moment it begins.
        ASSERT_TRUE(eventually([&] {
            try {
                same.submit([&] { ++ran; });
                --ran;
                return false;
            } catch (const Error&) {
                return true;
            }
        }));
        for (const Lane lane : kAllLanes) {
            EXPECT_THROW(same.submit([&] { ++ran; }, {.lane = lane}), Error);
            EXPECT_THROW(same.try_submit([&] { ++ran; }, {.lane = lane}), Error);
        }
        Pool other(1);
        other.submit([&] { EXPECT_THROW(same.submit([&] { ++ran; }), Error); }).get();
        release = true;
    });
    std::this_thread::sleep_for(milliseconds(5));
    pool.reset();
    outside.join();
    keeps_it_open.get();
    EXPECT_EQ(ran.load(), 2);
}

// A hook is no job: nobody would wait for what it submits. It is refused, not lost.
TEST_P(ShutdownOf, RefusesWhatTheHookOfAStoppingThreadSubmits) {
    for (int round = 0; round < 20; ++round) {
        std::atomic<Pool*> pool_of_hook{nullptr};
        std::atomic<int> accepted{0};
        std::atomic<int> refused{0};
        std::atomic<int> ran{0};
        PoolOptions with_hook = options();
        with_hook.on_thread_stop = [&](int) {
            for (const Lane lane : kAllLanes) {
                try {
                    (void)pool_of_hook.load()->submit([&] { ++ran; }, {.lane = lane});
                    ++accepted;
                } catch (const Error&) {
                    ++refused;
                }
            }
        };
        {
            Pool pool(with_hook);
            pool_of_hook = &pool;
            for (int i = 0; i < 10; ++i) pool.submit([&] { --ran; }).get();
        }
        EXPECT_EQ(accepted.load(), 0);
        EXPECT_EQ(refused.load(), GetParam() * static_cast<int>(std::size(kAllLanes)));
        EXPECT_EQ(ran.load(), -10);
    }
}

// A hook may also run while a pool ends that has just begun: what it submits then is run or refused.
TEST_P(ShutdownOf, RunsOrRefusesWhatTheHookOfAStartingThreadSubmits) {
    for (int round = 0; round < static_cast<int>(scaled(300)); ++round) {
        std::atomic<Pool*> pool_of_hook{nullptr};
        std::atomic<int> accepted{0};
        std::atomic<int> refused{0};
        std::atomic<int> ran{0};
        PoolOptions with_hook = options();
        with_hook.on_thread_start = [&](int) {
            // The one that makes the pool may be about to destroy it.
            while (pool_of_hook == nullptr) std::this_thread::yield();
            try {
                (void)pool_of_hook.load()->submit([&] { ++ran; });
                ++accepted;
            } catch (const Error&) {
                ++refused;
            }
        };
        {
            Pool pool(with_hook);
            pool_of_hook = &pool;
        }
        EXPECT_EQ(accepted + refused, GetParam());
        ASSERT_EQ(ran.load(), accepted.load()) << "round " << round;
    }
}

// The last thing a job does may be to end something that submits.
class SubmitsAtItsEnd {
  public:
    SubmitsAtItsEnd(Pool& to, Lane where, std::atomic<int>& count) : pool_(&to), lane_(where), ran_(&count) {}
    SubmitsAtItsEnd(SubmitsAtItsEnd&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), lane_(other.lane_), ran_(other.ran_) {}
    SubmitsAtItsEnd& operator=(SubmitsAtItsEnd&&) = delete;
    ~SubmitsAtItsEnd() {
        if (pool_ != nullptr) pool_->submit([&ran = *ran_] { ++ran; }, {.lane = lane_});
    }

  private:
    Pool* pool_;
    Lane lane_;
    std::atomic<int>* ran_;
};

TEST_P(ShutdownOf, DestructorOfAClosureMaySubmit) {
    for (int round = 0; round < static_cast<int>(scaled(200)); ++round) {
        for (const Lane lane : kAllLanes) {
            std::atomic<int> ran{0};
            {
                Pool pool(options());
                pool.submit([last = SubmitsAtItsEnd(pool, lane, ran)] {});
            }
            ASSERT_EQ(ran.load(), 1) << "lane " << static_cast<int>(lane);
        }
    }
}

TEST_P(ShutdownOf, DestructorOfAResultNobodyTookMaySubmit) {
    for (int round = 0; round < static_cast<int>(scaled(500)); ++round) {
        for (const Lane lane : kAllLanes) {
            std::atomic<int> ran{0};
            {
                Pool pool(options());
                pool.submit([&] { return SubmitsAtItsEnd(pool, lane, ran); });
            }
            ASSERT_EQ(ran.load(), 1) << "lane " << static_cast<int>(lane);
        }
    }
}

TEST_P(ShutdownOf, ErrorHandlerMaySubmit) {
    for (int round = 0; round < static_cast<int>(scaled(500)); ++round) {
        std::atomic<int> ran{0};
        {
            PoolOptions with_handler = options();
            Pool* self = nullptr;
            with_handler.on_error = [&](const std::exception_ptr&) {
                self->submit([&] { ++ran; }, {.lane = Lane::io});
            };
            Pool pool(with_handler);
            self = &pool;
            pool.submit([] { throw std::runtime_error("reported"); });
        }
        ASSERT_EQ(ran.load(), 1);
    }
}

TEST_P(ShutdownOf, ThousandsOfPoolsComeAndGoWithAFewIoJobs) {
    std::atomic<int> ran{0};
    const int pools = static_cast<int>(scaled(2000, 20));
    for (int i = 0; i < pools; ++i) {
        Pool pool(PoolOptions{.workers = std::min(GetParam(), 2), .io_threads = 2});
        for (int k = 0; k < i % 4; ++k) pool.submit([&] { ++ran; }, {.lane = Lane::io});
        if (i % 3 == 0) pool.submit([&] { ++ran; }, {.lane = Lane::background});
    }
    EXPECT_EQ(ran.load(), pools / 4 * 6 + (pools + 2) / 3);
}

TEST(Shutdown, ErrorOfATaskThatOutlivesItsPoolIsReportedOnce) {
    std::atomic<int> reported{0};
    {
        Task<void> dropped_late;
        Task<void> asked_for;
        {
            Pool pool(PoolOptions{.workers = 1, .on_error = [&](const std::exception_ptr&) { ++reported; }});
            dropped_late = pool.submit([] { throw std::runtime_error("dropped"); });
            asked_for = pool.submit([] { throw std::runtime_error("asked for"); });
        }
        EXPECT_EQ(reported.load(), 0);
        EXPECT_THROW(asked_for.get(), std::runtime_error);
        EXPECT_EQ(reported.load(), 0);
        std::jthread([task = std::move(dropped_late)] {}).join();
        EXPECT_EQ(reported.load(), 1);
    }
    EXPECT_EQ(reported.load(), 1);
}

TEST(Shutdown, JobMayDeleteItsOwnTask) {
    for (int round = 0; round < static_cast<int>(scaled(2000)); ++round) {
        std::atomic<bool> stored{false};
        std::atomic<int> alive{0};
        auto task = std::make_unique<std::optional<Task<std::shared_ptr<int>>>>();
        {
            Pool pool(2);
            *task = pool.submit([&] {
                while (!stored) std::this_thread::yield();
                task.reset();
                ++alive;
                return std::shared_ptr<int>(new int(1), [&](const int* value) {
                    --alive;
                    delete value;
                });
            });
            stored = true;
        }
        EXPECT_EQ(alive.load(), 0) << "nobody could ask for the result";
        EXPECT_EQ(task, nullptr);
    }
}

TEST(Shutdown, TaskMayBeDroppedByAnotherThreadAtAnyTime) {
    for (int round = 0; round < static_cast<int>(scaled(3000)); ++round) {
        auto token = std::make_shared<int>(1);
        auto pool = std::make_unique<Pool>(1);
        Task<std::shared_ptr<int>> task = pool->submit([token] { return token; });
        std::jthread dropper([dropped = std::move(task)]() mutable { dropped = {}; });
        pool.reset();
        dropper.join();
        EXPECT_EQ(token.use_count(), 1);
    }
}

}  // namespace
}  // namespace quarry
