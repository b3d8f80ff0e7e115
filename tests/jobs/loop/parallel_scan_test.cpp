#include "quarry/jobs/parallel_scan.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "tests/jobs/loop/algorithm_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using test_support::Bang;
using test_support::Fuse;
using test_support::kWorkerCounts;

// One type for the operations below: the scan is compiled once for all of them, not once for each.
template <class T>
using Combine = std::function<T(const T&, const T&)>;

class ParallelScan : public test_support::SeededTest {};

// R21
TEST_F(ParallelScan, EqualsTheSerialPrefixForEverySizeAndWorkerCount) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (const std::size_t size : {0U, 1U, 2U, 15U, 16U, 17U, 33U, 1'023U, 1'024U, 1'025U, 70'000U, 262'143U,
                                       262'144U, 262'145U, 1'000'000U}) {
            if (!test_support::kFullSpeed && size == 1'000'000U) continue;
            std::vector<std::uint64_t> input(size);
            std::ranges::generate(input, random());
            std::vector<std::uint64_t> expected(size);
            std::inclusive_scan(input.begin(), input.end(), expected.begin());
            std::vector<std::uint64_t> output(size);
            parallel_scan(pool, input, output, std::uint64_t{0}, std::plus<>());
            ASSERT_EQ(output, expected) << workers << " workers, size " << size;
            parallel_scan(pool, input, input, std::uint64_t{0}, std::plus<>());
            ASSERT_EQ(input, expected) << "in place, " << workers << " workers, size " << size;
        }
    }
}

// Composing x -> a x + b does not commute, and one wrong order changes everything behind it.
struct Affine {
    std::uint64_t a = 1;
    std::uint64_t b = 0;
    bool operator==(const Affine&) const = default;
};

Affine then(const Affine& first, const Affine& second) {
    return {first.a * second.a, first.b * second.a + second.b};
}

TEST_F(ParallelScan, KeepsTheOrderOfAnOperationThatDoesNotCommute) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (const std::size_t size : {1U, 100U, 5'000U, 300'000U}) {
            std::vector<Affine> input(size);
            for (Affine& step : input) step = {random()() | 1U, random()()};
            std::vector<Affine> expected(size);
            std::inclusive_scan(input.begin(), input.end(), expected.begin(), then);
            std::deque<Affine> output(size);
            parallel_scan(pool, input, output, Affine{}, then);
            ASSERT_TRUE(std::ranges::equal(output, expected)) << workers << " workers, size " << size;
        }
    }
}

TEST_F(ParallelScan, WorksForValuesOnTheHeap) {
    Pool pool(3);
    std::vector<std::string> input(600);
    for (std::string& word : input) word = std::string(1, static_cast<char>('a' + random_below(26)));
    std::vector<std::string> expected(input.size());
    std::inclusive_scan(input.begin(), input.end(), expected.begin());
    std::vector<std::string> output(input.size());
    parallel_scan(pool, input, output, std::string(), Combine<std::string>(std::plus<>()));
    EXPECT_EQ(output, expected);
}

TEST_F(ParallelScan, FloatingPointPrefixesHaveTheSameBitsForAnyNumberOfWorkers) {
    std::vector<float> input(200'003);
    std::uniform_real_distribution<float> spread(-1.0F, 1e4F);
    for (float& value : input) value = spread(random());
    std::set<std::vector<std::uint32_t>> results;
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (int repeat = 0; repeat < 3; ++repeat) {
            std::vector<float> output(input.size());
            parallel_scan(pool, input, output, 0.0F, std::plus<>());
            std::vector<std::uint32_t> bits(output.size());
            std::ranges::transform(output, bits.begin(), [](float x) { return std::bit_cast<std::uint32_t>(x); });
            results.insert(std::move(bits));
        }
    }
    EXPECT_EQ(results.size(), 1U);
}

TEST_F(ParallelScan, TheRunningValueMayBeWiderThanInputAndOutput) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        std::vector<std::uint8_t> input(100'000, 255);
        std::vector<std::uint32_t> output(input.size());
        const auto add = [](std::uint64_t a, std::uint64_t b) { return a + b; };
        parallel_scan(pool, input, output, std::uint64_t{0}, add);
        for (std::size_t i = 0; i < output.size(); ++i) ASSERT_EQ(output[i], (i + 1) * 255);
    }
}

TEST_F(ParallelScan, LeavesAloneWhatIsBeyondTheInput) {
    Pool pool(2);
    const std::vector<int> input(100, 1);
    std::vector<int> output(103, -7);
    parallel_scan(pool, input, output, 0, Combine<int>(std::plus<>()));
    EXPECT_EQ(output[99], 100);
    for (std::size_t i = 100; i < 103; ++i) EXPECT_EQ(output[i], -7);
}

