#pragma once

#include <cstdint>

#include "jobs/parking/parker.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// The end of a submitted job, and any number of those who want to be told: threads, continuations, coroutines. See
// README.md.
//
// Entries are addresses (with the lowest bits free for the caller's marks) of things that have a link.
template <class Policy>
class TaskEnd {
  public:
    static constexpr std::uintptr_t kNobody = 0;
    static constexpr std::uintptr_t kSet = 1;

    bool is_set() const noexcept {
        return word_.load(Policy::order(Mutation::task_end_is_set, std::memory_order_acquire)) == kSet;
    }

    // False: the job has ended. Else the entry is handed out by set(). link(next) stores the next entry in this one.
    template <class Link>
    bool listen(std::uintptr_t entry, Link link) noexcept {
        std::uintptr_t seen = word_.load(std::memory_order_relaxed);
        do {
            if (seen == kSet) {
                // What the job did before its end is what the caller wants to see now.
                (void)word_.load(Policy::order(Mutation::task_end_listen_late, std::memory_order_acquire));
                return false;
            }
            link(seen);
        } while (!word_.compare_exchange_weak(seen, entry,
                                              Policy::order(Mutation::task_end_listen, std::memory_order_release),
                                              std::memory_order_relaxed));
        return true;
    }

    // Once. The first of the entries, or kNobody; the caller tells all of them, and reads a link before it tells its
    // owner. The TaskEnd may be gone when this returns.
    std::uintptr_t set() noexcept {
        return word_.exchange(kSet, Policy::order(Mutation::task_end_set, std::memory_order_acq_rel));
    }

    // The same when nobody can listen any more, or ask: the caller has the only reference to the job, and has acquired
    // what the others did before they let go of theirs (Claim::is_forgotten).
    std::uintptr_t set_unseen() noexcept { return word_.load(std::memory_order_relaxed); }

  private:
    typename Policy::template Atomic<std::uintptr_t> word_{kNobody};
};

// Tells all entries that set() has handed out. next_of(entry) reads the link: before the entry's owner is told, since
// it may be gone then.
template <class Policy, class NextOf, class Tell>
void tell_all(std::uintptr_t entry, NextOf next_of, Tell tell) noexcept {
    while (entry != TaskEnd<Policy>::kNobody) {
        std::uintptr_t next = 0;
        Policy::in_order(
            Mutation::task_end_link_late, [&] { next = next_of(entry); }, [&] { tell(entry); });
        entry = next;
    }
}

// A thread that waits for the end of a task, on its own stack. It must not leave before it was told: until then the
// thread that ended the task may still read the link.
template <class Policy>
class TaskWaiter {
  public:
    explicit TaskWaiter(Parker<Policy>& parker) noexcept : parker_(parker) {}
    TaskWaiter(const TaskWaiter&) = delete;
    TaskWaiter& operator=(const TaskWaiter&) = delete;

    bool was_told() const noexcept {
        return told_.load(Policy::order(Mutation::task_waiter_told_late, std::memory_order_acquire));
    }
    // The waiter, and with it this object, may be gone as soon as it is told; its parker is not.
    void tell() noexcept {
        Parker<Policy>& parker = parker_;
        told_.store(true, Policy::order(Mutation::task_waiter_told, std::memory_order_release));
        parker.notify();
    }

  private:
    Parker<Policy>& parker_;
    typename Policy::template Atomic<bool> told_{false};
};

}  // namespace quarry::impl
