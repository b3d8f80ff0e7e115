#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "quarry/jobs/impl/mutation.hpp"

namespace quarry::impl {

enum class StealStatus {
    empty,    // nothing was there
    lost,     // something was there and another thread took it: trying again makes sense
    refused,  // the oldest entry was not accepted and stays where it is
    got,
};

template <class T>
struct Steal {
    StealStatus status = StealStatus::empty;
    T value = nullptr;  // set only when status is got
};

template <class T>
struct StealBatch {
    StealStatus status = StealStatus::empty;  // got if at least one was taken
    T first = nullptr;                        // to run at once; the others are in the thief's own deque
    std::size_t taken = 0;                    // the first one included
    bool lost_race = false;                   // the batch ended early because another thread was faster
};

// Chase-Lev work-stealing deque: one owner pushes and pops at the bottom, any thread steals at the top. The
// invariant and the argument for every memory order are in README.md; indices grow for ever (and may wrap),
// only their distance counts.
//
// Entries are pointers other than nullptr. The buffer grows, and older buffers live as long as the deque, so
// a thief may read from one at any time.
template <class Policy, class T>
class Deque {
    static_assert(std::is_pointer_v<T>);

  public:
    // The capacity is rounded up to a power of two. Tests choose first_index to make indices wrap.
    explicit Deque(std::size_t initial_capacity = 256, std::uint64_t first_index = 0)
        : top_(first_index), bottom_(first_index), known_top_(first_index) {
        adopt(std::make_unique<Buffer>(std::bit_ceil(std::max<std::size_t>(initial_capacity, 1))), first_index);
    }
    Deque(const Deque&) = delete;
    Deque& operator=(const Deque&) = delete;

    // Owner. Throws std::bad_alloc when it has to grow and cannot; the deque is then as it was.
    void push(T value) {
        const std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
        if (bottom == limit_.get()) [[unlikely]]
            make_room(bottom, 1);
        slots_.get()[bottom & mask_.get()].store(value,
                                                 Policy::order(Mutation::deque_push_entry, std::memory_order_release));
        bottom_.store(bottom + 1, Policy::order(Mutation::deque_push_publish, std::memory_order_release));
    }

    // Owner. Makes room for so many pushes that cannot fail.
    void reserve(std::size_t more) {
        const std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
        if (limit_.get() - bottom < more) make_room(bottom, more);
    }

    // Owner. The youngest entry, or nullptr.
    T pop() {
        const std::uint64_t end = bottom_.load(std::memory_order_relaxed);
        // Only the owner adds entries and the top never goes back: a top that has reached the end stays
        // there.
        if (top_.load(std::memory_order_relaxed) == end) return nullptr;
        const std::uint64_t bottom = end - 1;
        bottom_.store(bottom, Policy::order(Mutation::deque_pop_lower, std::memory_order_release));
        Policy::fence(Mutation::deque_pop_fence, std::memory_order_seq_cst);
        std::uint64_t top = top_.load(std::memory_order_relaxed);
        const std::int64_t others = distance(top, bottom);
        if (others > 0) return slots_.get()[bottom & mask_.get()].load(std::memory_order_relaxed);
        T value = nullptr;
        if (others == 0) {
            value = slots_.get()[bottom & mask_.get()].load(std::memory_order_relaxed);
            if (!take_last(top)) value = nullptr;
        }
        bottom_.store(end, std::memory_order_relaxed);
        return value;
    }

    // Owner. The index that the next push gets.
    std::uint64_t bottom() const { return bottom_.load(std::memory_order_relaxed); }

    // Owner. Whether fewer than `most` entries are in the deque. Reads the top, which thieves write, only now and then.
    bool is_shorter_than(std::size_t most) {
        const std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
        if (bottom - known_top_.get() < most) return true;
        known_top_.set(top_.load(std::memory_order_relaxed));
        return bottom - known_top_.get() < most;
    }

    // Owner. Pops the youngest entry if it is this one.
    bool pop_if(T value) {
        const std::uint64_t end = bottom_.load(std::memory_order_relaxed);
        if (top_.load(std::memory_order_relaxed) == end) return false;
        if (slots_.get()[(end - 1) & mask_.get()].load(std::memory_order_relaxed) != value) return false;
        return pop() == value;
    }

