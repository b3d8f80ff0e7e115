#include "quarry/jobs/parallel_sort.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/loop/algorithm_support.hpp"
#include "tests/jobs/loop/sort_inputs.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using test_support::Bang;
using test_support::Counted;
using test_support::Fuse;
using test_support::kWorkerCounts;
using test_support::sort_inputs;
using test_support::SortInput;

// One type for the comparisons below: the sort is compiled once for all of them, not once for each.
using Less = std::function<bool(std::uint64_t, std::uint64_t)>;
using CountedLess = std::function<bool(const Counted&, const Counted&)>;

class ParallelSort : public test_support::SeededTest {
  protected:
    std::vector<std::uint64_t> random_keys(std::size_t size) {
        std::vector<std::uint64_t> keys(size);
        std::ranges::generate(keys, random());
        return keys;
    }
};

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> keys) {
    std::sort(keys.begin(), keys.end());
    return keys;
}

// R21
TEST_F(ParallelSort, EqualsTheSerialSortForEveryPatternAndShortLength) {
    Pool pool(2);
    for (std::size_t size = 0; size < 300; size = size < 140 ? size + 1 : size + 13) {
        for (const SortInput& input : sort_inputs(size, random())) {
            auto keys = input.keys;
            parallel_sort(pool, keys);
            ASSERT_EQ(keys, sorted(input.keys)) << input.name << ", size " << size;
        }
    }
}

TEST_F(ParallelSort, EqualsTheSerialSortForEveryPatternAndWorkerCount) {
    for (const std::size_t size : {2'049U, 10'000U}) {
        for (const SortInput& input : sort_inputs(size, random())) {
            const auto expected = sorted(input.keys);
            for (const int workers : kWorkerCounts) {
                Pool pool(workers);
                auto keys = input.keys;
                parallel_sort(pool, keys);
                ASSERT_EQ(keys, expected) << input.name << ", size " << size << ", workers " << workers;
            }
        }
    }
}

TEST_F(ParallelSort, SortsInputsWhosePartitionsAreParallelToo) {
    constexpr std::size_t kSize = 300'001;
    static_assert(kSize > 2 * impl::sorting::kSerialSweep);
    Pool two(2);
    Pool eight(8);
    const std::vector<SortInput> all = sort_inputs(kSize, random());
    // Under a sanitizer the random keys and some of the others, by the seed.
    for (std::size_t i = 0; i < all.size(); i += test_support::kFullSpeed ? 1 : 1 + random_below(all.size())) {
        const SortInput& input = all[i];
        const auto expected = sorted(input.keys);
        for (Pool* const pool : {&two, &eight}) {
            auto keys = input.keys;
            parallel_sort(*pool, keys);
            ASSERT_EQ(keys, expected) << input.name << ", workers " << pool->worker_count();
        }
    }
}

TEST_F(ParallelSort, SortsAMillionKeys) {
    Pool pool(3);
    auto keys = random_keys(test_support::scaled(1'000'000));
    const auto expected = sorted(keys);
    parallel_sort(pool, keys);
    EXPECT_EQ(keys, expected);
}

