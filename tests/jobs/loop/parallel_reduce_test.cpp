#include "quarry/jobs/parallel_reduce.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "tests/jobs/loop/algorithm_support.hpp"

namespace quarry {
namespace {

using test_support::Bang;
using test_support::Counted;
using test_support::Fuse;
using test_support::kWorkerCounts;

class ParallelReduce : public test_support::SeededTest {};

// R21
TEST_F(ParallelReduce, EqualsTheSerialSumForEverySizeAndWorkerCount) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (const std::size_t size :
             {0U, 1U, 2U, 3U, 31U, 32U, 33U, 127U, 128U, 129U, 4'095U, 4'096U, 4'097U, 1'000'000U}) {
            std::vector<std::uint64_t> values(size);
            std::ranges::generate(values, random());
            std::uint64_t expected = 0;
            for (const std::uint64_t value : values) expected += value;
            const auto sum = parallel_reduce(
                pool, std::size_t{0}, size, std::uint64_t{0}, [&](std::size_t i) { return values[i]; }, std::plus<>());
            ASSERT_EQ(sum, expected) << workers << " workers, size " << size;
        }
    }
}

TEST_F(ParallelReduce, OverARangeHasTheBitsOfTheOneOverItsIndices) {
    Pool pool(3);
    std::vector<float> values(5'001);
    std::uniform_real_distribution<float> spread(-1.0F, 1e4F);
    for (float& value : values) value = spread(random());
    const auto half = [](float value) { return value / 2; };
    const float by_index = parallel_reduce(
        pool, std::size_t{0}, values.size(), 0.5F, [&](std::size_t i) { return half(values[i]); }, std::plus<>());
    EXPECT_EQ(parallel_reduce(pool, values, 0.5F, half, std::plus<>()), by_index);
    EXPECT_EQ(parallel_reduce(pool, std::vector<float>(), 0.5F, half, std::plus<>()), 0.5F);
}

TEST_F(ParallelReduce, CombinesNeighboursInOrder) {
    const auto digit = [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); };
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (const int size : {0, 1, 2, 31, 32, 33, 1'000, 10'000}) {
            std::string expected;
            for (int i = 0; i < size; ++i) expected += digit(i);
            ASSERT_EQ(parallel_reduce(pool, 0, size, std::string(), digit, std::plus<>()), expected);
        }
    }
}

