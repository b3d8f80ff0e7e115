#pragma once

#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// Counts the unfinished jobs of a group and hands the end over to its owner, the one thread that waits. What the
// owner spawns and finishes itself is counted without atomics. See README.md.
//
// Node: an intrusive `next` pointer (Policy::Plain<Node*>).
template <class Policy, class Node>
class Completion {
  public:
    // Owner.
    void spawned_by_owner() noexcept { outstanding_.set(outstanding_.get() + 1); }
    void finished_by_owner() noexcept { outstanding_.set(outstanding_.get() - 1); }

    // Another thread, from within a job of the group (which is therefore not over).
    void spawned_elsewhere() noexcept { balance_.fetch_sub(kOne, std::memory_order_relaxed); }

    // Any thread that holds an unfinished job of the group: the group does not end before the list() that must follow.
    // Without it the job, once others can reach it, could be run and the group be gone.
    void hold() noexcept { balance_.fetch_sub(held(), std::memory_order_relaxed); }

    // Any thread, after hold(): makes an unstarted job of the group claimable by its owner, which finds it in
    // take_listed(). True: the owner sleeps and must be notified. The group may be gone when this returns.
    [[nodiscard]] bool list(Node* node) noexcept {
        Node* head = listed_.load(std::memory_order_relaxed);
        do {
            node->next.set(head);
        } while (!listed_.compare_exchange_weak(head, node,
                                                Policy::order(Mutation::completion_list, std::memory_order_release),
                                                std::memory_order_relaxed));
        const auto order = Policy::order(Mutation::completion_list_end, std::memory_order_release);
        // A read-modify-write of the word that the owner announces its sleep in: one of the two sees the other.
        auto&& balance = Policy::at_once(Mutation::completion_list_by_load, balance_);
        return (balance.fetch_add(held(), order) & kOwnerWaits) != 0;
    }

    // Another thread. True: it was the last one and the owner must be notified. The group may be gone when this
    // returns: whatever is needed of it afterwards is read before.
    [[nodiscard]] bool finished_elsewhere() noexcept {
        const std::int64_t old =
            balance_.fetch_add(kOne, Policy::order(Mutation::completion_finish, std::memory_order_release));
        return old + kOne == kOwnerWaits;
    }

    // Owner: all that was spawned has finished.
    bool done() const noexcept {
        const std::int64_t balance = balance_.load(Policy::order(Mutation::completion_done, std::memory_order_acquire));
        return (balance & ~kOwnerWaits) == outstanding_.get() * kOne;
    }

    // Owner: from here until end_wait() others tell it of the end and of new jobs. Look at done(), then at
    // has_listed(), after this and before sleeping.
    void begin_wait() noexcept {
        balance_.fetch_add(kOwnerWaits - outstanding_.get() * kOne, std::memory_order_relaxed);
        outstanding_.set(0);
    }
    void end_wait() noexcept { balance_.fetch_sub(kOwnerWaits, std::memory_order_relaxed); }

    // Owner: whether take_listed() would find something.
    bool has_listed() const noexcept { return listed_.load(std::memory_order_relaxed) != nullptr; }

    // Owner: the jobs that were listed since the last call, through `next`; newest first.
    Node* take_listed() noexcept {
        if (!has_listed()) return nullptr;
        return listed_.exchange(nullptr, Policy::order(Mutation::completion_take, std::memory_order_acquire));
    }

  private:
    // What hold() takes and list() gives back.
    static std::int64_t held() noexcept {
        std::int64_t held = 0;
        Policy::step(Mutation::completion_hold, [&held] { held = kOne; });
        return held;
    }

    static constexpr std::int64_t kOwnerWaits = 1;
    static constexpr std::int64_t kOne = 2;

    // kOne * (finished less spawned by others) + kOwnerWaits.
    typename Policy::template Atomic<std::int64_t> balance_{0};
    typename Policy::template Atomic<Node*> listed_{nullptr};
    // Spawned less finished, by the owner; when it begins to wait this moves into balance_. Last, so that a group can
    // have what others write and what the owner writes on different cache lines.
    typename Policy::template Plain<std::int64_t> outstanding_{0};
};

}  // namespace quarry::impl
