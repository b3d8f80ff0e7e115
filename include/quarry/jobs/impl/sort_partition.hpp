#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "quarry/jobs/impl/sort_element.hpp"
#include "quarry/jobs/impl/sort_text.hpp"

// Pivot selection and the two partitions: branch-free for cheap elements, few moves for all others.

namespace quarry::impl::sorting {

template <class I, class Less>
I median_of_three(I a, I b, I c, Less& less) {
    if (less(*b, *a)) std::swap(a, b);
    if (less(*c, *b)) b = less(*c, *a) ? a : c;
    return b;
}

// The median of three medians of three and so on: a sample that grows with about the square root of the
// length, taken from three separate stretches, so that patterns in the input do not line up with it.
template <class I, class Less>
I pseudo_median(I a, I b, I c, std::ptrdiff_t stretch, Less& less) {
    constexpr std::ptrdiff_t kRecurseFrom = 8;
    if (stretch >= kRecurseFrom) {
        const std::ptrdiff_t part = stretch / 8;
        a = pseudo_median(a, a + part * 4, a + part * 7, part, less);
        b = pseudo_median(b, b + part * 4, b + part * 7, part, less);
        c = pseudo_median(c, c + part * 4, c + part * 7, part, less);
    }
    return median_of_three(a, b, c, less);
}

template <class I, class Less>
I choose_pivot(I first, I last, Less& less) {
    const std::ptrdiff_t part = (last - first) / 8;
    return pseudo_median(first, first + part * 4, first + part * 7, part, less);
}

// Branch-free: every element is written twice, to the front and to where the front's element came from, and
// only the position of the front depends on the comparison.
template <CheapToCopy T, class GoesLeft>
T* partition_cheap(T* first, T* last, GoesLeft goes_left) {
    if (first == last) return first;
    T* front = first;
    {
        Hole<T*> hole(first);
        T* next = first + 1;
        const auto place_next = [&] {
            const bool left = goes_left(*next);
            hole.move_to(front);
            hole.move_to(next++);
            front += left;
        };
        while (last - next >= 4) {
            place_next();
            place_next();
            place_next();
            place_next();
        }
        while (next != last) place_next();
        const bool left = goes_left(hole.value());
        hole.move_to(front);
        front += left;
    }
    return front;
}

// Two blocks, at the front and at the back, are compared first, which notes the misplaced elements in a bit
// set without branching on the result; then misplaced elements of both are exchanged. No step relies on an answer of
// `goes_left` that was given before: one that answers differently for the same element moves elements to the wrong
// side, and never leaves the range.
template <class I, class GoesLeft>
I partition_general(I first, I last, GoesLeft goes_left) {
    constexpr int kBlock = 64;
    std::uint64_t front_misplaced = 0;
    std::uint64_t back_misplaced = 0;
    while (last - first >= 2 * kBlock) {
        if (front_misplaced == 0) {
            for (int i = 0; i < kBlock; ++i) front_misplaced |= std::uint64_t{!goes_left(first[i])} << i;
        }
        if (back_misplaced == 0) {
            for (int i = 0; i < kBlock; ++i) back_misplaced |= std::uint64_t{goes_left(last[-1 - i])} << i;
        }
        while (front_misplaced != 0 && back_misplaced != 0) {
            swap_elements(first + std::countr_zero(front_misplaced), last - 1 - std::countr_zero(back_misplaced));
            front_misplaced &= front_misplaced - 1;
            back_misplaced &= back_misplaced - 1;
        }
        if (front_misplaced == 0) first += kBlock;
        if (back_misplaced == 0) last -= kBlock;
    }
    while (true) {
        while (first != last && goes_left(*first)) ++first;
        // What `first` refers to, if anything, goes right: it is not asked again.
        do {
            if (last - first <= 1) return first;
            --last;
        } while (!goes_left(*last));
        swap_elements(first, last);
        ++first;
    }
}

// Moves the elements for which `goes_left` holds to the front and returns where they end.
template <class I, class GoesLeft>
I partition_by(I first, I last, GoesLeft goes_left) {
    if constexpr (CheapPointer<I>) {
        return partition_cheap(first, last, goes_left);
    } else {
        return partition_general(first, last, goes_left);
    }
}

// Partitions around the first element, by means of `partition(first, last, goes_left)`, and moves it between
// the two sides; returns its place.
template <class I, class Less, class Partition>
I partition_around_first(I first, I last, [[maybe_unused]] Bounds bounds, Less& less, Partition partition) {
    I middle;
    if constexpr (SortsText<I, Less>) {
        const TextOrder order = bounds.both() ? TextOrder::between(first - 1, last) : TextOrder(0);
        const std::uint64_t pivot_key = order.key(*first);
        middle = partition(first + 1, last, [order, pivot_key, first](const auto& x) {
            const std::uint64_t key = order.key(x);
            return key != pivot_key ? key < pivot_key : order.tied_less(x, *first);
        });
    } else if constexpr (CheapPointer<I>) {
        const std::iter_value_t<I> pivot = *first;
        middle = partition(first + 1, last, [&less, pivot](const auto& x) { return less(x, pivot); });
    } else {
        middle = partition(first + 1, last, [&less, first](const auto& x) { return less(x, *first); });
    }
    --middle;
    if (middle != first) swap_elements(first, middle);
    return middle;
}

}  // namespace quarry::impl::sorting
