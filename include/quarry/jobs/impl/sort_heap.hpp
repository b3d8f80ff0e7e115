#pragma once

#include <cstddef>

#include "quarry/jobs/impl/sort_element.hpp"

namespace quarry::impl::sorting {

template <class I, class Less>
void sift_down(I first, std::ptrdiff_t parent, std::ptrdiff_t count, Less& less) {
    while (2 * parent + 1 < count) {
        std::ptrdiff_t child = 2 * parent + 1;
        if (child + 1 < count && less(first[child], first[child + 1])) ++child;
        if (!less(first[parent], first[child])) return;
        swap_elements(first + parent, first + child);
        parent = child;
    }
}

// The way out when quicksort meets an input that defeats its pivots: never more than n log n steps. Swaps
// only, because std::sort_heap would lose the element it holds when a comparison throws.
template <class I, class Less>
void heap_sort(I first, I last, Less& less) {
    const std::ptrdiff_t count = last - first;
    for (std::ptrdiff_t parent = count / 2; parent-- > 0;) sift_down(first, parent, count, less);
    for (std::ptrdiff_t end = count; end-- > 1;) {
        swap_elements(first, first + end);
        sift_down(first, 0, end, less);
    }
}

}  // namespace quarry::impl::sorting
