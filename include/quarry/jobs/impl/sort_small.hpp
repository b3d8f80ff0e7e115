#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "quarry/jobs/impl/sort_element.hpp"

// The leaves of the sort: ranges of a few dozen elements.
//
// Cheap elements (see CheapToCopy) go through sorting networks and merges whose inner steps select values
// without a branch, because on random keys a mispredicted branch costs more than the comparison it guards.
// All others have their indices sorted that way, unless a move might throw.

namespace quarry::impl::sorting {

inline constexpr std::ptrdiff_t kLargestNetwork = 8;
inline constexpr std::ptrdiff_t kSmallCheap = 8 * kLargestNetwork;
inline constexpr std::ptrdiff_t kSmallIndirect = 64;
inline constexpr std::ptrdiff_t kSmallBySwaps = 16;

struct Comparator {
    std::size_t low;
    std::size_t high;
};

// Visits the comparators of Batcher's odd-even merge sort for `width` lines. For up to 8 lines their number
// is the smallest possible.
template <class Visit>
constexpr void visit_comparators(std::size_t width, Visit visit) {
    for (std::size_t run = 1; run < width; run *= 2) {
        for (std::size_t distance = run; distance >= 1; distance /= 2) {
            for (std::size_t low = distance % run; low + distance < width; ++low) {
                const bool in_first_half = ((low - distance % run) / distance) % 2 == 0;
                const bool same_merge = low / (2 * run) == (low + distance) / (2 * run);
                if (in_first_half && same_merge) visit(Comparator{low, low + distance});
            }
        }
    }
}

template <std::size_t kWidth>
constexpr auto make_network() {
    constexpr std::size_t kCount = [] {
        std::size_t count = 0;
        visit_comparators(kWidth, [&](Comparator) { ++count; });
        return count;
    }();
    std::array<Comparator, kCount> network{};
    std::size_t next = 0;
    visit_comparators(kWidth, [&](Comparator comparator) { network[next++] = comparator; });
    return network;
}

// Sorts exactly kWidth elements from `source` into `target`, which may be the same place. Nothing is written
// before the last comparison, so a comparison that throws changes nothing.
template <std::size_t kWidth, CheapToCopy T, class Less>
inline void network_sort(const T* source, T* target, Less& less) {
    static constexpr auto kNetwork = make_network<kWidth>();
    [&]<std::size_t... kLine>(std::index_sequence<kLine...>) {
        T line[kWidth] = {source[kLine]...};
        [&]<std::size_t... kStep>(std::index_sequence<kStep...>) {
            (order_pair(line[kNetwork[kStep].low], line[kNetwork[kStep].high], less), ...);
        }
        (std::make_index_sequence<kNetwork.size()>{});
        ((target[kLine] = line[kLine]), ...);
    }
    (std::make_index_sequence<kWidth>{});
}

template <CheapToCopy T, class Less>
void network_sort_any(const T* source, T* target, std::ptrdiff_t count, Less& less) {
    switch (count) {
        case 8:
            return network_sort<8>(source, target, less);
        case 7:
            return network_sort<7>(source, target, less);
        case 6:
            return network_sort<6>(source, target, less);
        case 5:
            return network_sort<5>(source, target, less);
        case 4:
            return network_sort<4>(source, target, less);
        case 3:
            return network_sort<3>(source, target, less);
        case 2:
            return network_sort<2>(source, target, less);
        case 1:
            *target = *source;
            return;
        default:
            return;
    }
}

// Merges the sorted halves of `source`, the first one of count / 2 elements, into `target`. It works from
// both ends at once: two independent chains of loads hide each other's latency, and since either end takes
// count / 2 steps no step needs a bounds check. False: the two ends did not meet, so `less` is no strict weak
// order and `target` is garbage.
template <CheapToCopy T, class Less>
inline bool merge_halves(const T* source, T* target, std::ptrdiff_t count, Less& less) {
    const std::ptrdiff_t half = count / 2;
    const T* const right = source + half;
    std::ptrdiff_t left_taken = 0;
    std::ptrdiff_t right_taken = 0;
    for (std::ptrdiff_t step = 0; step < half; ++step) {
        const T left_front = source[left_taken];
        const T right_front = right[step - left_taken];
        const bool take_right = less(right_front, left_front);
        target[step] = take_right ? right_front : left_front;
        left_taken += !take_right;
        const T left_back = right[right_taken - step - 1];
        const T right_back = source[count - 1 - right_taken];
        const bool take_left = less(right_back, left_back);
        target[count - 1 - step] = take_left ? left_back : right_back;
        right_taken += !take_left;
    }
    if (count % 2 != 0) {
        const bool from_left = left_taken + half - right_taken < half;
        target[half] = from_left ? source[left_taken] : right[half - left_taken];
        left_taken += from_left;
    }
    return left_taken == right_taken;
}

// Until it is released, puts the saved elements back: merging overwrites the only other copy.
template <CheapToCopy T>
class RestoreOnExit {
  public:
    RestoreOnExit(T* place, const T* saved, std::ptrdiff_t count) : place_(place), saved_(saved), count_(count) {}
    RestoreOnExit(const RestoreOnExit&) = delete;
    RestoreOnExit& operator=(const RestoreOnExit&) = delete;
    ~RestoreOnExit() {
        if (place_ != nullptr) std::copy_n(saved_, count_, place_);
    }
    void release() { place_ = nullptr; }