    // Thief.
    Steal<T> steal() {
        return steal_if([](T) { return true; });
    }

    // Thief. Asks accept(entry) about the oldest entry before it tries to take it; a refused entry stays.
    //
    // accept sees an entry that this thread does not hold yet: it may just be taken, run and recycled by
    // another thread. It may therefore read only what stays readable for as long as the deque lives (nodes of
    // a pool, through atomics). Its answer counts only if the exchange on the top succeeds; the top never
    // returns to an earlier value, so success proves that the entry was in the deque, and the deque's
    // reference to it alive, for all of the time in between.
    template <class Accept>
    Steal<T> steal_if(Accept accept) {
        std::uint64_t top = top_.load(Policy::order(Mutation::deque_steal_top, std::memory_order_seq_cst));
        return take_oldest(top, load_bottom(), accept);
    }

    // Thief. Whether the oldest entry is there and accepted, without taking it; accept is as in steal_if.
    template <class Accept>
    bool oldest_satisfies(Accept accept) const {
        const std::uint64_t top = top_.load(std::memory_order_relaxed);
        if (distance(top, load_bottom()) <= 0) return false;
        const Buffer* buffer = buffer_.load(Policy::order(Mutation::deque_look_buffer, std::memory_order_acquire));
        T entry = buffer->slots.get()[top & buffer->mask.get()].load(
            Policy::order(Mutation::deque_look_entry, std::memory_order_acquire));
        return entry != nullptr && accept(entry);
    }

    // Thief, and owner of `into`, another deque. Takes half of the entries, at most `most`, oldest first; the
    // first one is returned, the others are pushed to `into`. Throws std::bad_alloc, if `into` must grow,
    // before it takes any.
    StealBatch<T> steal_batch(Deque& into, std::size_t most) {
        constexpr auto kAny = [](T) { return true; };
        StealBatch<T> batch;
        std::uint64_t top = top_.load(Policy::order(Mutation::deque_steal_top, std::memory_order_seq_cst));
        std::uint64_t bottom = load_bottom();
        const std::int64_t seen = distance(top, bottom);
        if (seen <= 0) return batch;
        const std::size_t wanted = std::min(most, (static_cast<std::size_t>(seen) + 1) / 2);
        into.reserve(wanted);
        while (batch.taken < wanted) {
            const Steal<T> one = take_oldest(top, bottom, kAny);
            batch.lost_race = one.status == StealStatus::lost;
            if (batch.taken == 0) batch.status = one.status;
            if (one.status != StealStatus::got) break;
            if (batch.taken == 0) batch.first = one.value;
            if (batch.taken != 0) into.push(one.value);
            ++batch.taken;
            ++top;
            // The owner pops without an exchange while it believes that others are left: what was seen of the
            // bottom before the last exchange says nothing about the next entry.
            Policy::step(Mutation::deque_batch_recheck, [&] { bottom = load_bottom(); });
        }
        return batch;
    }

    // Any thread. Never true while an entry is in the deque whose push is ordered before this call: by
    // happens-before, or because the pusher passed a seq_cst fence after the push, and this thread a seq_cst
    // fence or operation later in the single total order. The re-check of a thread about to sleep relies on
    // it.
    bool looks_empty() const {
        const std::uint64_t top = top_.load(std::memory_order_relaxed);
        const auto order = Policy::order(Mutation::deque_empty_bottom, std::memory_order_seq_cst);
        return distance(top, bottom_.load(order)) <= 0;
    }

    // Any thread. Right when nothing else is going on.
    std::size_t size_hint() const {
        const std::uint64_t top = top_.load(std::memory_order_relaxed);
        const std::int64_t entries = distance(top, bottom_.load(std::memory_order_relaxed));
        return static_cast<std::size_t>(std::max<std::int64_t>(entries, 0));
    }

    // Owner.
    std::size_t capacity() const { return static_cast<std::size_t>(mask_.get()) + 1; }

  private:
    using Slot = typename Policy::template Atomic<T>;
    template <class V>
    using Atomic = typename Policy::template Atomic<V>;
    template <class V>
    using Plain = typename Policy::template Plain<V>;

