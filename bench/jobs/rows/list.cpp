#include "jobs/rows/list.hpp"

#include <algorithm>
#include <array>

namespace quarry::bench {
namespace {

// A run measures each row on one number of workers after the other, unless it is marked as largest_only.
constexpr std::array kRows{
    RowInfo{
        .name = "fib",
        .what = "fib(30), a fork per call, no cut-off: time per call; by the free join, and by Pool::join (fib_pool)"},
    RowInfo{.name = "tree_sum",
            .what = "sum over a binary tree of 1,023 (small) and 2^24-1 (large) nodes: time per node"},
    RowInfo{.name = "nqueens", .what = "all solutions for 12 queens, a fork per placement"},
    RowInfo{.name = "uts", .what = "unbalanced tree search, T1: 4,130,071 nodes", .heavy = true},
    RowInfo{.name = "skynet", .what = "10^6 leaves, ten children a node"},
    RowInfo{.name = "matmul", .what = "1024 x 1024 floats by divide and conquer", .heavy = true},
    RowInfo{.name = "loop_small", .what = "1,000 bodies of 1 ns: back to back (hot), after 5 ms of quiet (parked)"},
    RowInfo{.name = "loop_large", .what = "10^7 bodies of 1 ns over 80 MB"},
    RowInfo{.name = "loop_skewed", .what = "10,000 bodies whose cost rises from nothing to 5 us"},
    RowInfo{.name = "sort", .what = "10^7 random 64-bit keys, by each engine's own sort", .heavy = true},
    RowInfo{.name = "spawn", .what = "a scope of 10^5 empty jobs: time per job"},
    RowInfo{.name = "flood",
            .what = "200,000 empty jobs handed over by a thread outside, until all have run: time per job",
            .caller_apart = true},
    RowInfo{.name = "submit_wait",
            .what = "a job there and back, workers awake: waiting for it (submit_wait), polling for it (submit_ready)",
            .caller_apart = true},
    RowInfo{.name = "then",
            .what = "10^6 continuations, each made by a thread outside while earlier ones run: time per link",
            .caller_apart = true},
    RowInfo{.name = "channel",
            .what =
                "8-byte values through a channel of 1,024, threads that block: 1 sender and 1 receiver, 4 and 4, 8 and "
                "1; time per value",
            .largest_only = true},
    RowInfo{
        .name = "wake",
        .what = "hand-over to start on a parked worker after 50 us, 1 ms, 16 ms of quiet; waker just slept, or busy",
        .heavy = true,
        .largest_only = true,
        .caller_apart = true},
    RowInfo{
        .name = "lanes",
        .what =
            "hand-over to start of a frame job every 1 ms on 2 workers: quiet, background and I/O lane flooded with "
            "1 worker reserved, background flooded with none",
        .heavy = true,
        .largest_only = true,
        .caller_apart = true},
    RowInfo{.name = "tick",
            .what = "12 bursts of 32 jobs of 1-5 us, 200 us serial after each, 3 ms pause: CPU over the work itself"},
    RowInfo{.name = "burst60", .what = "200 jobs of 10 us at 60 Hz: CPU over the work itself", .heavy = true},
    RowInfo{.name = "idle",
            .what = "CPU of a used pool with nothing to do over 10 s (quick: 2 s), in % of one core",
            .heavy = true,
            .largest_only = true,
            .together = true},
};

}  // namespace

std::span<const RowInfo> all_rows() {
    return kRows;
}

const RowInfo* find_row(std::string_view name) {
    const auto* found = std::find_if(kRows.begin(), kRows.end(), [&](const RowInfo& row) { return row.name == name; });
    return found == kRows.end() ? nullptr : found;
}

}  // namespace quarry::bench
