#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "quarry/jobs/impl/loop.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry {

// A piece of a loop: first <= i < last.
struct IndexRange {
    // From first up to, but without, last.
    std::size_t first;
    std::size_t last;

    // How many indices.
    std::size_t size() const noexcept { return last - first; }
};

namespace impl {

template <class Body, class Index>
inline constexpr bool kTakesIndex = std::is_invocable_v<Body&, Index>;

// Calls the body for [begin, end) of a loop that starts at `origin`.
template <class Index, class Body>
struct LoopBody {
    Body& body;
    Index origin;

    void operator()(std::uint64_t begin, std::uint64_t end) const {
        if constexpr (kTakesIndex<Body, Index>) {
            // Unsigned: the range may be wider than Index goes in one direction.
            const auto base = static_cast<std::uint64_t>(static_cast<std::int64_t>(origin));
            for (std::uint64_t i = begin; i < end; ++i) body(static_cast<Index>(base + i));
        } else {
            const auto base = static_cast<std::size_t>(origin);
            body(IndexRange{base + static_cast<std::size_t>(begin), base + static_cast<std::size_t>(end)});
        }
    }
};

}  // namespace impl

// Calls body(i) for every i in [first, last), or body(IndexRange) for pieces of it, in no particular order and on any
// number of workers. The loop is split on demand: it runs as one serial loop until a worker is idle and the rest is
// worth sharing, so there is no grain size to choose. If a body throws, what has not started is left out and the first
// error is rethrown when all has ended.
//
// name: what traces call the pieces that other threads take, instead of "loop piece". A literal, or trace_name.
template <class First, class Last, class Body>
requires(!std::ranges::range<First>) void parallel_for(Pool& pool, First first, Last last, Body&& body,
                                                       const char* name = nullptr) {
    static_assert(std::is_integral_v<First> && std::is_integral_v<Last>, "the range is made of integers");
    using Index = std::common_type_t<First, Last>;
    using Function = std::remove_reference_t<Body>;
    // Not `||`: a generic body that takes indices must not be instantiated with a range.
    static_assert(std::disjunction_v<std::is_invocable<Function&, Index>, std::is_invocable<Function&, IndexRange>>,
                  "the body is called with an index or with an IndexRange");
    if (!std::in_range<Index>(first) || !std::in_range<Index>(last)) {
        throw std::invalid_argument("parallel_for: a negative bound does not go with an unsigned one");
    }
    const auto begin = static_cast<Index>(first);
    const auto end = static_cast<Index>(last);
    if (begin >= end) return;
    if constexpr (!impl::kTakesIndex<Function, Index> && std::is_signed_v<Index>) {
        if (begin < 0) throw std::invalid_argument("parallel_for: a loop over IndexRange starts at 0 or above");
    }
    using Unsigned = std::make_unsigned_t<Index>;
    const auto count = static_cast<Unsigned>(static_cast<Unsigned>(end) - static_cast<Unsigned>(begin));
    const impl::LoopBody<Index, Function> loop_body{body, begin};
    impl::run_loop(pool, count, loop_body, name);
}

// Calls body(element) for every element of a range, as the loop over its indices does.
template <std::ranges::random_access_range Range, class Body>
requires std::invocable<Body&, std::ranges::range_reference_t<Range>>
void parallel_for(Pool& pool, Range&& range, Body&& body, const char* name = nullptr) {
    const auto first = std::ranges::begin(range);
    using Difference = std::ranges::range_difference_t<Range>;
    parallel_for(
        pool, Difference{0}, static_cast<Difference>(std::ranges::distance(range)),
        [&body, first](Difference i) { std::invoke(body, first[i]); }, name);
}

}  // namespace quarry
