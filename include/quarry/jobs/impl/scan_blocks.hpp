#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "quarry/jobs/impl/fork.hpp"
#include "quarry/jobs/impl/quick_start.hpp"

namespace quarry::impl {

// The blocks of parallel_scan. Within a block b every result is carry(b) op prefix, where `prefix` starts
// anew at the block's first element, and carry(b + 1) is carry(b) op the block's last prefix. So a block can
// be scanned in one sweep when its carry is known, and else be summed up first; the results have the same
// bits either way.
template <class In, class Out, class Op>
class ScanBlocks {
    using Written = std::iter_value_t<Out>;

  public:
    ScanBlocks(In in, Out out, std::ptrdiff_t count, Op& op)
        : in_(in),
          out_(out),
          count_(count),
          block_(block_length(count)),
          blocks_((count + block_ - 1) / block_),
          op_(op) {}

    // The first block is timed: a scan that promises to be short is left to the caller alone.
    template <class T>
    void run(Pool& pool, T carry) {
        if (blocks_ == 0) return;
        const auto start = std::chrono::steady_clock::now();
        carry = scan(0, std::move(carry));
        const std::ptrdiff_t workers = pool.worker_count();
        if (workers == 1 || blocks_ <= 2 || !worth_sharing(start, blocks_)) {
            scan_in_order(1, blocks_, std::move(carry));
        } else {
            run_shared(pool, std::max<std::ptrdiff_t>(blocks_ / workers, 1), std::move(carry));
        }
    }

    // Blocks long enough to make their hand-over vanish, and some dozens of them for short ranges with a dear
    // op.
    static std::ptrdiff_t block_length(std::ptrdiff_t count) {
        return std::clamp<std::ptrdiff_t>(count / 64, 16, 4'096);
    }

  private:
    // One thread scans the first blocks, for which the carry is at hand, while the others sum up the rest;
    // then all scan the rest.
    template <class T>
    void run_shared(Pool& pool, std::ptrdiff_t known_end, T carry) {
        std::vector<std::optional<T>> carries(static_cast<std::size_t>(blocks_));
        const auto carry_of = [&carries](std::ptrdiff_t block) -> std::optional<T>& {
            return carries[static_cast<std::size_t>(block)];
        };
        const ForkPoint at = ForkPoint::outermost(pool);
        at.join([&] { carry = scan_in_order(1, known_end, std::move(carry)); },
                [&] {
                    fork_over(ForkPoint::nested(), known_end, blocks_ - 1,
                              [&](std::ptrdiff_t block) { carry_of(block) = sum<T>(block); });
                });
        for (std::ptrdiff_t block = known_end; block < blocks_; ++block) {
            std::optional<T> total = std::exchange(carry_of(block), carry);
            if (total) carry = static_cast<T>(op_(std::move(carry), std::move(*total)));
        }
        fork_over(at, known_end, blocks_, [&](std::ptrdiff_t block) { scan(block, std::move(*carry_of(block))); });
    }

    // A sequence of long steps: other workers that are out of work are let in between them.
    template <class T>
    T scan_in_order(std::ptrdiff_t first, std::ptrdiff_t last, T carry) {
        for (std::ptrdiff_t block = first; block < last; ++block) {
            carry = scan(block, std::move(carry));
            poll_point();
        }
        return carry;
    }

    // Returns the carry of the next block.
    template <class T>
    T scan(std::ptrdiff_t block, T carry) {
        const std::ptrdiff_t end = end_of(block);
        std::ptrdiff_t i = block * block_;
        T prefix = static_cast<T>(in_[i]);
        while (true) {
            T result = static_cast<T>(op_(std::as_const(carry), std::as_const(prefix)));
            if (i + 1 == end) {
                out_[i] = static_cast<Written>(result);
                return result;
            }
            out_[i] = static_cast<Written>(std::move(result));
            ++i;
            prefix = static_cast<T>(op_(std::move(prefix), in_[i]));
        }
    }

    template <class T>
    T sum(std::ptrdiff_t block) {
        const std::ptrdiff_t end = end_of(block);
        T prefix = static_cast<T>(in_[block * block_]);
        for (std::ptrdiff_t i = block * block_ + 1; i < end; ++i) {
            prefix = static_cast<T>(op_(std::move(prefix), in_[i]));
        }
        return prefix;
    }

    std::ptrdiff_t end_of(std::ptrdiff_t block) const { return std::min((block + 1) * block_, count_); }

    const In in_;
    const Out out_;
    const std::ptrdiff_t count_;
    const std::ptrdiff_t block_;
    const std::ptrdiff_t blocks_;
    Op& op_;
};

}  // namespace quarry::impl
