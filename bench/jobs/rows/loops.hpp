#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "jobs/rows/context.hpp"
#include "jobs/rows/fork.hpp"

// Rows of loops and of the sort. A body gets a range, so that the inner loop is the same code in every engine.
namespace quarry::bench {

// What an engine without a default grain may know about the costs of a loop's bodies.
enum class LoopCost { even, rising };

// About 1 ns a body: one multiplication and one store, kept scalar by the empty assembly.
inline void touch_cells(std::uint64_t* cells, std::size_t first, std::size_t last) {
    for (std::size_t index = first; index < last; ++index) {
        std::uint64_t value = (cells[index] ^ (cells[index] >> 31)) * 0x9E3779B97F4A7C15ULL;
        asm volatile("" : "+r"(value));
        cells[index] = value + index;
    }
}

inline constexpr std::size_t kSmallLoop = 1'000;
inline constexpr std::size_t kLargeLoop = 10'000'000;
inline constexpr std::size_t kSkewedLoop = 10'000;
inline constexpr std::size_t kKeys = 10'000'000;
inline constexpr std::int64_t kParkedQuietNs = 5'000'000;

template <class E>
void run_loop_small(E& engine, RowContext& context) {
    std::vector<std::uint64_t>& cells = context.data.small_cells;
    if (cells.empty()) cells.assign(kSmallLoop, 1);
    engine.attach([&] {
        const auto loop = [&] {
            engine.for_range(kSmallLoop, LoopCost::even, [data = cells.data()](std::size_t first, std::size_t last) {
                touch_cells(data, first, last);
            });
        };
        for (int round = 0; round < 100; ++round) loop();
        const double hot = seconds_per_call(context.min_seconds(), loop);
        context.add_time("loop_small_hot", hot);

        std::vector<double> parked;
        for (int round = 0; round < (context.quick ? 15 : 31); ++round) {
            sleep_ns(kParkedQuietNs);
            parked.push_back(seconds_per_call(0, loop));
        }
        std::nth_element(parked.begin(), parked.begin() + static_cast<std::ptrdiff_t>(parked.size() / 2), parked.end());
        context.add_time("loop_small_parked", parked[parked.size() / 2]);
    });
}

template <class E>
void run_loop_large(E& engine, RowContext& context) {
    std::vector<std::uint64_t>& cells = context.data.large_cells;
    if (cells.empty()) cells.assign(kLargeLoop, 1);
    engine.attach([&] {
        const double seconds = seconds_per_call(context.min_seconds(), [&] {
            engine.for_range(kLargeLoop, LoopCost::even, [data = cells.data()](std::size_t first, std::size_t last) {
                touch_cells(data, first, last);
            });
        });
        context.add_time("loop_large", seconds);
    });
}

template <class E>
void run_loop_skewed(E& engine, RowContext& context) {
    engine.attach([&] {
        const double seconds = seconds_per_call(context.min_seconds(), [&] {
            engine.for_range(kSkewedLoop, LoopCost::rising, [](std::size_t first, std::size_t last) {
                for (std::size_t index = first; index < last; ++index) {
                    std::uint64_t value = chain(index / 2, index);
                    keep(value);
                }
            });
        });
        context.add_time("loop_skewed", seconds);
    });
}

inline void fill_keys(std::vector<std::uint64_t>& keys) {
    keys.resize(kKeys);
    std::uint64_t state = 42;
    for (std::uint64_t& key : keys) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        key = (state ^ (state >> 33)) * 0xFF51AFD7ED558CCDULL;
    }
}

template <class E>
void run_sort(E& engine, RowContext& context) {
    if (context.data.keys.empty()) fill_keys(context.data.keys);
    context.data.keys_to_sort = context.data.keys;
    std::vector<std::uint64_t>& keys = context.data.keys_to_sort;
    engine.attach([&] {
        const double seconds = seconds_per_call(0, [&] { engine.sort(keys); });
        context.add_time("sort", seconds);
    });
    require(std::is_sorted(keys.begin(), keys.end()), "sort");
}

inline constexpr int kSpawnedJobs = 100'000;

template <class E>
void run_spawn(E& engine, RowContext& context) {
    engine.attach([&] {
        const double seconds = seconds_per_call(context.min_seconds(), [&] { engine.spawn_empty(kSpawnedJobs); });
        context.add_time("spawn", seconds / kSpawnedJobs);
    });
}

}  // namespace quarry::bench
