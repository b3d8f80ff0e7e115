#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/impl/sort_heap.hpp"
#include "quarry/jobs/impl/sort_quick.hpp"
#include "quarry/jobs/impl/sort_small.hpp"
#include "tests/jobs/loop/algorithm_support.hpp"
#include "tests/jobs/loop/sort_inputs.hpp"

// The pieces of the sort that run on one thread.

namespace quarry::impl::sorting {
namespace {

class SortPieces : public test_support::SeededTest {};

template <std::size_t kWidth>
void expect_network_sorts_zeros_and_ones() {
    std::less<> less;
    for (unsigned bits = 0; bits < (1U << kWidth); ++bits) {
        int line[kWidth];
        for (std::size_t i = 0; i < kWidth; ++i) line[i] = static_cast<int>(bits >> i & 1U);
        network_sort<kWidth>(line, line, less);
        ASSERT_TRUE(std::is_sorted(line, line + kWidth)) << kWidth << ' ' << bits;
        ASSERT_EQ(std::accumulate(line, line + kWidth, 0), std::popcount(bits));
    }
}

// A network that sorts all inputs of zeros and ones sorts everything.
TEST_F(SortPieces, NetworksSortAllInputsOfZerosAndOnes) {
    expect_network_sorts_zeros_and_ones<2>();
    expect_network_sorts_zeros_and_ones<3>();
    expect_network_sorts_zeros_and_ones<4>();
    expect_network_sorts_zeros_and_ones<5>();
    expect_network_sorts_zeros_and_ones<6>();
    expect_network_sorts_zeros_and_ones<7>();
    expect_network_sorts_zeros_and_ones<8>();
}

TEST_F(SortPieces, SmallSortsSortEveryLength) {
    std::less<> less;
    for (std::ptrdiff_t size = 0; size <= kSmallCheap; ++size) {
        for (int round = 0; round < 50; ++round) {
            std::vector<std::uint64_t> keys(static_cast<std::size_t>(size));
            for (std::uint64_t& key : keys) key = random_below(round % 2 == 0 ? 10 : 1'000'000);
            auto expected = keys;
            std::sort(expected.begin(), expected.end());
            auto cheap = keys;
            small_sort_cheap(cheap.data(), size, less);
            ASSERT_EQ(cheap, expected);
            auto indirect = keys;
            small_sort_indirect(indirect.begin(), size, less);
            ASSERT_EQ(indirect, expected);
            auto by_swaps = keys;
            small_sort_by_swaps(by_swaps.begin(), by_swaps.end(), less);
            ASSERT_EQ(by_swaps, expected);
        }
    }
}

TEST_F(SortPieces, HeapSortSorts) {
    std::less<> less;
    for (const std::size_t size : {0U, 1U, 2U, 3U, 100U, 1'001U}) {
        for (const auto& input : test_support::sort_inputs(size, random())) {
            auto keys = input.keys;
            auto expected = keys;
            std::sort(expected.begin(), expected.end());
            heap_sort(keys.begin(), keys.end(), less);
            ASSERT_EQ(keys, expected) << input.name;
        }
    }
}

TEST_F(SortPieces, BothPartitionsSeparateEverything) {
    for (int round = 0; round < 200; ++round) {
        std::vector<std::uint64_t> keys(random_below(1'000));
        for (std::uint64_t& key : keys) key = random_below(100);
        const std::uint64_t bound = random_below(101);
        const auto low = [bound](std::uint64_t key) { return key < bound; };
        const auto check = [&](const std::vector<std::uint64_t>& parted, std::ptrdiff_t middle) {
            ASSERT_TRUE(std::all_of(parted.begin(), parted.begin() + middle, low));
            ASSERT_TRUE(std::none_of(parted.begin() + middle, parted.end(), low));
            ASSERT_TRUE(std::is_permutation(parted.begin(), parted.end(), keys.begin()));
        };
        auto cheap = keys;
        check(cheap, partition_cheap(cheap.data(), cheap.data() + cheap.size(), low) - cheap.data());
        auto general = keys;
        const std::ptrdiff_t middle = partition_general(general.begin(), general.end(), low) - general.begin();
        check(general, middle);
    }
}

// Decides the order of the keys while they are compared, always so that pivots turn out bad (after McIlroy, "A killer
// adversary for quicksort").
class Adversary {
  public:
    explicit Adversary(std::size_t size) : value_(size, kOpen) {}

    bool less(std::size_t a, std::size_t b) {
        ++comparisons_;
        if (value_[a] == kOpen && value_[b] == kOpen) value_[a == candidate_ ? a : b] = next_++;
        if (value_[a] == kOpen) candidate_ = a;
        if (value_[b] == kOpen) candidate_ = b;
        return value_[a] < value_[b];
    }
    std::size_t comparisons() const { return comparisons_; }

  private:
    static constexpr std::size_t kOpen = SIZE_MAX;
    std::vector<std::size_t> value_;
    std::size_t candidate_ = 0;
    std::size_t next_ = 0;
    std::size_t comparisons_ = 0;
};

TEST_F(SortPieces, AnAdversaryCanNotMakeQuicksortQuadratic) {
    constexpr std::size_t kSize = 1U << 16U;
    std::vector<std::uint32_t> cheap(kSize);
    std::iota(cheap.begin(), cheap.end(), 0U);
    std::vector<std::uint32_t> general = cheap;
    Adversary cheap_adversary(kSize);
    Adversary general_adversary(kSize);
    auto cheap_less = [&](std::uint32_t a, std::uint32_t b) { return cheap_adversary.less(a, b); };
    auto general_less = [&](std::uint32_t a, std::uint32_t b) { return general_adversary.less(a, b); };
    quick_sort(cheap.data(), cheap.data() + kSize, cheap_less);
    quick_sort(general.begin(), general.end(), general_less);
    constexpr std::size_t kSizeTimesLog = kSize * 16;
    EXPECT_LT(cheap_adversary.comparisons(), 5 * kSizeTimesLog);
    EXPECT_LT(general_adversary.comparisons(), 5 * kSizeTimesLog);
    EXPECT_TRUE(std::is_sorted(cheap.begin(), cheap.end(), cheap_less));
    EXPECT_TRUE(std::is_sorted(general.begin(), general.end(), general_less));
}

TEST_F(SortPieces, KnownPatternsNeedNoMoreComparisonsThanRandomKeys) {
    constexpr std::size_t kSize = 100'000;
    constexpr double kLog = 17;
    for (const auto& input : test_support::sort_inputs(kSize, random())) {
        auto keys = input.keys;
        std::size_t comparisons = 0;
        auto less = [&](std::uint64_t a, std::uint64_t b) { return ++comparisons, a < b; };
        quick_sort(keys.begin(), keys.end(), less);
        EXPECT_LT(static_cast<double>(comparisons), 1.6 * kSize * kLog) << input.name;
    }
}

}  // namespace
}  // namespace quarry::impl::sorting
