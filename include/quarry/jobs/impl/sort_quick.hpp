#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

#include "quarry/jobs/impl/sort_element.hpp"
#include "quarry/jobs/impl/sort_heap.hpp"
#include "quarry/jobs/impl/sort_partition.hpp"
#include "quarry/jobs/impl/sort_small.hpp"

// Quicksort in place, on one thread.

namespace quarry::impl::sorting {

// How many badly unbalanced partitions a range may see before it is left to the heap sort.
inline int bad_partition_limit(std::ptrdiff_t count) {
    return static_cast<int>(std::bit_width(static_cast<std::size_t>(count)));
}

template <class I>
struct Split {
    I left_end;
    I right_begin;
    bool balanced;
};

// One step of quicksort on [first, last): all before left_end belongs before all from right_begin on, and
// what is between is in its final place. With has_lower the element before `first` is no greater than any in
// the range; when the pivot equals it, all elements equal to it are gathered at the front and are done: many
// equal keys cost linear time.
template <class I, class Less, class Partition>
Split<I> split(I first, I last, bool has_lower, Less& less, Partition partition) {
    const I pivot = choose_pivot(first, last, less);
    if (has_lower && !less(*(first - 1), *pivot)) {
        const I lower = first - 1;
        const I equal_end = partition(first, last, [&less, lower](const auto& x) { return !less(*lower, x); });
        return {first, equal_end, equal_end != first};
    }
    if (pivot != first) swap_elements(first, pivot);
    const I middle = partition_around_first(first, last, less, partition);
    const std::ptrdiff_t smaller = std::min(middle - first, last - middle);
    return {middle, middle + 1, smaller >= (last - first) / 8};
}

template <class I, class Less>
void quick_sort(I first, I last, bool has_lower, int bad_partitions_left, Less& less) {
    while (last - first > kSmallSortLimit<I>) {
        if (bad_partitions_left == 0) return heap_sort(first, last, less);
        const Split<I> parts = split(first, last, has_lower, less,
                                     [](I from, I to, auto goes_left) { return partition_by(from, to, goes_left); });
        if (!parts.balanced) --bad_partitions_left;
        quick_sort(first, parts.left_end, has_lower, bad_partitions_left, less);
        first = parts.right_begin;
        has_lower = true;
    }
    small_sort(first, last, less);
}

template <class I, class Less>
void quick_sort(I first, I last, Less& less) {
    quick_sort(first, last, false, bad_partition_limit(last - first), less);
}

}  // namespace quarry::impl::sorting
