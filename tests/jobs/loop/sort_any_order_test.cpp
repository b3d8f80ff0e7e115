// parallel_sort with comparisons that are no order at all: it stays within the range, ends, and loses nothing.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/parallel_sort.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/loop/algorithm_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using test_support::Bang;
using test_support::scaled;

// A key and some weight, so that it is none of the cheap elements. A move leaves a mark, so that a lost element shows.
struct Heavy {
    explicit Heavy(std::uint64_t value) : key(value) {}
    Heavy(Heavy&& other) noexcept : key(std::exchange(other.key, kMovedFrom)) {}
    Heavy& operator=(Heavy&& other) noexcept {
        key = std::exchange(other.key, kMovedFrom);
        return *this;
    }
    static constexpr std::uint64_t kMovedFrom = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t key;
    std::uint64_t weight[3] = {1, 2, 3};
};

// Trivial to copy, but a move of it may throw as far as the compiler knows.
struct MoveMayThrow {
    explicit MoveMayThrow(std::uint64_t value) : key(value) {}
    MoveMayThrow(const MoveMayThrow&) = default;
    MoveMayThrow& operator=(const MoveMayThrow&) = default;
    MoveMayThrow(MoveMayThrow&& other) noexcept(false) : key(other.key) {}  // NOLINT(*-noexcept-move*)
    MoveMayThrow& operator=(MoveMayThrow&& other) noexcept(false) {         // NOLINT(*-noexcept-move*)
        key = other.key;
        return *this;
    }
    std::uint64_t key;
};

std::uint64_t key_of(std::uint64_t key) {
    return key;
}
std::uint64_t key_of(const Heavy& element) {
    return element.key;
}
std::uint64_t key_of(const MoveMayThrow& element) {
    return element.key;
}
std::uint64_t key_of(const std::string& text) {
    return std::strtoull(text.c_str(), nullptr, 10);
}

// An iterator that knows its range: one step too far is seen in every build, not only by a sanitizer.
template <class T>
class Checked {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using pointer = T*;

    Checked() = default;
    Checked(T* range, std::ptrdiff_t size, std::ptrdiff_t at) : range_(range), size_(size), at_(at) {}

    T& operator*() const {
        // No sanitizer needed, and nothing is written where it must not be.
        if (at_ < 0 || at_ >= size_) throw std::out_of_range("the sort left its range");
        return range_[at_];
    }
    T* operator->() const { return &**this; }
    T& operator[](std::ptrdiff_t by) const { return *(*this + by); }
    Checked& operator+=(std::ptrdiff_t by) {
        at_ += by;
        return *this;
    }
    Checked& operator-=(std::ptrdiff_t by) { return *this += -by; }
    Checked& operator++() { return *this += 1; }
    Checked& operator--() { return *this += -1; }
    Checked operator++(int) { return std::exchange(*this, *this + 1); }
    Checked operator--(int) { return std::exchange(*this, *this - 1); }
    friend Checked operator+(Checked a, std::ptrdiff_t by) { return a += by; }
    friend Checked operator+(std::ptrdiff_t by, Checked a) { return a += by; }
    friend Checked operator-(Checked a, std::ptrdiff_t by) { return a -= by; }
    friend std::ptrdiff_t operator-(const Checked& a, const Checked& b) { return a.at_ - b.at_; }
    friend bool operator==(const Checked& a, const Checked& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const Checked& a, const Checked& b) { return a.at_ <=> b.at_; }

  private:
    T* range_ = nullptr;
    std::ptrdiff_t size_ = 0;
    std::ptrdiff_t at_ = 0;
};

template <class T>
struct CheckedRange {
    Checked<T> first;
    Checked<T> last;
    Checked<T> begin() const { return first; }
    Checked<T> end() const { return last; }
};

// One type for all that is compared, so that each sort is compiled once.
using Answer = std::function<bool(std::uint64_t, std::uint64_t)>;
struct NamedAnswer {
    const char* name;
    Answer answer;
};

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

class SortAnyOrder : public test_support::SeededTest {
  protected:
    // Each throws or answers by its own rule; `calls` is what makes two answers for one pair differ.
    std::vector<NamedAnswer> answers(std::atomic<std::uint64_t>& calls, std::uint64_t throw_at) {
        const std::uint64_t salt = random()();
        const auto number = [&calls] { return calls.fetch_add(1, std::memory_order_relaxed); };
        return {
            {"random", [=](std::uint64_t, std::uint64_t) { return mixed(number() + salt) % 2 != 0; }},
            {"seldom", [=](std::uint64_t, std::uint64_t) { return mixed(number() + salt) % 50 == 0; }},
            {"nearly always", [=](std::uint64_t, std::uint64_t) { return mixed(number() + salt) % 50 != 0; }},
            {"by turns", [=](std::uint64_t, std::uint64_t) { return number() % 2 != 0; }},
            {"always", [](std::uint64_t, std::uint64_t) { return true; }},
            {"never", [](std::uint64_t, std::uint64_t) { return false; }},
            {"or equal", [](std::uint64_t a, std::uint64_t b) { return a <= b; }},
            {"a cycle", [=](std::uint64_t a, std::uint64_t b) { return (a - b + salt) % 3 == 1; }},
            {"now and then wrong",
             [=](std::uint64_t a, std::uint64_t b) { return mixed(number() + salt) % 20 == 0 ? a > b : a < b; }},
            {"changing its mind",
             [=](std::uint64_t a, std::uint64_t b) { return number() % 1000 < 500 ? a < b : b < a; }},
            {"throwing",
             [=](std::uint64_t a, std::uint64_t b) {
                 if (number() == throw_at) throw Bang();
                 return a < b;
             }},
            {"random and throwing",
             [=](std::uint64_t, std::uint64_t) {
                 const std::uint64_t call = number();
                 if (call == throw_at) throw Bang();
                 return mixed(call + salt) % 2 != 0;
             }},
        };
    }

