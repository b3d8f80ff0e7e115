#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "quarry/jobs/impl/mutation.hpp"

namespace quarry::impl {

// A scan that several workers share in one sweep over memory. They claim groups of blocks from front to back. Who
// claims the group whose carry is known scans it; others prepare theirs, and finish it as soon as the groups before it
// have told their totals, which is soon enough to find it in the cache. Nobody waits: what has no carry yet when all
// groups are claimed is finished at the end.
//
// Each worker calls work(). When all have returned one thread calls carry_to_end(), and after that somebody
// finish_left_over() for each group.
//
// Groups below known_ have their carries in carries_, by block. Above, carries_ holds the totals of blocks that have
// been prepared. carry_, of the first block of group known_, belongs to the thread that claimed that group until it
// says prepared or moves known_ on; after that to who holds the mutex.
template <class Policy, class Blocks, class T, class Op>
class ScanSweep {
  public:
    ScanSweep(Blocks& blocks, std::ptrdiff_t first_block, std::ptrdiff_t group_length, T carry, Op& op)
        : blocks_(blocks),
          op_(op),
          first_block_(first_block),
          group_length_(group_length),
          groups_((blocks.count() - first_block + group_length - 1) / group_length),
          carry_(std::move(carry)),
          carries_(static_cast<std::size_t>(blocks.count())),
          prepared_(std::make_unique<Flag[]>(static_cast<std::size_t>(groups_))),
          left_over_(static_cast<std::size_t>(groups_)) {}

    std::ptrdiff_t groups() const noexcept { return groups_; }

    // between(): called between two groups.
    template <class Between>
    void work(Between between) {
        Waiting waiting;
        try {
            while (true) {
                const std::ptrdiff_t group = next_.fetch_add(1, std::memory_order_relaxed);
                if (group >= groups_) break;
                if (known() == group) {
                    carry_ = blocks_.scan(first_of(group), first_of(group + 1), std::move(carry_));
                    set_known(group + 1);
                } else {
                    blocks_.prepare(first_of(group), first_of(group + 1),
                                    [this](std::ptrdiff_t block, T total) { carry_of(block) = std::move(total); });
                    prepared(group).store(true, Policy::order(Mutation::scan_prepared, std::memory_order_release));
                    if (const std::ptrdiff_t crowded_out = waiting.add(group); crowded_out >= 0)
                        leave_over(crowded_out);
                }
                carry_on();
                finish_known(waiting);
                between();
            }
        } catch (...) {
            next_.store(groups_, std::memory_order_relaxed);
            throw;
        }
        waiting.take_while([](std::ptrdiff_t) { return true; }, [this](std::ptrdiff_t group) { leave_over(group); });
    }

    void carry_to_end() {
        // Nobody else is here any more, but a try to lock may fail all the same.
        const std::lock_guard lock(mutex_);
        carry_on_locked();
    }
    void finish_left_over(std::ptrdiff_t group) {
        if (left_over_[static_cast<std::size_t>(group)] != 0) finish(group);
    }

  private:
    using Flag = typename Policy::template Atomic<bool>;
    using Number = typename Policy::template Atomic<std::ptrdiff_t>;

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
        const std::ptrdiff_t end = known();
        waiting.take_while([end](std::ptrdiff_t group) { return group < end; },
                           [this](std::ptrdiff_t group) { finish(group); });
    }

    // Turns totals into carries as far as there are any. Who finds another thread at it leaves it to that one, or to
    // the next who comes.
    void carry_on() {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        const bool another_is_at_it = Policy::check(Mutation::scan_carry_lock, !lock.owns_lock());
        if (!another_is_at_it) carry_on_locked();
    }

    void carry_on_locked() {
        if (op_threw_) return;
        op_threw_ = true;
        std::ptrdiff_t group = known();
        const auto order = Policy::order(Mutation::scan_see_prepared, std::memory_order_acquire);
        while (group < groups_ && prepared(group).load(order)) {
            for (std::ptrdiff_t block = first_of(group); block < first_of(group + 1); ++block) {
                const std::optional<T> total = std::exchange(carry_of(block), carry_);
                if (total) carry_ = static_cast<T>(op_(std::move(carry_), *total));
            }
            set_known(++group);
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
    Flag& prepared(std::ptrdiff_t group) { return prepared_[static_cast<std::size_t>(group)]; }
    // Who sees a group known sees the carries below it, and carry_ as it was left for it.
    std::ptrdiff_t known() const {
        return known_.load(Policy::order(Mutation::scan_see_known, std::memory_order_acquire));
    }
    void set_known(std::ptrdiff_t group) {
        known_.store(group, Policy::order(Mutation::scan_known, std::memory_order_release));
    }

    Blocks& blocks_;
    Op& op_;
    const std::ptrdiff_t first_block_;
    const std::ptrdiff_t group_length_;
    const std::ptrdiff_t groups_;
    Number next_{0};
    Number known_{0};
    T carry_;
    typename Policy::Mutex mutex_;
    bool op_threw_ = false;  // under the mutex
    std::vector<std::optional<T>> carries_;
    const std::unique_ptr<Flag[]> prepared_;
    std::vector<char> left_over_;  // each written by the thread that claimed the group
};

}  // namespace quarry::impl
