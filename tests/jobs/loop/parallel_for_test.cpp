#include "quarry/jobs/parallel_for.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

class ParallelForOn : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, ParallelForOn, testing::Values(1, 2, 3, 8));

// R21: equal to the serial loop.
TEST_P(ParallelForOn, VisitsEveryIndexOnce) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 100U, 1000U, 65'537U}) {
        std::vector<std::uint8_t> visits(count);
        parallel_for(pool, std::size_t{0}, count, [&](std::size_t i) { ++visits[i]; });
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), static_cast<std::ptrdiff_t>(count));
    }
}

TEST_P(ParallelForOn, VisitsEveryIndexOnceByRanges) {
    for (const std::size_t count : {1U, 2U, 7U, 1000U, 65'537U}) {
        std::vector<std::uint8_t> visits(count + 5);
        parallel_for(pool, 5, count + 5, [&](IndexRange range) {
            EXPECT_LT(range.first, range.last);
            EXPECT_EQ(range.size(), range.last - range.first);
            for (std::size_t i = range.first; i < range.last; ++i) ++visits[i];
        });
        EXPECT_EQ(std::count(visits.begin(), visits.begin() + 5, 0), 5);
        EXPECT_EQ(std::count(visits.begin() + 5, visits.end(), 1), static_cast<std::ptrdiff_t>(count));
    }
}

TEST_P(ParallelForOn, UnevenBodiesAreAllRun) {
    constexpr int kCount = 300;
    std::vector<std::uint8_t> visits(kCount);
    parallel_for(pool, 0, kCount, [&](int i) {
        spin_for(microseconds(i % 50 == 0 ? 200 : 1));
        ++visits[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), kCount);
}

TEST_P(ParallelForOn, LoopsNestInBodies) {
    std::atomic<int> sum{0};
    parallel_for(pool, 0, 30, [&](int i) {
        parallel_for(pool, 0, i, [&](int k) {
            if (k % 3 == 0) spin_for(microseconds(5));
            sum.fetch_add(1, std::memory_order_relaxed);
        });
    });
    EXPECT_EQ(sum.load(), 30 * 29 / 2);
}

TEST(ParallelFor, TakesIndicesOfAnyIntegerType) {
    std::atomic<std::int64_t> sum{0};
    std::atomic<int> visits{0};
    Pool pool(2);
    const auto add = [&](auto i) { sum += static_cast<std::int64_t>(i); };
    parallel_for(pool, std::int8_t{-128}, std::int8_t{127}, add);
    EXPECT_EQ(sum.exchange(0), -128 * 255 + 254 * 255 / 2);
    parallel_for(pool, std::uint8_t{0}, std::uint8_t{255}, add);
    EXPECT_EQ(sum.exchange(0), 254 * 255 / 2);
    parallel_for(pool, -1000, 1000, add);
    EXPECT_EQ(sum.exchange(0), -1000);
    const auto first = std::numeric_limits<std::int64_t>::max() - 10;
    parallel_for(pool, first, std::numeric_limits<std::int64_t>::max(), [&](std::int64_t i) {
        EXPECT_GE(i, first);
        ++visits;
    });
    EXPECT_EQ(visits.load(), 10);
}

TEST(ParallelFor, EmptyAndReversedRangesRunNothing) {
    Pool pool(2);
    int visits = 0;
    parallel_for(pool, 0, 0, [&](int) { ++visits; });
    parallel_for(pool, 10, -10, [&](int) { ++visits; });
    parallel_for(pool, std::size_t{3}, std::size_t{3}, [&](IndexRange) { ++visits; });
    EXPECT_EQ(visits, 0);
}

TEST(ParallelFor, RangesOfAbsurdLengthEnd) {
    std::atomic<std::uint64_t> total{0};
    Pool pool(2);
    constexpr auto kLast = std::numeric_limits<std::size_t>::max();
    parallel_for(pool, std::size_t{0}, kLast,
                 [&](IndexRange range) { total.fetch_add(range.size(), std::memory_order_relaxed); });
    EXPECT_EQ(total.load(), kLast);
}

TEST(ParallelFor, NegativeRangesOfPiecesAreRefused) {
    Pool pool(2);
    EXPECT_THROW(parallel_for(pool, -3, 3, [](IndexRange) {}), std::invalid_argument);
}

TEST(ParallelFor, LongLoopUsesEveryWorker) {
    Pool pool(2);
    std::mutex mutex;
    std::set<std::thread::id> threads;
    EXPECT_TRUE(eventually([&] {
        parallel_for(pool, 0, 100, [&](int) {
            spin_for(microseconds(100));
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
        });
        return threads.size() >= 2;
    }));
}

// Loops run about 10 us of bodies before they wake anyone.
TEST(ParallelFor, ShortLoopWakesNobody) {
    Pool pool(2);
    std::vector<std::uint32_t> values(1000);
    constexpr int kLoops = 50;
    int woke_nobody = 0;
    for (int i = 0; i < kLoops; ++i) {
        ASSERT_TRUE(workers_park());
        const PoolStats before = pool.stats();
        parallel_for(pool, std::size_t{0}, std::size_t{kFullSpeed ? 1000 : 20}, [&](std::size_t k) { ++values[k]; });
        if (pool.stats().since(before).total.wakes == 0) ++woke_nobody;
    }
    // Not all: a loop that is interrupted has taken its 10 us.
    EXPECT_GT(woke_nobody, kLoops * 8 / 10);
}

TEST(ParallelFor, OverARangeVisitsEveryElementOnce) {
    Pool pool(2);
    std::deque<int> values(10'000, 1);
    parallel_for(pool, values, [](int& value) { value += 1; });
    EXPECT_EQ(std::count(values.begin(), values.end(), 2), 10'000);
    const std::vector<int> none;
    parallel_for(pool, none, [](int) { ADD_FAILURE() << "there is no element"; });
    EXPECT_THROW(parallel_for(pool, values, [](int) { throw std::runtime_error("on purpose"); }), std::runtime_error);
}

// For the thread sanitizer: what loops need to know about the clock is there before the first pool, and does not
// change.
TEST(ParallelFor, RunsWhileOtherPoolsComeAndGo) {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> sum{0};
    std::jthread loops([&] {
        Pool pool(2);
        while (!stop) parallel_for(pool, 0, 1000, [&](int i) { sum.fetch_add(static_cast<std::uint64_t>(i)); });
    });
    for (int i = 0; i < 50; ++i) Pool other(1);
    stop = true;
    loops.join();
    EXPECT_EQ(sum.load() % 499'500, 0U);
}

// R69 in small: a worker that becomes free while a range runs takes part of its rest.
TEST(ParallelFor, LateWorkerTakesPartOfARunningRange) {
    std::atomic<bool> release{false};
    std::atomic<int> busy{0};
    std::atomic<int> elsewhere{0};
    Pool pool(2);
    for (int i = 0; i < 2; ++i) {
        pool.submit([&] {
            ++busy;
            while (!release) std::this_thread::yield();
        });
    }
    ASSERT_TRUE(eventually([&] { return busy == 2; }));
    const auto me = std::this_thread::get_id();
    parallel_for(pool, 0, 400, [&](int i) {
        if (i == 20) release = true;
        spin_for(microseconds(100));
        if (std::this_thread::get_id() != me) ++elsewhere;
    });
    EXPECT_GT(elsewhere.load(), 0);
}

}  // namespace
}  // namespace quarry