TEST_F(ParallelSort, HonoursTheOrderThatIsAskedFor) {
    Pool pool(2);
    auto keys = random_keys(20'000);
    parallel_sort(pool, keys, std::greater<>());
    EXPECT_TRUE(std::ranges::is_sorted(keys, std::greater<>()));
    parallel_sort(pool, keys, Less([](std::uint64_t a, std::uint64_t b) { return a % 1'000 < b % 1'000; }));
    EXPECT_TRUE(std::ranges::is_sorted(keys, {}, [](std::uint64_t x) { return x % 1'000; }));
}

template <class T, class FromKey>
void expect_sorts(const std::vector<std::uint64_t>& keys, FromKey from_key) {
    Pool pool(3);
    std::vector<T> values;
    for (const std::uint64_t key : keys) values.push_back(from_key(key));
    // Places are sorted, not values: std::sort is then compiled once, not for each kind.
    std::vector<std::uint64_t> places(keys.size());
    std::iota(places.begin(), places.end(), 0U);
    const std::vector<T> unsorted = values;
    std::sort(places.begin(), places.end(), Less([&](auto a, auto b) { return unsorted[a] < unsorted[b]; }));
    parallel_sort(pool, values);
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_TRUE(values[i] == unsorted[places[i]]) << i;
}

struct Wide {
    std::array<std::uint64_t, 6> words;
    auto operator<=>(const Wide&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm
};

// Small and large ones, with and without a trivial assignment; strings have a test of their own.
TEST_F(ParallelSort, SortsElementsOfManyKinds) {
    const auto keys = random_keys(30'000);
    expect_sorts<std::int8_t>(keys, [](std::uint64_t key) { return static_cast<std::int8_t>(key); });
    expect_sorts<double>(keys, [](std::uint64_t key) { return static_cast<double>(key) - 1e19; });
    expect_sorts<Wide>(keys, [](std::uint64_t key) { return Wide{{key % 3, key % 5, key}}; });
    expect_sorts<std::pair<std::uint32_t, std::int32_t>>(keys, [](std::uint64_t key) {
        return std::pair(static_cast<std::uint32_t>(key % 100), static_cast<std::int32_t>(key >> 32U));
    });
}

TEST_F(ParallelSort, KeepsWhatBelongsToEqualKeys) {
    struct Entry {
        std::uint32_t key;
        std::uint32_t payload;
        bool operator==(const Entry&) const = default;
    };
    for (const std::uint32_t distinct : {1U, 3U, 1'000U}) {
        Pool pool(2);
        std::vector<Entry> entries(50'000);
        for (std::uint32_t i = 0; i < entries.size(); ++i) {
            entries[i] = {static_cast<std::uint32_t>(random_below(distinct)), i};
        }
        const auto original = entries;
        parallel_sort(pool, entries, [](const Entry& a, const Entry& b) { return a.key < b.key; });
        EXPECT_TRUE(std::ranges::is_sorted(entries, {}, &Entry::key));
        std::ranges::sort(entries, {}, &Entry::payload);
        EXPECT_TRUE(entries == original);
    }
}

TEST_F(ParallelSort, ElementsNeedOnlyBeMovable) {
    Pool pool(2);
    const auto keys = random_keys(300'000);
    {
        std::vector<Counted> values;
        for (const std::uint64_t key : keys) values.emplace_back(key);
        parallel_sort(pool, values, CountedLess(std::less<>()));
        const auto expected = sorted(keys);
        for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(values[i].value(), expected[i]);
    }
    EXPECT_EQ(Counted::alive(), 0);
}

TEST_F(ParallelSort, TheRangeMayBeASpanOrADeque) {
    Pool pool(2);
    auto keys = random_keys(20'000);
    const auto first = keys.front();
    const auto last = keys.back();
    parallel_sort(pool, std::span(keys).subspan(1, keys.size() - 2));
    EXPECT_TRUE(std::is_sorted(keys.begin() + 1, keys.end() - 1));
    EXPECT_EQ(keys.front(), first);
    EXPECT_EQ(keys.back(), last);

    std::deque<std::uint64_t> pieces(keys.rbegin(), keys.rend());
    std::swap(pieces[5], pieces[15'000]);
    parallel_sort(pool, pieces);
    EXPECT_TRUE(std::ranges::equal(pieces, sorted(keys)));
}

TEST_F(ParallelSort, MayBeCalledFromWithinAJob) {
    Pool pool(2);
    auto one = random_keys(30'000);
    auto other = random_keys(30'000);
    pool.join([&] { parallel_sort(pool, one); }, [&] { parallel_sort(pool, other); });
    EXPECT_TRUE(std::ranges::is_sorted(one));
    EXPECT_TRUE(std::ranges::is_sorted(other));
}

TEST_F(ParallelSort, AComparisonThatThrowsLeavesAPermutation) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (int round = 0; round < 25; round += test_support::kFullSpeed ? 1 : 5) {
            auto keys = random_keys(round < 15 ? 1 + random_below(200) : 1 + random_below(20'000));
            const auto expected = sorted(keys);
            std::vector<Counted> boxes;
            for (const std::uint64_t key : keys) boxes.emplace_back(key);
            const auto calls = static_cast<std::int64_t>(random_below(keys.size() * 10));
            Fuse first_fuse(calls);
            Fuse second_fuse(calls);
            try {
                parallel_sort(pool, keys, Less([&](auto a, auto b) { return first_fuse.burn(), a < b; }));
            } catch (const Bang&) {
            }
            ASSERT_EQ(sorted(keys), expected);
            try {
                parallel_sort(pool, boxes, CountedLess([&](auto& a, auto& b) { return second_fuse.burn(), a < b; }));
            } catch (const Bang&) {
            }
            std::ranges::transform(boxes, keys.begin(), &Counted::value);
            ASSERT_EQ(sorted(keys), expected);
        }
    }
    EXPECT_EQ(Counted::alive(), 0);
}

TEST_F(ParallelSort, AnErrorReachesTheCaller) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (const std::size_t size : {2U, 60U, 5'000U, 300'000U}) {
            auto keys = random_keys(size);
            Fuse fuse(static_cast<std::int64_t>(random_below(size - 1)));
            const Less less = [&](std::uint64_t a, std::uint64_t b) { return fuse.burn(), a < b; };
            EXPECT_THROW(parallel_sort(pool, keys, less), Bang) << size;
        }
    }
}

// Moves throw before they change anything, once.
class ThrowingMove {
  public:
    ThrowingMove(std::uint64_t key, Fuse& fuse) : key_(key), fuse_(&fuse) {}
    // NOLINTNEXTLINE(performance-noexcept-move-constructor): that is the point
    ThrowingMove(ThrowingMove&& other) : fuse_(other.fuse_) {
        fuse_->burn();
        key_ = std::exchange(other.key_, UINT64_MAX);
    }
    // NOLINTNEXTLINE(performance-noexcept-move-constructor): that is the point
    ThrowingMove& operator=(ThrowingMove&& other) {
        fuse_->burn();
        key_ = std::exchange(other.key_, UINT64_MAX);
        return *this;
    }
    ~ThrowingMove() = default;
    std::uint64_t key() const { return key_; }
    bool operator<(const ThrowingMove& other) const { return key_ < other.key_; }

  private:
    std::uint64_t key_;
    Fuse* fuse_;
};

TEST_F(ParallelSort, AMoveThatThrowsLeavesAPermutation) {
    for (const int workers : kWorkerCounts) {
        Pool pool(workers);
        for (int round = 0; round < 40; round += test_support::kFullSpeed ? 1 : 5) {
            std::vector<std::uint64_t> keys(1 + random_below(5'000));
            for (std::uint64_t& key : keys) key = random_below(round % 2 == 0 ? 1'000'000 : 20);
            const std::size_t fill_moves = keys.size();
            Fuse fuse(static_cast<std::int64_t>(fill_moves + random_below(10 * keys.size())));
            std::vector<ThrowingMove> values;
            values.reserve(keys.size());
            for (const std::uint64_t key : keys) values.emplace_back(key, fuse);
            bool threw = false;
            try {
                parallel_sort(pool, values);
            } catch (const Bang&) {
                threw = true;
            }
            EXPECT_TRUE(threw || std::is_sorted(values.begin(), values.end()));
            std::vector<std::uint64_t> after(keys.size());
            std::ranges::transform(values, after.begin(), &ThrowingMove::key);
            ASSERT_EQ(sorted(after), sorted(keys));
        }
    }
}

TEST_F(ParallelSort, AComparisonThatIsNoOrderStillLeavesAPermutation) {
    Pool pool(2);
    for (int round = 0; round < 40; ++round) {
        auto keys = random_keys(1 + random_below(5'000));
        const auto expected = sorted(keys);
        const std::uint64_t noise = random()();
        parallel_sort(pool, keys, Less([noise](std::uint64_t a, std::uint64_t b) {
                          return std::popcount((a * 31 + b) ^ noise) % 2 == 0;
                      }));
        ASSERT_EQ(sorted(keys), expected);
        parallel_sort(pool, keys, Less(std::less_equal<>()));
        ASSERT_EQ(sorted(keys), expected);
    }
}

}  // namespace
}  // namespace quarry
