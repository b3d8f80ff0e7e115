#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "quarry/jobs/impl/fork.hpp"
#include "quarry/jobs/impl/quick_start.hpp"
#include "quarry/jobs/impl/scan_blocks.hpp"

namespace quarry::impl {

// A scan that several workers share in one sweep over memory. They claim groups of blocks from front to back. Who
// claims the group whose carry is known scans it; others prepare theirs, and finish it as soon as the groups before it
// have told their totals, which is soon enough to find it in the cache. Nobody waits: what has no carry yet when all
// groups are claimed is finished at the end.
//
// Groups below known_ have their carries in carries_, by block. Above, carries_ holds the totals of blocks that have
// been prepared. carry_, of the first block of group known_, belongs to the thread that claimed that group until it
// says prepared or moves known_ on; after that to who holds the mutex.
template <class Blocks, class T, class Op>
class SharedScan {
  public:
    SharedScan(Blocks& blocks, std::ptrdiff_t first_block, std::ptrdiff_t group_length, T carry, Op& op)
        : blocks_(blocks),
          op_(op),
          first_block_(first_block),
          group_length_(group_length),
          groups_((blocks.count() - first_block + group_length - 1) / group_length),
          carry_(std::move(carry)),
          carries_(static_cast<std::size_t>(blocks.count())),
          prepared_(static_cast<std::size_t>(groups_)),
          left_over_(static_cast<std::size_t>(groups_)) {}

    void run(Pool& pool) {
        const ForkPoint at = ForkPoint::outermost(pool);
        fork_over(at, 0, std::min<std::ptrdiff_t>(pool.worker_count(), groups_), [this](std::ptrdiff_t) { work(); });
        {
            // Nobody else is here any more, but a try to lock may fail all the same.
            const std::lock_guard lock(mutex_);
            carry_on_locked();
        }
        fork_over(at, 0, groups_, [this](std::ptrdiff_t group) {
            if (left_over_[static_cast<std::size_t>(group)] != 0) finish(group);
        });
    }

  private:
    void work() {
        Waiting waiting;
        try {
            while (true) {
                const std::ptrdiff_t group = next_.fetch_add(1, std::memory_order_relaxed);
                if (group >= groups_) break;
                if (known_.load(std::memory_order_acquire) == group) {
                    carry_ = blocks_.scan(first_of(group), first_of(group + 1), std::move(carry_));
                    known_.store(group + 1, std::memory_order_release);
                } else {
                    blocks_.prepare(first_of(group), first_of(group + 1),
                                    [this](std::ptrdiff_t block, T total) { carry_of(block) = std::move(total); });
                    prepared(group).store(true, std::memory_order_release);
                    if (const std::ptrdiff_t crowded_out = waiting.add(group); crowded_out >= 0)
                        leave_over(crowded_out);
                }
                carry_on();
                finish_known(waiting);
                poll_point();
            }
        } catch (...) {
            next_.store(groups_, std::memory_order_relaxed);
            throw;
        }
        waiting.take_while([](std::ptrdiff_t) { return true; }, [this](std::ptrdiff_t group) { leave_over(group); });
    }

    // The groups that a worker has prepared and not finished, oldest first: as many as its cache may hold.
    class Waiting {
      public:
        // Returns the oldest one if there is no room for it any more, else -1.
        std::ptrdiff_t add(std::ptrdiff_t group) {
            std::ptrdiff_t crowded_out = -1;
            if (count_ == groups_.size()) {
                crowded_out = groups_.front();
                remove(1);
            }
            groups_[count_++] = group;
            return crowded_out;
        }
        template <class Condition, class Take>
        void take_while(Condition condition, Take take) {
            std::size_t taken = 0;
            while (taken < count_ && condition(groups_[taken])) take(groups_[taken++]);
            remove(taken);
        }

      private:
        void remove(std::size_t taken) {
            std::shift_left(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(count_),
                            static_cast<std::ptrdiff_t>(taken));
            count_ -= taken;
        }

        std::array<std::ptrdiff_t, 3> groups_{};
        std::size_t count_ = 0;
    };

    void finish_known(Waiting& waiting) {
        const std::ptrdiff_t known = known_.load(std::memory_order_acquire);
        waiting.take_while([known](std::ptrdiff_t group) { return group < known; },
                           [this](std::ptrdiff_t group) { finish(group); });
    }

    // Turns totals into carries as far as there are any. Who finds another thread at it leaves it to that one, or to
    // the next who comes.
    void carry_on() {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (lock) carry_on_locked();
    }

    void carry_on_locked() {
        if (op_threw_) return;
        op_threw_ = true;
        std::ptrdiff_t group = known_.load(std::memory_order_acquire);
        while (group < groups_ && prepared(group).load(std::memory_order_acquire)) {
            for (std::ptrdiff_t block = first_of(group); block < first_of(group + 1); ++block) {
                const std::optional<T> total = std::exchange(carry_of(block), carry_);
                if (total) carry_ = static_cast<T>(op_(std::move(carry_), *total));
            }
            known_.store(++group, std::memory_order_release);
        }
        op_threw_ = false;
    }

    void finish(std::ptrdiff_t group) {
        for (std::ptrdiff_t block = first_of(group); block < first_of(group + 1); ++block) {
            blocks_.finish(block, std::move(*carry_of(block)));
        }
    }

    void leave_over(std::ptrdiff_t group) { left_over_[static_cast<std::size_t>(group)] = 1; }

    std::ptrdiff_t first_of(std::ptrdiff_t group) const {
        return std::min(first_block_ + group * group_length_, blocks_.count());
    }
    std::optional<T>& carry_of(std::ptrdiff_t block) { return carries_[static_cast<std::size_t>(block)]; }
    std::atomic<bool>& prepared(std::ptrdiff_t group) { return prepared_[static_cast<std::size_t>(group)]; }

    Blocks& blocks_;
    Op& op_;
    const std::ptrdiff_t first_block_;
    const std::ptrdiff_t group_length_;
    const std::ptrdiff_t groups_;
    std::atomic<std::ptrdiff_t> next_{0};
    std::atomic<std::ptrdiff_t> known_{0};
    T carry_;
    std::mutex mutex_;
    bool op_threw_ = false;  // under the mutex
    std::vector<std::optional<T>> carries_;
    std::vector<std::atomic<bool>> prepared_;
    std::vector<char> left_over_;  // each written by the thread that claimed the group
};

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
        SharedScan<Blocks, T, Op> scan(blocks, 1, is_short ? Blocks::kTogether : 1, std::move(carry), op);
        return scan.run(pool);
    }
    // A sequence of long steps: other workers that are out of work are let in between them.
    for (std::ptrdiff_t block = 1; block < blocks.count(); block += Blocks::kTogether) {
        carry = blocks.scan(block, std::min(block + Blocks::kTogether, blocks.count()), std::move(carry));
        poll_point();
    }
}

}  // namespace quarry::impl