TEST_F(ParallelReduce, ATreeThatIsSharedHasTheSameShapeAsOneThatIsNot) {
    // Slow maps make workers take part; the brackets show the tree.
    const auto bracket = [](const std::string& a, const std::string& b) { return '(' + a + b + ')'; };
    const auto slow = [](int) {
        volatile int spin = 0;
        while (spin < 2'000) spin = spin + 1;
        return std::string("x");
    };
    const auto quick = [](int) { return std::string("x"); };
    Pool alone(1);
    for (const int size : {2, 129, 1'000, 5'000}) {
        const std::string expected = parallel_reduce(alone, 0, size, std::string(), quick, bracket);
        for (const int workers : kWorkerCounts) {
            Pool pool(workers);
            ASSERT_EQ(parallel_reduce(pool, 0, size, std::string(), slow, bracket), expected) << workers;
        }
    }
}

TEST_F(ParallelReduce, FloatingPointSumsHaveTheSameBitsForAnyNumberOfWorkers) {
    std::vector<double> values(300'007);
    std::normal_distribution<double> spread(0.0, 1e6);
    for (double& value : values) value = std::exp2(spread(random()) * 1e-5) * spread(random());
    std::set<std::uint64_t> results;
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (int repeat = 0; repeat < 5; ++repeat) {
            const double sum = parallel_reduce(
                pool, std::size_t{0}, values.size(), 0.0, [&](std::size_t i) { return values[i]; }, std::plus<>());
            results.insert(std::bit_cast<std::uint64_t>(sum));
        }
    }
    EXPECT_EQ(results.size(), 1U);
}

TEST_F(ParallelReduce, AnEmptyRangeGivesTheIdentityAndCallsNothing) {
    Pool pool(2);
    const auto never = [](auto) -> int { throw Bang(); };
    const auto never_both = [](int, int) -> int { throw Bang(); };
    EXPECT_EQ(parallel_reduce(pool, 5, 5, 42, never, never_both), 42);
    EXPECT_EQ(parallel_reduce(pool, 5, -5, 42, never, never_both), 42);
    EXPECT_EQ(parallel_reduce(pool, 5U, 0U, 42, never, never_both), 42);
    EXPECT_EQ(parallel_reduce(pool, 5, 0U, 42, never, never_both), 42);
}

TEST_F(ParallelReduce, TheRangeMayStartBelowZeroAndMixIndexTypes) {
    Pool pool(2);
    const auto itself = [](auto i) { return static_cast<std::int64_t>(i); };
    EXPECT_EQ(parallel_reduce(pool, -1'000, 1'001, std::int64_t{0}, itself, std::plus<>()), 0);
    EXPECT_EQ(parallel_reduce(pool, -3, std::int64_t{1}, std::int64_t{0}, itself, std::plus<>()), -6);
    EXPECT_EQ(parallel_reduce(pool, 0, std::size_t{100}, std::int64_t{0}, itself, std::plus<>()), 4'950);
    EXPECT_EQ(parallel_reduce(pool, std::int8_t{-128}, std::int8_t{127}, std::int64_t{0}, itself, std::plus<>()), -255);
    constexpr auto kTop = INT64_MAX;
    EXPECT_EQ(parallel_reduce(
                  pool, kTop - 2, kTop, std::int64_t{0}, [](auto i) { return INT64_MAX - i; }, std::plus<>()),
              3);
}

// More indices than Index can count in one direction: nobody maps them all, so the test ends what it has begun.
TEST_F(ParallelReduce, TheRangeMayBeWiderThanItsTypeGoesInOneDirection) {
    std::atomic<int> calls{0};
    std::atomic<bool> in_range{true};
    Pool pool(1);
    constexpr int kFirst = -2'000'000'000;
    const auto note = [&](int i) {
        if (i < kFirst || i >= 2'000'000'000) in_range = false;
        if (calls.fetch_add(1) >= 1'000) throw Bang();
        return i;
    };
    std::set<int> first_leaf;
    const auto collect = [&](int i) {
        first_leaf.insert(i);
        return note(i);
    };
    EXPECT_THROW(parallel_reduce(pool, kFirst, 2'000'000'000, 0, note, std::bit_xor<>()), Bang);
    EXPECT_TRUE(in_range.load());
    EXPECT_THROW(parallel_reduce(pool, kFirst, 2'000'000'000, 0, collect, std::bit_xor<>()), Bang);
    EXPECT_EQ(first_leaf, std::set<int>{kFirst});
}

// R26
TEST_F(ParallelReduce, BoundsThatDoNotGoTogetherAndEndlessRangesAreRefused) {
    Pool pool(2);
    const auto never = [](auto) -> int { throw Bang(); };
    const auto reduce = [&](auto first, auto last) { parallel_reduce(pool, first, last, 0, never, std::plus<>()); };
    const auto message_of = [&](auto first, auto last) -> std::string {
        try {
            reduce(first, last);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "nothing was thrown";
    };
    const std::string mixed = "parallel_reduce: a negative bound does not go with an unsigned one";
    EXPECT_EQ(message_of(-5, 10U), mixed);
    EXPECT_EQ(message_of(std::int64_t{-1}, std::uint64_t{1}), mixed);
    const std::string too_long = "parallel_reduce: the range is too long; allowed are PTRDIFF_MAX indices";
    EXPECT_EQ(message_of(INT64_MIN, INT64_MAX), too_long);
    EXPECT_EQ(message_of(std::int64_t{-1}, INT64_MAX), too_long);
    EXPECT_EQ(message_of(std::uint64_t{0}, UINT64_MAX), too_long);
    EXPECT_THROW(reduce(std::int64_t{0}, INT64_MAX), Bang) << "as long as can be";
}

TEST_F(ParallelReduce, TheIdentityIsCombinedOnce) {
    Pool pool(2);
    const auto one = [](int) { return 1; };
    EXPECT_EQ(parallel_reduce(pool, 0, 10'000, 5, one, std::plus<>()), 10'005);
}

TEST_F(ParallelReduce, EveryIndexIsMappedOnce) {
    std::vector<std::atomic<int>> calls(50'000);
    Pool pool(8);
    parallel_reduce(
        pool, std::size_t{0}, calls.size(), 0, [&](std::size_t i) { return calls[i].fetch_add(1); }, std::plus<>());
    for (const auto& count : calls) ASSERT_EQ(count.load(), 1);
}

TEST_F(ParallelReduce, ValuesNeedOnlyBeMovable) {
    Pool pool(3);
    const auto box = [](std::uint64_t i) { return Counted(i); };
    const auto larger = [](Counted a, Counted b) { return a < b ? std::move(b) : std::move(a); };
    EXPECT_EQ(parallel_reduce(pool, std::uint64_t{0}, std::uint64_t{5'000}, Counted(0), box, larger).value(), 4'999U);
    EXPECT_EQ(Counted::alive(), 0);
}

// R26
TEST_F(ParallelReduce, AnErrorInMapOrCombineReachesTheCallerAndLeaksNothing) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (int round = 0; round < 30; ++round) {
            const std::uint64_t size = 2 + random_below(5'000);
            Fuse fuse(static_cast<std::int64_t>(random_below(2 * size - 1)));
            const auto box = [&](std::uint64_t i) {
                fuse.burn();
                return Counted(i);
            };
            const auto larger = [&](Counted a, Counted b) {
                fuse.burn();
                return a < b ? std::move(b) : std::move(a);
            };
            EXPECT_THROW(parallel_reduce(pool, std::uint64_t{0}, size, Counted(0), box, larger), Bang);
            ASSERT_EQ(Counted::alive(), 0);
        }
    }
}

}  // namespace
}  // namespace quarry
