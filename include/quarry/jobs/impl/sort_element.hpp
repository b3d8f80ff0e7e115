#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

// What the sort may assume about its elements, and the few ways in which it moves them.

namespace quarry::impl::sorting {

// Copied freely and selected in registers; larger values are cheaper to move rarely than to select
// branch-free. Weaker than trivially copyable, so that std::pair of two small keys qualifies. A type that can be copied
// for nothing may still have a move of its own, which throws: that one is swapped.
template <class T>
concept CheapToCopy = std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T> &&
                      std::is_nothrow_copy_assignable_v<T> && std::is_nothrow_move_constructible_v<T> &&
                      std::is_nothrow_move_assignable_v<T> && sizeof(T) <= 16;

template <class I>
concept CheapPointer = std::is_pointer_v<I> && CheapToCopy<std::iter_value_t<I>>;

// Elements that can be parked outside of the range for a while: nothing can fail between taking one out and
// putting it back. Proxy references (std::vector<bool>) do not qualify.
template <class I>
inline constexpr bool kMovesNeverThrow = std::is_same_v<std::iter_reference_t<I>, std::iter_value_t<I>&>&&
    std::is_nothrow_move_constructible_v<std::iter_value_t<I>>&&
        std::is_nothrow_move_assignable_v<std::iter_value_t<I>>&& std::is_nothrow_destructible_v<std::iter_value_t<I>>;

// What is known around a range: the element before it is no greater than any in it, the element behind it no less.
// Both stay where they are.
struct Bounds {
    bool lower = false;
    bool upper = false;

    bool both() const { return lower && upper; }
    Bounds of_left() const { return {lower, true}; }
    Bounds of_right() const { return {true, upper}; }
};

// Storage without initialisation: cheap elements are implicit-lifetime types, assigning one makes it exist.
template <CheapToCopy T, std::ptrdiff_t kCapacity>
class UninitialisedArray {
  public:
    T* data() { return reinterpret_cast<T*>(bytes_); }

  private:
    alignas(T) std::byte bytes_[static_cast<std::size_t>(kCapacity) * sizeof(T)];
};

// Puts the smaller of two into `low`. Both outcomes write both, so that compilers select instead of
// branching.
template <CheapToCopy T, class Less>
inline void order_pair(T& low, T& high, Less& less) {
    const T a = low;
    const T b = high;
    const bool swap = less(b, a);
    low = swap ? b : a;
    high = swap ? a : b;
}

// A move that throws half-way through a swap would lose the parked value; one attempt to put it back is made.
template <class I>
void swap_elements(I a, I b) {
    if constexpr (std::is_same_v<std::iter_reference_t<I>, std::iter_value_t<I>&> && !kMovesNeverThrow<I>) {
        std::iter_value_t<I> parked = std::move(*a);
        try {
            *a = std::move(*b);
        } catch (...) {
            *a = std::move(parked);
            throw;
        }
        try {
            *b = std::move(parked);
        } catch (...) {
            *b = std::move(*a);
            *a = std::move(parked);
            throw;
        }
    } else {
        std::ranges::iter_swap(a, b);
    }
}

// An element lifted out of the range, leaving a hole that moves about. Whatever happens, also a comparison
// that throws, the value drops into the hole in the end and the range is a permutation of what it was.
template <class I>
class Hole {
    static_assert(kMovesNeverThrow<I>);

  public:
    explicit Hole(I place) : place_(place), value_(std::move(*place)) {}
    Hole(const Hole&) = delete;
    Hole& operator=(const Hole&) = delete;
    ~Hole() { *place_ = std::move(value_); }

    I place() const { return place_; }
    const std::iter_value_t<I>& value() const { return value_; }

    // Fills the hole from `source`, which becomes the hole.
    void move_to(I source) {
        *place_ = std::move(*source);
        place_ = source;
    }

  private:
    I place_;
    std::iter_value_t<I> value_;
};

}  // namespace quarry::impl::sorting
