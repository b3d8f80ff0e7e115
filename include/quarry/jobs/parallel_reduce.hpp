#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/reduce_tree.hpp"

namespace quarry {

namespace impl {

template <class T, class F, class... Arguments>
constexpr bool gives() {
    if constexpr (std::is_invocable_v<F, Arguments...>) {
        return std::is_constructible_v<T, std::invoke_result_t<F, Arguments...>>;
    } else {
        return false;
    }
}
template <class T, class F, class... Arguments>
inline constexpr bool kGives = gives<T, F, Arguments...>();

// Says in one line what does not go together, before anything else is compiled with it.
template <class T, class Index, class Map, class Combine>
constexpr bool check_reduce() {
    constexpr bool kMaps = kGives<T, Map&, Index>;
    static_assert(kMaps, "parallel_reduce: map(index) must give what identity is, or something that converts to it");
    if constexpr (kMaps) {
        constexpr bool kCombines =
            kGives<T, Combine&, T, T> && kGives<T, Combine&, T, std::invoke_result_t<Map&, Index>>;
        static_assert(kCombines, "parallel_reduce: combine must take two of what identity is, and give another");
        return kCombines;
    } else {
        return false;
    }
}

}  // namespace impl

// combine(identity, map(first), map(first + 1) ... map(last - 1)) along one fixed tree: leaves of
// neighbouring indices are folded from left to right, then pairs of neighbours are combined. The tree depends
// on last - first alone, so that floating-point results have the same bits for any number of workers.
//
// `combine` must be associative (up to rounding) but need not be commutative; it and `map` may be called from
// several threads at once. The result is `identity` for an empty range, also when last < first. T need only
// be movable. Throws std::invalid_argument if a bound is negative and the other one's type is unsigned, and for more
// than PTRDIFF_MAX indices.
template <std::integral First, std::integral Last, std::movable T, class Map, class Combine>
T parallel_reduce(Pool& pool, First first, Last last, T identity, Map map, Combine combine) {
    using Index = std::common_type_t<First, Last>;
    if constexpr (!impl::check_reduce<T, Index, Map, Combine>()) {
        return identity;
    } else {
        using Unsigned = std::make_unsigned_t<Index>;
        if (std::cmp_greater_equal(first, last)) return identity;
        if (!std::in_range<Index>(first) || !std::in_range<Index>(last)) {
            throw std::invalid_argument("parallel_reduce: a negative bound does not go with an unsigned one");
        }
        // Unsigned: the range may be wider than Index goes in one direction.
        const auto from = static_cast<Unsigned>(first);
        const auto count = static_cast<Unsigned>(static_cast<Unsigned>(last) - from);
        if (!std::in_range<std::ptrdiff_t>(count)) {
            throw std::invalid_argument("parallel_reduce: the range is too long; allowed are PTRDIFF_MAX indices");
        }
        auto map_at = [&map, from](std::ptrdiff_t offset) -> decltype(auto) {
            return map(static_cast<Index>(static_cast<Unsigned>(from + static_cast<Unsigned>(offset))));
        };
        impl::ReduceTree<T, decltype(map_at), Combine> tree(static_cast<std::ptrdiff_t>(count), map_at, combine);
        return static_cast<T>(combine(std::move(identity), tree.evaluate(pool)));
    }
}

// combine(identity, map(element) ...) over the elements of a range, along the same tree as over their indices.
template <std::ranges::random_access_range Range, std::movable T, class Map, class Combine>
requires std::invocable<Map&, std::ranges::range_reference_t<Range>> T parallel_reduce(Pool& pool, Range&& range,
                                                                                       T identity, Map map,
                                                                                       Combine combine) {
    const auto first = std::ranges::begin(range);
    using Difference = std::ranges::range_difference_t<Range>;
    return parallel_reduce(
        pool, Difference{0}, static_cast<Difference>(std::ranges::distance(range)), std::move(identity),
        [&map, first](Difference i) -> decltype(auto) { return std::invoke(map, first[i]); }, std::move(combine));
}

}  // namespace quarry
