#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <ranges>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/sort_parallel.hpp"

namespace quarry {

// Sorts the range by `less`, a strict weak order that may be called from several threads at once. Equal
// elements end up in no particular order. In place: no memory is allocated, elements need only be movable. At
// most n log n comparisons times a constant, whatever the input.
//
// A `less` that is no order, or answers differently for the same two elements, gives a permutation in no order: nothing
// is read or written outside of the range. When a comparison throws, the range holds a permutation of its elements and
// the error is rethrown once no thread touches the range any more. The same holds for a move that throws, if moving the
// other way does not.
template <std::ranges::random_access_range Range, class Less = std::less<>>
requires std::sortable<std::ranges::iterator_t<Range>, Less>
void parallel_sort(Pool& pool, Range&& range, Less less = {}) {
    const auto first = std::ranges::begin(range);
    const auto last = first + std::ranges::distance(range);
    if constexpr (std::ranges::contiguous_range<Range>) {
        impl::sorting::sort_on(pool, std::to_address(first), std::to_address(last), less);
    } else {
        impl::sorting::sort_on(pool, first, last, less);
    }
}

}  // namespace quarry
