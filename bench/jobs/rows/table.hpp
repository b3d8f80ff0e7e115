#pragma once

#include <concepts>
#include <string_view>
#include <tuple>

#include "jobs/rows/channel.hpp"
#include "jobs/rows/context.hpp"
#include "jobs/rows/fork.hpp"
#include "jobs/rows/frames.hpp"
#include "jobs/rows/lanes.hpp"
#include "jobs/rows/list.hpp"
#include "jobs/rows/loops.hpp"
#include "jobs/rows/matmul.hpp"
#include "jobs/rows/submit.hpp"
#include "jobs/rows/then.hpp"
#include "jobs/rows/wake.hpp"

// The rows of `quarry bench jobs`.
namespace quarry::bench {

// What is said of a row, and what measures it on an engine. Where only some engines can be measured, `lack` says what
// the others are without.
template <class Measure>
struct JobsRow {
    RowInfo info;
    Measure measure;
    const char* lack = nullptr;

    template <class E>
    static constexpr bool can_run_on = std::invocable<const Measure&, E&, RowContext&>;
};

template <class Measure>
JobsRow(RowInfo, Measure) -> JobsRow<Measure>;
template <class Measure>
JobsRow(RowInfo, Measure, const char*) -> JobsRow<Measure>;

template <class E>
concept HasChannel = requires {
    typename E::Channel;
};
template <class E>
concept HasLanes = requires {
    typename E::Lanes;
};
template <class E>
concept HasContinuations = requires(E& engine) {
    engine.then_chain(kThenLinks);
};

// A run measures each row on one number of workers after the other, unless it is marked as largest_only.
inline constexpr std::tuple kJobsRows{
    JobsRow{
        {.name = "fib",
         .unit = "ns",
         .what = "fib(30), a fork per call, no cut-off: time per call; by the free join, and by Pool::join (fib_pool)"},
        [](auto& engine, RowContext& context) { run_fib(engine, context); }},
    JobsRow{{.name = "tree_sum",
             .unit = "ns",
             .what = "sum over a binary tree of 1,023 (small) and 2^24-1 (large) nodes: time per node"},
            [](auto& engine, RowContext& context) { run_tree_sum(engine, context); }},
    JobsRow{{.name = "nqueens", .unit = "ms", .what = "all solutions for 12 queens, a fork per placement"},
            [](auto& engine, RowContext& context) { run_nqueens(engine, context); }},
    JobsRow{{.name = "uts", .unit = "ms", .what = "unbalanced tree search, T1: 4,130,071 nodes", .heavy = true},
            [](auto& engine, RowContext& context) { run_uts(engine, context); }},
    JobsRow{{.name = "skynet", .unit = "ms", .what = "10^6 leaves, ten children a node"},
            [](auto& engine, RowContext& context) { run_skynet(engine, context); }},
    JobsRow{{.name = "matmul", .unit = "ms", .what = "1024 x 1024 floats by divide and conquer", .heavy = true},
            [](auto& engine, RowContext& context) { run_matmul(engine, context); }},
    JobsRow{{.name = "loop_small",
             .unit = "us",
             .what = "1,000 bodies of 1 ns: back to back (hot), after 5 ms of quiet (parked)"},
            [](auto& engine, RowContext& context) { run_loop_small(engine, context); }},
    JobsRow{{.name = "loop_large", .unit = "ms", .what = "10^7 bodies of 1 ns over 80 MB"},
            [](auto& engine, RowContext& context) { run_loop_large(engine, context); }},
    JobsRow{{.name = "loop_skewed", .unit = "ms", .what = "10,000 bodies whose cost rises from nothing to 5 us"},
            [](auto& engine, RowContext& context) { run_loop_skewed(engine, context); }},
    JobsRow{{.name = "sort", .unit = "ms", .what = "10^7 random 64-bit keys, by each engine's own sort", .heavy = true},
            [](auto& engine, RowContext& context) { run_sort(engine, context); }},
    JobsRow{{.name = "spawn", .unit = "ns", .what = "a scope of 10^5 empty jobs: time per job"},
            [](auto& engine, RowContext& context) { run_spawn(engine, context); }},
    JobsRow{{.name = "flood",
             .unit = "ns",
             .what = "200,000 empty jobs handed over by a thread outside, until all have run: time per job",
             .caller_apart = true},
            [](auto& engine, RowContext& context) { run_flood(engine, context); }},
    JobsRow{{.name = "submit_wait",
             .unit = "ns",
             .what = "a job there and back, workers awake: waiting for it (submit_wait), polling for it (submit_ready)",
             .caller_apart = true},
            [](auto& engine, RowContext& context) { run_submit_wait(engine, context); }},
    JobsRow{{.name = "then",
             .unit = "ns",
             .what = "10^6 continuations, each made by a thread outside while earlier ones run: time per link",
             .caller_apart = true},
            []<HasContinuations E>(E& engine, RowContext& context) { run_then(engine, context); },
            "has no continuations"},
    JobsRow{
        {.name = "channel",
         .unit = "ns",
         .what =
             "8-byte values through a channel of 1,024, threads that block: 1 sender and 1 receiver, 4 and 4, 8 and "
             "1; time per value",
         .largest_only = true},
        []<HasChannel E>(E&, RowContext& context) { run_channel<typename E::Channel>(context); },
        "has no channel"},
    JobsRow{
        {.name = "wake",
         .unit = "us",
         .what = "hand-over to start on a parked worker after 50 us, 1 ms, 16 ms of quiet; waker just slept, or busy",
         .heavy = true,
         .largest_only = true,
         .caller_apart = true,
         .warms_itself = true},
        [](auto& engine, RowContext& context) { run_wake(engine, context); }},
    JobsRow{
        {.name = "lanes",
         .unit = "us",
         .what =
             "hand-over to start of a frame job every 1 ms on 2 workers: quiet, background and I/O lane flooded with "
             "1 worker reserved, background flooded with none",
         .heavy = true,
         .largest_only = true,
         .caller_apart = true,
         .warms_itself = true},
        []<HasLanes E>(E&, RowContext& context) { run_lanes<typename E::Lanes>(context); },
        "has no lanes"},
    JobsRow{{.name = "tick",
             .unit = "x",
             .what = "12 bursts of 32 jobs of 1-5 us, 200 us serial after each, 3 ms pause: CPU over the work itself"},
            [](auto& engine, RowContext& context) { run_tick(engine, context); }},
    JobsRow{
        {.name = "burst60", .unit = "x", .what = "200 jobs of 10 us at 60 Hz: CPU over the work itself", .heavy = true},
        [](auto& engine, RowContext& context) { run_burst60(engine, context); }},
    JobsRow{{.name = "idle",
             .unit = "%",
             .what = "CPU of a used pool with nothing to do over 10 s (quick: 2 s), in % of one core",
             .heavy = true,
             .largest_only = true,
             .together = true},
            [](auto& engine, RowContext& context) { run_idle(engine, context); }},
};

// Calls visit(row) for the row of that name, if there is one.
template <class Visit>
void visit_row(std::string_view name, Visit&& visit) {
    const auto visit_if_meant = [&](const auto& row) {
        if (row.info.name == name) visit(row);
    };
    std::apply([&](const auto&... rows) { (visit_if_meant(rows), ...); }, kJobsRows);
}

}  // namespace quarry::bench
