#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include "quarry/jobs/impl/sort_element.hpp"

// Strings in their natural order are compared by eight bytes first, held in a register. Which eight: all strings
// between two others begin with what those two have in common, and quicksort knows a lower and an upper bound of nearly
// every range, so the key starts behind that and seldom ties.

namespace quarry::impl::sorting {

template <class T>
inline constexpr bool kIsText = std::is_same_v<T, std::string_view>;
template <class Allocator>
inline constexpr bool kIsText<std::basic_string<char, std::char_traits<char>, Allocator>> = true;

// No comparison that a caller could observe, and none that throws.
template <class I, class Less>
concept SortsText = std::is_pointer_v<I> && kIsText<std::iter_value_t<I>> && kMovesNeverThrow<I> &&
    (std::is_same_v<Less, std::less<>> || std::is_same_v<Less, std::ranges::less> ||
     std::is_same_v<Less, std::less<std::iter_value_t<I>>>);

// The first eight bytes as a number that orders as they do; missing ones count as zero.
inline std::uint64_t text_key(const char* bytes, std::size_t count) {
    if constexpr (std::endian::native == std::endian::little) {
        const auto load = [bytes](auto word, std::size_t at) {
            std::memcpy(&word, bytes + at, sizeof(word));
            return std::uint64_t{word};
        };
        std::uint64_t word = 0;
        if (count >= 8) {
            word = load(std::uint64_t{}, 0);
        } else if (count >= 4) {
            word = load(std::uint32_t{}, 0) | load(std::uint32_t{}, count - 4) << 8 * (count - 4);
        } else if (count > 0) {
            const std::size_t middle = count / 2;
            word = load(std::uint8_t{}, 0) | load(std::uint8_t{}, middle) << 8 * middle |
                   load(std::uint8_t{}, count - 1) << 8 * (count - 1);
        }
        return __builtin_bswap64(word);
    } else {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, std::min<std::size_t>(count, 8));
        return word;
    }
}

inline std::size_t common_prefix(std::string_view a, std::string_view b) {
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// The natural order among strings that all begin with the same `skip_` bytes.
class TextOrder {
  public:
    explicit TextOrder(std::size_t skip) : skip_(skip) {}

    template <class I>
    static TextOrder between(I lower, I upper) {
        return TextOrder(common_prefix(*lower, *upper));
    }
    // By a look at all of them, which ends soon if they begin with different bytes.
    template <class I>
    static TextOrder among(I first, I last) {
        std::string_view common = *first;
        for (I next = first + 1; next != last && !common.empty(); ++next) {
            common = common.substr(0, common_prefix(common, *next));
        }
        return TextOrder(common.size());
    }

    std::uint64_t key(std::string_view text) const { return text_key(text.data() + skip_, text.size() - skip_); }
    // For two of equal keys.
    bool tied_less(std::string_view a, std::string_view b) const { return a.substr(skip_) < b.substr(skip_); }

  private:
    std::size_t skip_;
};

}  // namespace quarry::impl::sorting
