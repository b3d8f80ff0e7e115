#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "quarry/jobs/impl/sort_element.hpp"
#include "quarry/jobs/impl/sort_heap.hpp"
#include "quarry/jobs/impl/sort_partition.hpp"
#include "quarry/jobs/impl/sort_small.hpp"
#include "quarry/jobs/impl/sort_text.hpp"

// Quicksort in place, on one thread.

namespace quarry::impl::sorting {

// Longer leaves gain little more and take more than these 18 KiB of stack.
inline constexpr std::ptrdiff_t kTextLeaf = 1'024;

template <class I, class Less>
inline constexpr std::ptrdiff_t kLeafLimit = SortsText<I, Less> ? kTextLeaf : kSmallSortLimit<I>;

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
// what is between is in its final place. When the pivot equals the lower bound, all elements equal to it are
// gathered at the front and are done: many equal keys cost linear time.
template <class I, class Less, class Partition>
Split<I> split(I first, I last, Bounds bounds, Less& less, Partition partition) {
    const I pivot = choose_pivot(first, last, less);
    if (bounds.lower && !less(*(first - 1), *pivot)) {
        const I lower = first - 1;
        const I equal_end = partition(first, last, [&less, lower](const auto& x) { return !less(*lower, x); });
        return {first, equal_end, equal_end != first};
    }
    if (pivot != first) swap_elements(first, pivot);
    const I middle = partition_around_first(first, last, bounds, less, partition);
    const std::ptrdiff_t smaller = std::min(middle - first, last - middle);
    return {middle, middle + 1, smaller >= (last - first) / 8};
}

template <class I, class Less>
void sort_leaf(I first, I last, Bounds bounds, Less& less);

template <class I, class Less>
void quick_sort(I first, I last, Bounds bounds, int bad_partitions_left, Less& less) {
    while (last - first > kLeafLimit<I, Less>) {
        if (bad_partitions_left == 0) return heap_sort(first, last, less);
        const Split<I> parts = split(first, last, bounds, less,
                                     [](I from, I to, auto goes_left) { return partition_by(from, to, goes_left); });
        if (!parts.balanced) --bad_partitions_left;
        quick_sort(first, parts.left_end, bounds.of_left(), bad_partitions_left, less);
        first = parts.right_begin;
        bounds = bounds.of_right();
    }
    sort_leaf(first, last, bounds, less);
}

template <class I, class Less>
void quick_sort(I first, I last, Less& less) {
    quick_sort(first, last, Bounds{}, bad_partition_limit(last - first), less);
}

struct TextEntry {
    std::uint64_t key;
    std::uint16_t index;
};

// Sorts keys and indices as cheap elements, then moves each string to its place.
template <class I>
void sort_text_leaf(I first, I last, Bounds bounds) {
    const std::ptrdiff_t count = last - first;
    if (count < 2) return;
    const TextOrder order = bounds.both() ? TextOrder::between(first - 1, last) : TextOrder::among(first, last);
    UninitialisedArray<TextEntry, kTextLeaf> entry_storage;
    TextEntry* const entries = entry_storage.data();
    for (std::ptrdiff_t i = 0; i < count; ++i) entries[i] = {order.key(first[i]), static_cast<std::uint16_t>(i)};
    auto less = [order, first](const TextEntry& a, const TextEntry& b) {
        if (a.key != b.key) [[likely]]
            return a.key < b.key;
        return order.tied_less(first[a.index], first[b.index]);
    };
    quick_sort(entries, entries + count, less);
    UninitialisedArray<std::uint16_t, kTextLeaf> index_storage;
    std::uint16_t* const indices = index_storage.data();
    for (std::ptrdiff_t i = 0; i < count; ++i) indices[i] = entries[i].index;
    apply_order(first, indices, static_cast<std::uint16_t>(count));
}

template <class I, class Less>
void sort_leaf(I first, I last, Bounds bounds, Less& less) {
    if constexpr (SortsText<I, Less>) {
        sort_text_leaf(first, last, bounds);
    } else {
        small_sort(first, last, less);
    }
}

}  // namespace quarry::impl::sorting