    template <class T, class Make>
    void expect_a_permutation(Pool& pool, std::size_t size, std::uint64_t distinct, Make make) {
        std::vector<std::uint64_t> keys(size);
        for (std::uint64_t& key : keys) key = random()() % distinct;
        std::vector<std::uint64_t> before = keys;
        std::sort(before.begin(), before.end());
        std::atomic<std::uint64_t> calls{0};
        for (const NamedAnswer& each : answers(calls, random_below(size * 4 + 1))) {
            const auto less = [&](const T& a, const T& b) { return each.answer(key_of(a), key_of(b)); };
            calls = 0;
            // On the heap and no larger than needed: the address sanitizer sees one element too far.
            std::vector<T> elements;
            elements.reserve(size);
            for (const std::uint64_t key : keys) elements.push_back(make(key));
            try {
                parallel_sort(pool, elements, less);
            } catch (const Bang&) {  // NOLINT(bugprone-empty-catch): what is left is looked at below
            }
            std::vector<std::uint64_t> after;
            after.reserve(size);
            for (const T& element : elements) after.push_back(key_of(element));
            std::sort(after.begin(), after.end());
            ASSERT_EQ(after, before) << each.name << ", " << size << " elements";

            const auto count = static_cast<std::ptrdiff_t>(size);
            CheckedRange<T> checked{Checked<T>(elements.data(), count, 0), Checked<T>(elements.data(), count, count)};
            try {
                parallel_sort(pool, checked, less);
            } catch (const Bang&) {  // NOLINT(bugprone-empty-catch)
            } catch (const std::out_of_range& error) {
                FAIL() << error.what() << ": " << each.name << ", " << size << " elements";
            }
        }
    }
};

constexpr std::size_t kOrderSizes[] = {2, 9, 17, 64, 65, 129, 200, 257, 700, 2'049, 5'000};

TEST_F(SortAnyOrder, StaysWithinTheRangeAndLosesNothing) {
    Pool pool(2);
    const std::size_t rounds = scaled(4, 4);
    for (std::size_t round = 0; round < rounds; ++round) {
        for (const std::size_t size : kOrderSizes) {
            const std::uint64_t distinct = random_below(2) == 0 ? 7 : size * 10;
            ASSERT_NO_FATAL_FAILURE(
                expect_a_permutation<std::uint64_t>(pool, size, distinct, [](std::uint64_t key) { return key; }));
            ASSERT_NO_FATAL_FAILURE(
                expect_a_permutation<Heavy>(pool, size, distinct, [](std::uint64_t key) { return Heavy(key); }));
            ASSERT_NO_FATAL_FAILURE(expect_a_permutation<MoveMayThrow>(
                pool, size, distinct, [](std::uint64_t key) { return MoveMayThrow(key); }));
        }
    }
}

TEST_F(SortAnyOrder, StaysWithinTheRangeWhenStringsAreComparedByWhim) {
    Pool pool(2);
    for (const std::size_t size : kOrderSizes) {
        ASSERT_NO_FATAL_FAILURE(expect_a_permutation<std::string>(
            pool, size, size * 10, [](std::uint64_t key) { return std::to_string(key); }));
    }
}

TEST_F(SortAnyOrder, StaysWithinTheRangeWhenThePartitionsAreParallel) {
    Pool pool(2);
    constexpr std::size_t kSize = 300'001;
    ASSERT_NO_FATAL_FAILURE(
        expect_a_permutation<Heavy>(pool, kSize, kSize, [](std::uint64_t key) { return Heavy(key); }));
}

// A type whose move may throw is sorted like any other, and a move that does throw loses nothing if the way back works.
TEST_F(SortAnyOrder, SortsATypeWhoseMoveMayThrow) {
    static_assert(std::sortable<MoveMayThrow*, std::ranges::less, decltype(&MoveMayThrow::key)>);
    Pool pool(2);
    for (const std::size_t size : kOrderSizes) {
        std::vector<MoveMayThrow> elements;
        for (std::size_t i = 0; i < size; ++i) elements.emplace_back(random()() % 1000);
        parallel_sort(pool, elements, [](const MoveMayThrow& a, const MoveMayThrow& b) { return a.key < b.key; });
        EXPECT_TRUE(std::is_sorted(elements.begin(), elements.end(),
                                   [](const MoveMayThrow& a, const MoveMayThrow& b) { return a.key < b.key; }));
    }
}

}  // namespace
}  // namespace quarry