    struct Buffer {
        explicit Buffer(std::size_t capacity)
            : storage(new Slot[capacity]()), mask(capacity - 1), slots(storage.get()) {}
        std::unique_ptr<Slot[]> storage;
        Plain<std::uint64_t> mask;
        Plain<Slot*> slots;
        std::unique_ptr<Buffer> older;  // thieves may still read from it
    };

    // Two lines: processors fetch them in pairs.
    static constexpr std::size_t kApart = 128;

    static std::int64_t distance(std::uint64_t from, std::uint64_t to) { return static_cast<std::int64_t>(to - from); }

    std::uint64_t load_bottom() const {
        return bottom_.load(Policy::order(Mutation::deque_steal_bottom, std::memory_order_seq_cst));
    }

    bool take_last(std::uint64_t top) {
        return Policy::at_once(Mutation::deque_pop_exchange, top_)
            .compare_exchange_strong(top, top + 1, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    template <class Accept>
    Steal<T> take_oldest(std::uint64_t top, std::uint64_t bottom, Accept& accept) {
        if (distance(top, bottom) <= 0) return {StealStatus::empty, nullptr};
        const Buffer* buffer = buffer_.load(Policy::order(Mutation::deque_steal_buffer, std::memory_order_acquire));
        T entry = buffer->slots.get()[top & buffer->mask.get()].load(
            Policy::order(Mutation::deque_steal_entry, std::memory_order_acquire));
        // A slot never written to: the buffer has grown, and left this index behind, since the top was read.
        if (entry == nullptr) return {StealStatus::lost, nullptr};
        if (!accept(entry)) {
            const bool current = top_.load(std::memory_order_relaxed) == top;
            return {current ? StealStatus::refused : StealStatus::lost, nullptr};
        }
        const auto order = Policy::order(Mutation::deque_steal_exchange, std::memory_order_seq_cst);
        if (!top_.compare_exchange_strong(top, top + 1, order, std::memory_order_relaxed)) {
            return {StealStatus::lost, nullptr};
        }
        return {StealStatus::got, entry};
    }

    // Reads the top again, and grows if that does not give room enough.
    [[gnu::noinline]] void make_room(std::uint64_t bottom, std::size_t more) {
        const auto order = Policy::order(Mutation::deque_push_refresh, std::memory_order_acquire);
        const std::uint64_t top = top_.load(order);
        const std::uint64_t wanted = bottom - top + more;
        if (!Policy::check(Mutation::deque_push_full, wanted > capacity())) {
            limit_.set(top + capacity());
            return;
        }
        auto larger = std::make_unique<Buffer>(static_cast<std::size_t>(std::bit_ceil(wanted)));
        Policy::step(Mutation::deque_grow_copy, [&] {
            for (std::uint64_t index = top; index != bottom; ++index) {
                T entry = slots_.get()[index & mask_.get()].load(std::memory_order_relaxed);
                larger->slots.get()[index & larger->mask.get()].store(entry, std::memory_order_relaxed);
            }
        });
        adopt(std::move(larger), top);
    }

    void adopt(std::unique_ptr<Buffer> buffer, std::uint64_t top) {
        buffer->older = std::move(newest_);
        newest_ = std::move(buffer);
        slots_.set(newest_->slots.get());
        mask_.set(newest_->mask.get());
        limit_.set(top + newest_->mask.get() + 1);
        buffer_.store(newest_.get(), Policy::order(Mutation::deque_grow_publish, std::memory_order_release));
    }

    alignas(kApart) Atomic<std::uint64_t> top_;  // written by thieves, and by the owner for the last entry

    alignas(kApart) Atomic<std::uint64_t> bottom_;  // written by the owner only, like all below
    Plain<Slot*> slots_{nullptr};                   // the newest buffer's
    Plain<std::uint64_t> mask_{0};
    Plain<std::uint64_t> limit_{0};      // the bottom at which the buffer is full, as far as the owner knows of the top
    Plain<std::uint64_t> known_top_{0};  // an earlier value of the top
    Atomic<const Buffer*> buffer_{nullptr};
    std::unique_ptr<Buffer> newest_;
};

}  // namespace quarry::impl
