#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "quarry/jobs/impl/fork.hpp"
#include "quarry/jobs/impl/quick_start.hpp"

namespace quarry::impl {

// The fixed tree of parallel_reduce over the offsets 0 .. count - 1, count > 0. Its shape is a function of
// `count` alone; which thread evaluates a node, and whether in parallel at all, changes no result.
template <class T, class Map, class Combine>
class ReduceTree {
  public:
    ReduceTree(std::ptrdiff_t count, Map& map, Combine& combine)
        : count_(count), leaf_(leaf_length(count)), map_(map), combine_(combine) {}

    // The first leaf is timed: a tree that promises to be short is evaluated by the caller alone.
    T evaluate(Pool& pool) {
        const auto start = std::chrono::steady_clock::now();
        first_leaf_ = fold(0, std::min(leaf_, count_));
        if (count_ <= leaf_) return std::move(*first_leaf_);
        if (!worth_sharing(start, count_ / leaf_)) return evaluate_alone(0, count_);
        return evaluate_joined(ForkPoint::outermost(pool), 0, count_);
    }

    // Long enough to make the cost of a join vanish for maps of a nanosecond, short enough to leave some
    // hundred leaves to share when maps take a millisecond.
    static std::ptrdiff_t leaf_length(std::ptrdiff_t count) { return std::clamp<std::ptrdiff_t>(count / 128, 1, 32); }

  private:
    T evaluate_joined(ForkPoint at, std::ptrdiff_t first, std::ptrdiff_t count) {
        if (count <= leaf_) return leaf(first, count);
        const std::ptrdiff_t left_count = left_of(count);
        auto [left, right] =
            at.join([&] { return evaluate_joined(ForkPoint::nested(), first, left_count); },
                    [&] { return evaluate_joined(ForkPoint::nested(), first + left_count, count - left_count); });
        return static_cast<T>(combine_(std::move(left), std::move(right)));
    }

    T evaluate_alone(std::ptrdiff_t first, std::ptrdiff_t count) {
        if (count <= leaf_) return leaf(first, count);
        const std::ptrdiff_t left_count = left_of(count);
        T left = evaluate_alone(first, left_count);
        T right = evaluate_alone(first + left_count, count - left_count);
        return static_cast<T>(combine_(std::move(left), std::move(right)));
    }

    // Whole leaves go to the left, so that only the last leaf of all is shorter.
    std::ptrdiff_t left_of(std::ptrdiff_t count) const {
        const std::ptrdiff_t leaves = count / leaf_ + (count % leaf_ != 0 ? 1 : 0);
        return (leaves + 1) / 2 * leaf_;
    }

    T leaf(std::ptrdiff_t first, std::ptrdiff_t count) {
        if (first == 0) return std::move(*first_leaf_);
        return fold(first, count);
    }

    T fold(std::ptrdiff_t first, std::ptrdiff_t count) {
        T result = static_cast<T>(map_(first));
        for (std::ptrdiff_t i = first + 1; i < first + count; ++i) {
            result = static_cast<T>(combine_(std::move(result), map_(i)));
        }
        return result;
    }

    const std::ptrdiff_t count_;
    const std::ptrdiff_t leaf_;
    Map& map_;
    Combine& combine_;
    std::optional<T> first_leaf_;
};

}  // namespace quarry::impl
