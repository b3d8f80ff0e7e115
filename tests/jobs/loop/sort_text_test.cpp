#include "quarry/jobs/impl/sort_text.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/parallel_sort.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/loop/algorithm_support.hpp"
#include "tests/jobs/support.hpp"

// Strings in their natural order, which the sort compares by keys of eight bytes.

namespace quarry {
namespace {

using test_support::kWorkerCounts;

struct TextInput {
    std::string name;
    std::vector<std::string> texts;
};

class SortText : public test_support::SeededTest {
  protected:
    std::string random_text(std::size_t longest, std::string_view alphabet) {
        std::string text(random_below(longest + 1), ' ');
        for (char& letter : text) letter = alphabet[random_below(alphabet.size())];
        return text;
    }

    // Inputs whose keys tie, start late, are short, or hold zeros and bytes that are negative as char.
    std::vector<TextInput> inputs(std::size_t size) {
        std::vector<TextInput> result;
        const auto add = [&](std::string name, auto text_at) {
            std::vector<std::string> texts(size);
            for (std::size_t i = 0; i < size; ++i) texts[i] = text_at(i);
            result.push_back({std::move(name), std::move(texts)});
        };
        const std::string site = "https://www.example.com/items/";
        add("short", [&](std::size_t) { return random_text(9, "abcdefgh"); });
        add("long", [&](std::size_t) { return random_text(60, "abcdefgh"); });
        add("zeros and high bytes", [&](std::size_t) { return random_text(20, {"\0\x01\x7f\x80\xff", 5}); });
        add("common prefix", [&](std::size_t) { return site + std::to_string(random_below(1'000'000)); });
        add("prefixes of each other", [&](std::size_t) { return std::string(random_below(40), 'a'); });
        add("all but one of a kind", [&](std::size_t i) { return i == size / 2 ? std::string() : site; });
        add("few distinct", [&](std::size_t) { return site + std::to_string(random_below(10)); });
        add("all equal", [&](std::size_t) { return std::string(site); });
        add("late difference", [&](std::size_t) { return std::string(100, 'x') + random_text(3, "ab"); });
        add("descending, nearly", [&](std::size_t i) { return std::to_string(i == 70 ? 0 : 9'000'000 - i); });
        return result;
    }
};

TEST_F(SortText, KeysOrderAsTheirBytesDo) {
    for (int round = 0; round < 20'000; ++round) {
        const std::string a = random_text(11, {"\0a\xff", 3});
        const std::string b = random_text(11, {"\0a\xff", 3});
        const std::uint64_t key_a = impl::sorting::text_key(a.data(), a.size());
        const std::uint64_t key_b = impl::sorting::text_key(b.data(), b.size());
        if (key_a != key_b) {
            ASSERT_EQ(key_a < key_b, a < b);
        } else {
            std::string start_a = a.substr(0, 8);
            std::string start_b = b.substr(0, 8);
            start_a.resize(8);
            start_b.resize(8);
            ASSERT_EQ(start_a, start_b);
        }
    }
}

TEST_F(SortText, AnOrderStartsBehindWhatAllHaveInCommon) {
    const std::vector<std::string> texts = {"common/abc", "common/abd/0000", "common/ab", "common/abe"};
    const impl::sorting::TextOrder among = impl::sorting::TextOrder::among(texts.data(), texts.data() + 4);
    EXPECT_EQ(among.key("common/ab\1"), std::uint64_t{1} << 56U);
    EXPECT_EQ(among.key("common/ab"), 0U);
    const impl::sorting::TextOrder between = impl::sorting::TextOrder::between(texts.data(), texts.data() + 1);
    EXPECT_EQ(between.key("common/abcx"), (std::uint64_t{'c'} << 56U) + (std::uint64_t{'x'} << 48U));
}

// R21
TEST_F(SortText, EqualsTheSerialSortForEveryInputAndWorkerCount) {
    for (const std::size_t size : {1U, 2U, 64U, 1'024U, 1'025U, 20'000U}) {
        for (const TextInput& input : inputs(size)) {
            std::vector<std::string> expected = input.texts;
            std::sort(expected.begin(), expected.end());
            for (const int workers : kWorkerCounts) {
                Pool pool(workers);
                std::vector<std::string> texts = input.texts;
                parallel_sort(pool, texts);
                ASSERT_EQ(texts, expected) << input.name << ", size " << size << ", workers " << workers;
            }
        }
    }
}

TEST_F(SortText, SortsInputsWhosePartitionsAreParallelToo) {
    Pool pool(2);
    const std::vector<TextInput> all = inputs(270'000);
    for (std::size_t i = 0; i < test_support::scaled(all.size(), 4); ++i) {
        const TextInput& input = all[i];
        std::vector<std::string> expected = input.texts;
        std::sort(expected.begin(), expected.end());
        std::vector<std::string> texts = input.texts;
        parallel_sort(pool, texts);
        ASSERT_TRUE(texts == expected) << input.name;
    }
}

TEST_F(SortText, EveryKindOfStringAndOfNaturalOrderIsSorted) {
    Pool pool(2);
    for (const TextInput& input : inputs(5'000)) {
        std::vector<std::string> expected = input.texts;
        std::sort(expected.begin(), expected.end());
        std::vector<std::string_view> views(input.texts.begin(), input.texts.end());
        parallel_sort(pool, views, std::ranges::less());
        ASSERT_TRUE(std::ranges::equal(views, expected)) << input.name;
        std::vector<std::pmr::string> elsewhere(input.texts.begin(), input.texts.end());
        parallel_sort(pool, elsewhere, std::less<std::pmr::string>());
        views.assign(elsewhere.begin(), elsewhere.end());
        ASSERT_TRUE(std::ranges::equal(views, expected)) << input.name;
    }
}

TEST_F(SortText, AnotherOrderIsNotTakenForTheNaturalOne) {
    Pool pool(2);
    std::vector<std::string> texts = inputs(5'000).front().texts;
    parallel_sort(pool, texts, std::greater<>());
    EXPECT_TRUE(std::ranges::is_sorted(texts, std::greater<>()));
}

}  // namespace
}  // namespace quarry
