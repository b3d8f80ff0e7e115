#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "quarry/jobs/impl/atomics.hpp"
#include "quarry/jobs/impl/fork.hpp"
#include "quarry/jobs/impl/quick_start.hpp"
#include "quarry/jobs/impl/scan_blocks.hpp"
#include "quarry/jobs/impl/scan_sweep.hpp"

namespace quarry::impl {

template <class Sweep>
void share_sweep(Pool& pool, Sweep& sweep) {
    const ForkPoint at = ForkPoint::outermost(pool);
    fork_over(at, 0, std::min<std::ptrdiff_t>(pool.worker_count(), sweep.groups()),
              [&](std::ptrdiff_t) { sweep.work(poll_point); });
    sweep.carry_to_end();
    fork_over(at, 0, sweep.groups(), [&](std::ptrdiff_t group) { sweep.finish_left_over(group); });
}

// The first block is timed: a scan that promises to be short is left to the caller alone.
template <class In, class Out, class T, class Op>
void scan_on(Pool& pool, In in, Out out, std::ptrdiff_t count, T carry, Op& op) {
    constexpr std::chrono::microseconds kShortBlock{25};
    using Blocks = ScanBlocks<In, Out, T, Op>;
    Blocks blocks(in, out, count, op);
    if (blocks.count() == 0) return;
    const auto start = std::chrono::steady_clock::now();
    carry = blocks.scan(0, 1, std::move(carry));
    if (pool.worker_count() > 1 && blocks.count() > 2 && worth_sharing(start, blocks.count())) {
        const bool is_short = std::chrono::steady_clock::now() - start < kShortBlock;
        ScanSweep<PlainAtomics, Blocks, T, Op> sweep(blocks, 1, is_short ? Blocks::kTogether : 1, std::move(carry), op);
        return share_sweep(pool, sweep);
    }
    // A sequence of long steps: other workers that are out of work are let in between them.
    for (std::ptrdiff_t block = 1; block < blocks.count(); block += Blocks::kTogether) {
        carry = blocks.scan(block, std::min(block + Blocks::kTogether, blocks.count()), std::move(carry));
        poll_point();
    }
}

}  // namespace quarry::impl
