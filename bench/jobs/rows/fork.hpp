#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "jobs/measure.hpp"
#include "jobs/rows/context.hpp"
#include "jobs/rows/tree.hpp"
#include "jobs/rows/uts_tree.hpp"

// Rows of plain fork and join. Nothing is cut off: every call, node and placement is a fork, so the rows show what
// a fork costs. All engines run this code; only E::join and E::fork_n differ.
namespace quarry::bench {

inline void require(bool right, const char* what) {
    if (!right) throw std::runtime_error(std::string("wrong result of ") + what);
}

// Neither inlined into itself nor turned into a loop, so that the plain recursion of the baseline stays one.
template <class E>
[[gnu::noinline]] std::uint64_t fib(unsigned n) {
    if (n < 2) return n;
    auto [left, right] = E::join([n] { return fib<E>(n - 1); }, [n] { return fib<E>(n - 2); });
    pin(left);
    pin(right);
    return left + right;
}

inline constexpr unsigned kFib = 30;
inline constexpr double kFibCalls = 2.0 * 1'346'269 - 1;  // calls(n) = 2 fib(n + 1) - 1

// The same by a join that names its pool at every level.
template <class E>
[[gnu::noinline]] std::uint64_t fib_in_pool(E& engine, unsigned n) {
    if (n < 2) return n;
    auto [left, right] = engine.pool_join([&engine, n] { return fib_in_pool(engine, n - 1); },
                                          [&engine, n] { return fib_in_pool(engine, n - 2); });
    pin(left);
    pin(right);
    return left + right;
}

template <class Fib>
double seconds_per_fib_call(RowContext& context, Fib fib_of) {
    const double seconds = seconds_per_call(context.min_seconds(), [&] {
        unsigned n = kFib;
        keep(n);
        require(fib_of(n) == 832'040, "fib");
    });
    return seconds / kFibCalls;
}

template <class E>
void run_fib(E& engine, RowContext& context) {
    engine.enter([&] {
        context.add_time("fib", seconds_per_fib_call(context, [](unsigned n) { return fib<E>(n); }));
        if constexpr (requires { engine.pool_join([] {}, [] {}); }) {
            context.add_time("fib_pool",
                             seconds_per_fib_call(context, [&](unsigned n) { return fib_in_pool(engine, n); }));
        }
    });
}

template <class E>
[[gnu::noinline]] std::uint64_t tree_sum(const TreeNode* nodes, std::uint32_t index) {
    const TreeNode& node = nodes[index];
    if (node.left == 0) return node.value;
    auto [left, right] = E::join([nodes, child = node.left] { return tree_sum<E>(nodes, child); },
                                 [nodes, child = node.right] { return tree_sum<E>(nodes, child); });
    pin(left);
    pin(right);
    return node.value + left + right;
}

template <class E>
void measure_tree_sum(E& engine, RowContext& context, const std::vector<TreeNode>& tree, const char* name) {
    engine.enter([&] {
        const double seconds = seconds_per_call(context.min_seconds(), [&] {
            const TreeNode* nodes = tree.data();
            keep(nodes);
            require(tree_sum<E>(nodes, 0) == tree.size(), "tree_sum");
        });
        context.add_time(name, seconds / static_cast<double>(tree.size()));
    });
}

template <class E>
void run_tree_sum(E& engine, RowContext& context) {
    if (context.data.small_tree.empty()) context.data.small_tree = make_tree(10);
    if (context.data.large_tree.empty()) context.data.large_tree = make_tree(24);
    measure_tree_sum(engine, context, context.data.small_tree, "tree_sum_small");
    measure_tree_sum(engine, context, context.data.large_tree, "tree_sum_large");
}

inline constexpr int kQueens = 12;

template <class E>
[[gnu::noinline]] std::uint32_t place_queens(std::uint32_t columns, std::uint32_t falling, std::uint32_t rising) {
    constexpr std::uint32_t kAll = (1u << kQueens) - 1;
    if (columns == kAll) return 1;
    std::array<std::uint32_t, kQueens> places{};
    int count = 0;
    for (std::uint32_t free = kAll & ~(columns | falling | rising); free != 0; free &= free - 1) {
        places[static_cast<std::size_t>(count++)] = free & (~free + 1);
    }
    return E::fork_n(count, [&places, columns, falling, rising](int index) {
        const std::uint32_t place = places[static_cast<std::size_t>(index)];
        return place_queens<E>(columns | place, (falling | place) << 1, (rising | place) >> 1);
    });
}

template <class E>
void run_nqueens(E& engine, RowContext& context) {
    engine.enter([&] {
        const double seconds = seconds_per_call(context.min_seconds(), [] {
            std::uint32_t start = 0;
            keep(start);
            require(place_queens<E>(start, 0, 0) == 14'200, "nqueens");
        });
        context.add_time("nqueens", seconds);
    });
}

template <class E>
std::uint32_t count_uts(const UtsNode& node) {
    const int children = node.children();
    if (children == 0) return 1;
    return 1 + E::fork_n(children, [&node](int index) { return count_uts<E>(node.child(index)); });
}

template <class E>
void run_uts(E& engine, RowContext& context) {
    engine.enter([&] {
        const double seconds = seconds_per_call(0, [] {
            const UtsNode root = UtsNode::root();
            require(count_uts<E>(root) == kUtsNodes, "uts");
        });
        context.add_time("uts", seconds);
    });
}

template <class E>
[[gnu::noinline]] std::uint64_t skynet(std::uint64_t first, std::uint64_t size) {
    if (size == 1) return first;
    const std::uint64_t part = size / 10;
    return E::fork_n(
        10, [first, part](int index) { return skynet<E>(first + static_cast<std::uint64_t>(index) * part, part); });
}

template <class E>
void run_skynet(E& engine, RowContext& context) {
    engine.enter([&] {
        const double seconds = seconds_per_call(context.min_seconds(), [] {
            std::uint64_t first = 0;
            keep(first);
            require(skynet<E>(first, 1'000'000) == 499'999'500'000, "skynet");
        });
        context.add_time("skynet", seconds);
    });
}

}  // namespace quarry::bench
