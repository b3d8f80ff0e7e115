#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "quarry/jobs/impl/mutation.hpp"

namespace quarry::impl {

// Bounded first-in first-out queue for any number of pushing and popping threads, of exactly the capacity
// asked for. No call waits for another thread; README.md has the invariant, and what a thread that is stopped
// in the middle of a push or pop does to the others.
//
// Entries are pointers other than nullptr.
template <class Policy, class T>
class BoundedQueue {
    static_assert(std::is_pointer_v<T>);

  public:
    static constexpr std::size_t kMostCapacity = std::size_t{1} << 20;

    // Tests choose first_lap to make the lap count wrap.
    explicit BoundedQueue(std::size_t capacity, std::uint64_t first_lap = 0)
        : tail_(first_lap << kIndexBits), head_(first_lap << kIndexBits), capacity_(checked(capacity)) {
        slots_ = std::make_unique<Slot[]>(capacity);
        if (first_lap == 0) return;
        for (std::size_t i = 0; i < capacity; ++i) slots_[i].stamp.store(2 * first_lap, std::memory_order_relaxed);
    }
    BoundedQueue(const BoundedQueue&) = delete;
    BoundedQueue& operator=(const BoundedQueue&) = delete;

    // False when full, or when the pop that will make room has begun and not ended.
    bool try_push(T value) {
        std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        for (;;) {
            Slot& slot = slot_at(tail);
            const auto order = Policy::order(Mutation::queue_push_acquire, std::memory_order_acquire);
            const std::int64_t ahead = compare(slot.stamp.load(order), free_stamp(tail));
            if (ahead < 0) return false;
            if (ahead > 0) {
                tail = tail_.load(std::memory_order_relaxed);
            } else if (claim(tail_, tail, next(tail), Mutation::queue_push_claim)) {
                slot.value.set(value);
                slot.stamp.store(free_stamp(tail) + 1,
                                 Policy::order(Mutation::queue_push_publish, std::memory_order_release));
                return true;
            }
        }
    }

    // Up to `most` of the oldest entries for one exchange; answers how many: none when empty, or when the oldest push
    // has begun and not ended.
    std::size_t try_pop_batch(T* out, std::size_t most) {
        std::uint64_t head = head_.load(std::memory_order_relaxed);
        for (;;) {
            std::uint64_t end = head;
            std::size_t count = 0;
            std::int64_t ahead = 0;
            while (count < most && (ahead = compare(load_filled(end), free_stamp(end) + 1)) == 0) {
                end = next(end);
                ++count;
            }
            if (count == 0) {
                if (ahead <= 0) return 0;
                head = head_.load(std::memory_order_relaxed);
            } else if (claim(head_, head, end, Mutation::queue_pop_claim)) {
                for (std::size_t i = 0; i < count; ++i, head = next(head)) out[i] = take(head);
                return count;
            }
        }
    }

    // Never true while an entry is in the queue, or a push of one has begun, that is ordered before this
    // call: by happens-before, or because the pusher passed a seq_cst fence after the push, and this thread a
    // seq_cst fence or operation later in the single total order. The re-check of a thread about to sleep
    // relies on it.
    bool looks_empty() const {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);
        const auto order = Policy::order(Mutation::queue_empty_tail, std::memory_order_seq_cst);
        return static_cast<std::int64_t>(tail_.load(order) - head) <= 0;
    }

    std::size_t capacity() const { return capacity_; }

  private:
    // A position is a lap and an index into the slots. In lap n a slot's stamp is 2n while it waits for its
    // entry and 2n+1 while it holds it.
    static constexpr unsigned kIndexBits = 20;
    static constexpr unsigned kLapBits = 64 - kIndexBits;

    struct Slot {
        typename Policy::template Atomic<std::uint64_t> stamp{0};
        typename Policy::template Plain<T> value{nullptr};
    };
    using Position = typename Policy::template Atomic<std::uint64_t>;

    static constexpr std::size_t kApart = 128;

    static std::size_t checked(std::size_t capacity) {
        if (capacity >= 1 && capacity <= kMostCapacity) return capacity;
        throw std::invalid_argument("queue capacity must be 1 to 1048576");
    }
    static std::size_t index(std::uint64_t position) { return position & (kMostCapacity - 1); }
    static std::uint64_t free_stamp(std::uint64_t position) { return position >> kIndexBits << 1; }
    // Laps wrap: only as many bits of a stamp count as a lap has, and one for "holds an entry".
    static std::int64_t compare(std::uint64_t stamp, std::uint64_t expected) {
        return static_cast<std::int64_t>((stamp - expected) << (63 - kLapBits));
    }

    Slot& slot_at(std::uint64_t position) const { return slots_[index(position)]; }
    std::uint64_t next(std::uint64_t position) const {
        const std::uint64_t following = position + 1;
        return index(position) + 1 < capacity_ ? following : following + (kMostCapacity - capacity_);
    }
    std::uint64_t load_filled(std::uint64_t position) const {
        return slot_at(position).stamp.load(Policy::order(Mutation::queue_pop_acquire, std::memory_order_acquire));
    }

    // Who moves the position owns the slots it passed. On failure `from` is where the position is now.
    static bool claim(Position& position, std::uint64_t& from, std::uint64_t to, Mutation mutation) {
        return Policy::at_once(mutation, position)
            .compare_exchange_weak(from, to, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    T take(std::uint64_t position) {
        Slot& slot = slot_at(position);
        T value = slot.value.get();
        slot.stamp.store(free_stamp(position) + 2,
                         Policy::order(Mutation::queue_pop_release, std::memory_order_release));
        return value;
    }

    alignas(kApart) Position tail_;  // where the next push goes
    alignas(kApart) Position head_;  // where the next pop goes
    alignas(kApart) const std::size_t capacity_;
    std::unique_ptr<Slot[]> slots_;
};

}  // namespace quarry::impl
