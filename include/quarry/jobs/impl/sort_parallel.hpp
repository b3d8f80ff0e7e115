#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "quarry/jobs/impl/fork.hpp"
#include "quarry/jobs/impl/sort_element.hpp"
#include "quarry/jobs/impl/sort_quick.hpp"

// The parallel driver: quicksort whose two sides are joined, and whose first partitions - when there are
// fewer sides than workers - are parallel themselves. All of it is in place.
//
// Exceptions need no bookkeeping: every step leaves a permutation of the elements behind, and join returns
// only when both sides have ended.

namespace quarry::impl::sorting {

// Below this a range is sorted by one thread.
inline constexpr std::ptrdiff_t kSerialSort = 2'048;
// Below this a range is partitioned, swapped or checked by one thread: about 100 us for cheap elements.
inline constexpr std::ptrdiff_t kSerialSweep = 1 << 17;

// Exchanges [a, a + count) with [b, b + count).
template <class I>
void parallel_swap(ForkPoint at, I a, I b, std::ptrdiff_t count) {
    if (count <= kSerialSweep) {
        for (; count > 0; --count, ++a, ++b) swap_elements(a, b);
        return;
    }
    const std::ptrdiff_t half = count / 2;
    at.join([&] { parallel_swap(ForkPoint::nested(), a, b, half); },
            [&] { parallel_swap(ForkPoint::nested(), a + half, b + half, count - half); });
}

// Partitions both halves, then exchanges what the first half has on the right with what the second half has
// on the left.
template <class I, class GoesLeft>
I parallel_partition(ForkPoint at, I first, I last, GoesLeft goes_left, std::ptrdiff_t serial_up_to) {
    if (last - first <= serial_up_to) return partition_by(first, last, goes_left);
    const I middle = first + (last - first) / 2;
    I first_left_end = first;
    I second_left_end = middle;
    at.join([&] { first_left_end = parallel_partition(ForkPoint::nested(), first, middle, goes_left, serial_up_to); },
            [&] { second_left_end = parallel_partition(ForkPoint::nested(), middle, last, goes_left, serial_up_to); });
    const std::ptrdiff_t misplaced = std::min(middle - first_left_end, second_left_end - middle);
    parallel_swap(at, first_left_end, second_left_end - misplaced, misplaced);
    return first_left_end + (second_left_end - middle);
}

// Whether `in_order(x, next)` holds for all neighbours.
template <class I, class InOrder>
bool all_neighbours(ForkPoint at, I first, I last, InOrder in_order) {
    const std::ptrdiff_t count = last - first;
    if (count <= kSerialSweep) {
        for (I next = first + 1; next < last; ++next) {
            if (!in_order(*(next - 1), *next)) return false;
        }
        return true;
    }
    const I middle = first + count / 2;
    bool first_half = false;
    bool second_half = false;
    at.join([&] { first_half = all_neighbours(ForkPoint::nested(), first, middle + 1, in_order); },
            [&] { second_half = all_neighbours(ForkPoint::nested(), middle, last, in_order); });
    return first_half && second_half;
}

template <class I>
void parallel_reverse(ForkPoint at, I first, I last) {
    const std::ptrdiff_t count = last - first;
    if (count <= kSerialSweep) {
        while (last - first > 1) swap_elements(first++, --last);
        return;
    }
    const std::ptrdiff_t quarter = count / 4;
    at.join(
        [&, first, last] {
            for (std::ptrdiff_t i = 0; i < quarter; ++i) swap_elements(first + i, last - 1 - i);
        },
        [&, first, last] { parallel_reverse(ForkPoint::nested(), first + quarter, last - quarter); });
}

// Sorts what is in order or in reverse order already. A short look at the start decides for nearly all other
// inputs.
template <class I, class Less>
bool sort_if_monotonic(ForkPoint at, I first, I last, Less& less) {
    constexpr std::ptrdiff_t kLook = 64;
    const I look_end = first + std::min(kLook, last - first);
    const auto ascending = [&less](const auto& x, const auto& next) { return !less(next, x); };
    const auto descending = [&less](const auto& x, const auto& next) { return !less(x, next); };
    if (all_neighbours(at, first, look_end, ascending)) return all_neighbours(at, first, last, ascending);
    if (!all_neighbours(at, first, look_end, descending)) return false;
    if (!all_neighbours(at, first, last, descending)) return false;
    parallel_reverse(at, first, last);
    return true;
}

struct ParallelSortPlan {
    // Ranges longer than this are partitioned by several threads, in pieces of partition_piece.
    std::ptrdiff_t parallel_partition_above;
    std::ptrdiff_t partition_piece;
};

template <class I, class Less>
void parallel_quick_sort(ForkPoint at, I first, I last, Bounds bounds, int bad_partitions_left, Less& less,
                         const ParallelSortPlan& plan) {
    if (last - first <= kSerialSort) return quick_sort(first, last, bounds, bad_partitions_left, less);
    if (bad_partitions_left == 0) return heap_sort(first, last, less);
    const bool together = last - first > plan.parallel_partition_above;
    const Split<I> parts = split(first, last, bounds, less, [&](I from, I to, auto goes_left) {
        return together ? parallel_partition(at, from, to, goes_left, plan.partition_piece)
                        : partition_by(from, to, goes_left);
    });
    if (!parts.balanced) --bad_partitions_left;
    at.join(
        [&] {
            parallel_quick_sort(ForkPoint::nested(), first, parts.left_end, bounds.of_left(), bad_partitions_left, less,
                                plan);
        },
        [&] {
            parallel_quick_sort(ForkPoint::nested(), parts.right_begin, last, bounds.of_right(), bad_partitions_left,
                                less, plan);
        });
}

template <class I, class Less>
void sort_on(Pool& pool, I first, I last, Less& less) {
    const std::ptrdiff_t count = last - first;
    if (count <= kSerialSort) return quick_sort(first, last, less);
    const ForkPoint at = ForkPoint::outermost(pool);
    if (sort_if_monotonic(at, first, last, less)) return;
    const std::ptrdiff_t workers = pool.worker_count();
    const std::ptrdiff_t share = (count + workers - 1) / workers;
    const ParallelSortPlan plan{.parallel_partition_above = workers == 1 ? count : std::max(share, 2 * kSerialSweep),
                                .partition_piece = std::max(share, kSerialSweep)};
    parallel_quick_sort(at, first, last, Bounds{}, bad_partition_limit(count), less, plan);
}

}  // namespace quarry::impl::sorting