TEST_F(ParallelScan, RefusesAnOutputThatIsTooShort) {
    Pool pool(2);
    const std::vector<int> input(100, 1);
    std::vector<int> output(99, -7);
    try {
        parallel_scan(pool, input, output, 0, Combine<int>(std::plus<>()));
        FAIL() << "accepted";
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(),
                     "parallel_scan: out has 99 elements; it must have at least as many as in, which has 100");
    }
    EXPECT_EQ(output, std::vector<int>(99, -7));
}

// The bits that the documentation of the blocks promises, computed by one thread from their definition.
TEST_F(ParallelScan, FloatingPointPrefixesAreThoseOfTheBlocks) {
    using Blocks = impl::ScanBlocks<const double*, double*, double, std::plus<>>;
    for (const std::size_t size : {1U, 70U, 1'500U, 66'000U, 262'144U, 300'001U}) {
        std::vector<double> input(size);
        std::uniform_real_distribution<double> spread(-1.0, 1e4);
        for (double& value : input) value = spread(random());
        std::vector<double> expected(size);
        const auto block = static_cast<std::size_t>(Blocks::block_length(static_cast<std::ptrdiff_t>(size)));
        double carry = 0.5;
        for (std::size_t first = 0; first < size; first += block) {
            const std::size_t end = std::min(first + block, size);
            double prefix = input[first];
            for (std::size_t i = first; i < end; prefix += ++i < end ? input[i] : 0) expected[i] = carry + prefix;
            carry = expected[end - 1];
        }
        for (const int workers : kWorkerCounts) {
            Pool pool(workers);
            std::vector<double> output(size);
            parallel_scan(pool, input, output, 0.5, std::plus<>());
            ASSERT_EQ(output, expected) << workers << " workers, size " << size;
            std::vector<double> in_place = input;
            parallel_scan(pool, in_place, in_place, 0.5, std::plus<>());
            ASSERT_EQ(in_place, expected) << "in place, " << workers << " workers, size " << size;
        }
    }
}

// Groups of blocks end in any order, so carries arrive late, in bulk and for groups that nobody waits for any more.
TEST_F(ParallelScan, IsRightWhenBlocksTakeDifferentTimes) {
    for (const int workers : {2, 3, 8}) {
        Pool pool(workers);
        for (int round = 0; round < 5; ++round) {
            std::vector<std::string> input(2'000);
            for (std::string& letter : input) letter = std::string(1, static_cast<char>('a' + random_below(26)));
            const std::size_t slow = random_below(input.size());
            const std::string* const slow_letter = &input[slow];
            std::vector<std::string> output(input.size());
            const Combine<std::string> last_letters = [&](const std::string& a, const std::string& b) {
                if (&b == slow_letter) {
                    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
                    while (std::chrono::steady_clock::now() < until) {
                    }
                }
                return (a + b).substr(a.size() + b.size() - std::min<std::size_t>(a.size() + b.size(), 40));
            };
            parallel_scan(pool, input, output, std::string(), last_letters);
            std::string expected;
            for (std::size_t i = 0; i < input.size(); ++i) {
                expected += input[i];
                if (i >= 40) expected.erase(0, 1);
                ASSERT_EQ(output[i], expected) << i << ", " << workers << " workers, slow at " << slow;
            }
        }
    }
}

TEST_F(ParallelScan, IntegersTakeOneCallAnElementOnOneWorker) {
    Pool pool(1);
    std::vector<std::uint64_t> values(100'000, 1);
    int calls = 0;
    const Combine<std::uint64_t> add = [&calls](auto a, auto b) { return ++calls, a + b; };
    parallel_scan(pool, values, values, std::uint64_t{0}, add);
    EXPECT_EQ(values.back(), 100'000U);
    EXPECT_EQ(calls, 100'000);
}

// R26
TEST_F(ParallelScan, AnErrorReachesTheCaller) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (int round = 0; round < 20; ++round) {
            std::vector<std::uint64_t> values(2 + random_below(20'000), 1);
            Fuse fuse(static_cast<std::int64_t>(random_below(values.size())));
            const Combine<std::uint64_t> add = [&](auto a, auto b) { return fuse.burn(), a + b; };
            EXPECT_THROW(parallel_scan(pool, values, values, std::uint64_t{0}, add), Bang);
        }
    }
}

}  // namespace
}  // namespace quarry