  private:
    T* place_;
    const T* saved_;
    std::ptrdiff_t count_;
};

// Sorts the `count` elements at `place` through kMerges levels of merging above the networks. The levels
// alternate between `place` and `scratch`; the result is in `place` if kInPlace, else in `scratch`. At any
// moment one of the two holds all elements, and `place` does again when a comparison throws or this returns
// false.
template <int kMerges, bool kInPlace, CheapToCopy T, class Less>
inline bool sort_by_merging(T* place, T* scratch, std::ptrdiff_t count, Less& less) {
    if constexpr (kMerges == 0) {
        network_sort_any(place, kInPlace ? place : scratch, count, less);
        return true;
    } else {
        const std::ptrdiff_t half = count / 2;
        if (!sort_by_merging<kMerges - 1, !kInPlace>(place, scratch, half, less)) return false;
        if (!sort_by_merging<kMerges - 1, !kInPlace>(place + half, scratch + half, count - half, less)) return false;
        if constexpr (!kInPlace) return merge_halves(place, scratch, count, less);
        RestoreOnExit<T> restore(place, scratch, count);
        if (!merge_halves(scratch, place, count, less)) return false;
        restore.release();
        return true;
    }
}

template <CheapToCopy T, class Less>
void small_sort_cheap(T* first, std::ptrdiff_t count, Less& less) {
    UninitialisedArray<T, kSmallCheap> scratch;
    if (count <= kLargestNetwork) {
        sort_by_merging<0, true>(first, scratch.data(), count, less);
    } else if (count <= 2 * kLargestNetwork) {
        sort_by_merging<1, true>(first, scratch.data(), count, less);
    } else if (count <= 4 * kLargestNetwork) {
        sort_by_merging<2, true>(first, scratch.data(), count, less);
    } else {
        sort_by_merging<3, true>(first, scratch.data(), count, less);
    }
}

// Moves every element at most once, plus one parking for each cycle: place i receives the element order[i].
template <class I, class Index>
void apply_order(I first, Index* order, Index count) {
    for (Index start = 0; start < count; ++start) {
        if (order[start] == start) continue;
        Hole<I> hole(first + start);
        Index place = start;
        while (order[place] != start) {
            hole.move_to(first + order[place]);
            place = std::exchange(order[place], place);
        }
        order[place] = place;
    }
}

// For elements that are dear to move or to compare: sorts their indices as cheap elements, then moves each
// element to its place.
template <class I, class Less>
void small_sort_indirect(I first, std::ptrdiff_t count, Less& less) {
    std::uint8_t order[static_cast<std::size_t>(kSmallIndirect)];
    for (std::ptrdiff_t i = 0; i < count; ++i) order[i] = static_cast<std::uint8_t>(i);
    auto less_at = [&](std::uint8_t a, std::uint8_t b) { return less(first[a], first[b]); };
    small_sort_cheap(order, count, less_at);
    apply_order(first, order, static_cast<std::uint8_t>(count));
}

template <class I, class Less>
void small_sort_by_swaps(I first, I last, Less& less) {
    if (first == last) return;
    for (I next = first + 1; next != last; ++next) {
        for (I place = next; place != first && less(*place, *(place - 1)); --place) swap_elements(place, place - 1);
    }
}

template <class I>
inline constexpr std::ptrdiff_t kSmallSortLimit = CheapPointer<I>       ? kSmallCheap
                                                  : kMovesNeverThrow<I> ? kSmallIndirect
                                                                        : kSmallBySwaps;

template <class I, class Less>
void small_sort(I first, I last, Less& less) {
    if constexpr (CheapPointer<I>) {
        small_sort_cheap(first, last - first, less);
    } else if constexpr (kMovesNeverThrow<I>) {
        small_sort_indirect(first, last - first, less);
    } else {
        small_sort_by_swaps(first, last, less);
    }
}

}  // namespace quarry::impl::sorting
