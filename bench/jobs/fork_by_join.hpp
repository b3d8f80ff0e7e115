#pragma once

#include <utility>

namespace quarry::bench {

inline constexpr int kMaxFork = 100;  // children of one node in any row

// The sum of f(first) to f(last - 1) by halving: how engines without a cheaper way fork many at once.
template <class E, class F>
auto fork_by_join(int first, int last, const F& f) -> decltype(f(0)) {
    if (last <= first) return {};
    if (last - first == 1) return f(first);
    const int middle = first + (last - first) / 2;
    auto [left, right] = E::join([first, middle, &f] { return fork_by_join<E>(first, middle, f); },
                                 [middle, last, &f] { return fork_by_join<E>(middle, last, f); });
    return left + right;
}

}  // namespace quarry::bench
