#include "quarry/jobs/parallel_map.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <span>
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

constexpr std::size_t kMapSizes[] = {0, 1, 2, 3, 63, 64, 65, 1'000, 1'023, 1'024, 1'025, 70'000, 1'000'000};

std::vector<std::uint64_t> indices(std::size_t count) {
    std::vector<std::uint64_t> values(count);
    std::iota(values.begin(), values.end(), std::uint64_t{0});
    return values;
}

class ParallelMap : public test_support::SeededTest {};
class ChunkMap : public test_support::SeededTest {};

// R21
TEST_F(ParallelMap, EqualsTheSerialMapForEverySizeAndWorkerCount) {
    const auto scramble = [](std::uint64_t x) -> std::uint64_t { return x * 0x9e3779b97f4a7c15ULL >> 7U; };
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (const std::size_t size : kMapSizes) {
            std::vector<std::uint64_t> input(size);
            std::ranges::generate(input, random());
            const std::vector<std::uint64_t> mapped = parallel_map(pool, input, scramble);
            ASSERT_EQ(mapped.size(), size);
            for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(mapped[i], scramble(input[i])) << size << ' ' << i;
        }
    }
}

TEST_F(ParallelMap, KeepsTheOrderOfResultsThatAreNotTrivial) {
    Pool pool(3);
    for (const std::size_t size : {0U, 1U, 65U, 1'025U, 20'000U}) {
        const auto words = parallel_map(pool, indices(size),
                                        [](std::uint64_t i) { return "a long enough word " + std::to_string(i); });
        ASSERT_EQ(words.size(), size);
        for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(words[i], "a long enough word " + std::to_string(i));
    }
}

TEST_F(ParallelMap, ResultsNeedOnlyBeMovable) {
    Pool pool(2);
    std::vector<int> input(5'000);
    std::iota(input.begin(), input.end(), 0);
    const std::vector<std::unique_ptr<int>> boxes =
        parallel_map(pool, input, [](int x) { return std::make_unique<int>(x); });
    for (std::size_t i = 0; i < boxes.size(); ++i) ASSERT_EQ(*boxes[i], input[i]);
}

TEST_F(ParallelMap, NeighbouringBoolsDoNotOverwriteEachOther) {
    Pool pool(8);
    const std::vector<bool> bits =
        parallel_map(pool, indices(300'000), [](std::uint64_t i) { return i % 3 == 0 || i % 7 == 0; });
    for (std::size_t i = 0; i < 300'000; ++i) ASSERT_EQ(bits[i], i % 3 == 0 || i % 7 == 0) << i;
}

TEST_F(ParallelMap, TheFunctionMayChangeTheElements) {
    Pool pool(2);
    std::deque<int> input(10'000, 1);
    const std::vector<int> before = parallel_map(pool, input, [](int& x) { return x++; });
    EXPECT_EQ(before, std::vector<int>(10'000, 1));
    EXPECT_EQ(input, std::deque<int>(10'000, 2));
}

// R26
TEST_F(ParallelMap, AnErrorDestroysEveryResultThatWasBuilt) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (int round = 0; round < 30; ++round) {
            const std::size_t size = 1 + random_below(5'000);
            Fuse fuse(static_cast<std::int64_t>(random_below(size)));
            const auto make = [&fuse](std::uint64_t i) {
                fuse.burn();
                return Counted(i);
            };
            EXPECT_THROW(parallel_map(pool, indices(size), make), Bang);
            ASSERT_EQ(Counted::alive(), 0);
        }
    }
}

TEST_F(ChunkMap, HandsOutEveryElementOnceInOrder) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (int round = 0; round < 50; ++round) {
            std::vector<std::uint64_t> input(random_below(3'000));
            std::ranges::generate(input, random());
            const std::size_t chunk = 1 + random_below(round % 2 == 0 ? 10 : 4'000);
            const auto chunks = chunk_map(pool, input, chunk, [](std::span<std::uint64_t> part) {
                return std::vector<std::uint64_t>(part.begin(), part.end());
            });
            ASSERT_EQ(chunks.size(), (input.size() + chunk - 1) / chunk);
            std::vector<std::uint64_t> joined;
            for (std::size_t i = 0; i < chunks.size(); ++i) {
                ASSERT_EQ(chunks[i].size(), std::min(chunk, input.size() - i * chunk));
                joined.insert(joined.end(), chunks[i].begin(), chunks[i].end());
            }
            ASSERT_EQ(joined, input);
        }
    }
}

TEST_F(ChunkMap, ElementsThatAreNotContiguousComeAsAChunkView) {
    Pool pool(2);
    std::deque<int> input(1'000, 3);
    const std::vector<int> sums =
        chunk_map(pool, input, 300, [](auto part) { return std::accumulate(part.begin(), part.end(), 0); });
    EXPECT_EQ(sums, (std::vector<int>{900, 900, 900, 300}));
}

TEST_F(ChunkMap, AChunkLongerThanTheRangeGivesOneResult) {
    Pool pool(2);
    const std::vector<int> input{1, 2, 3};
    const auto sizes = chunk_map(pool, input, SIZE_MAX, [](std::span<const int> part) { return part.size(); });
    EXPECT_EQ(sizes, std::vector<std::size_t>{3});
}

TEST_F(ChunkMap, AChunkOfNothingIsRefused) {
    Pool pool(1);
    const std::vector<int> input{1, 2, 3};
    const auto size_of = [](std::span<const int> part) { return part.size(); };
    try {
        chunk_map(pool, input, 0, size_of);
        FAIL() << "accepted";
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "chunk_map: chunk is 0; it must be at least 1");
    }
}

}  // namespace
}  // namespace quarry
