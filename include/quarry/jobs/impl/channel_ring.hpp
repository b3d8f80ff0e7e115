#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include "quarry/jobs/impl/channel_waiters.hpp"
#include "quarry/jobs/impl/mutation.hpp"

namespace quarry::impl {

// The protocol of Channel<T>; src/jobs/channel/README.md has the invariant and the argument.
//
// A position is a lap and an index into the slots; in lap n a slot's phase is 2n while it waits for its value and 2n+1
// while it holds it. The slot's stamp is its phase and two marks: threads of that side sleep and want to hear of the
// next change of this slot.
template <class Policy, class T, class Spin>
class ChannelRing {
    using Waiters = ChannelWaiters<Policy, Spin>;
    using Word = typename Policy::template Atomic<std::uint64_t>;

    struct Nothing {};

  public:
    static constexpr std::size_t kMostCapacity = std::size_t{1} << 20;
    static constexpr std::int64_t kForEver = Waiters::kForEver;
    static constexpr std::int64_t kNever = 0;  // a deadline that has passed: does not wait

    enum class Outcome { done, not_yet, closed };

    // A T whose move may throw is moved while one thread has the turn of its side, so that what failed can be undone.
    static constexpr bool kMoveThrows = !std::is_nothrow_move_constructible_v<T>;

    // A slot that the caller has to itself, from begin_... to finish_...
    class Claim {
        friend ChannelRing;
        std::uint64_t position_ = 0;
        [[no_unique_address]] std::conditional_t<kMoveThrows, std::unique_lock<typename Policy::Mutex>, Nothing> turn_;
    };

    // Tests choose first_lap to make the lap count wrap.
    explicit ChannelRing(std::size_t capacity, std::uint64_t first_lap = 0)
        : tail_(first_lap << kLapShift),
          head_(first_lap << kLapShift),
          capacity_(capacity),
          slots_(std::make_unique<Slot[]>(capacity)) {
        if (first_lap == 0) return;
        for (std::size_t i = 0; i < capacity; ++i) {
            slots_[i].stamp.store(2 * first_lap << kPhaseShift, std::memory_order_relaxed);
        }
    }
    ChannelRing(const ChannelRing&) = delete;
    ChannelRing& operator=(const ChannelRing&) = delete;
    ~ChannelRing() {
        const std::uint64_t end = tail_.load(std::memory_order_relaxed) & ~kClosed;
        for (std::uint64_t at = head_.load(std::memory_order_relaxed); at != end; at = next(at)) {
            std::destroy_at(slot_at(at).value());
        }
    }

    // not_yet: the channel is full, or a receive that will make room has begun and not ended.
    Outcome begin_send(Claim& claim) {
        return in_turn(claim, send_turn_, [&] { return claim_tail(claim.position_); });
    }
    // Waits for room: never answers not_yet.
    Outcome wait_to_send(Claim& claim) {
        return wait_for(senders(), kForEver, [&] { return begin_send(claim); });
    }
    // What T's move throws is thrown on, and then nothing was sent.
    void finish_send(Claim& claim, T& value) noexcept(!kMoveThrows) {
        Slot& slot = slot_at(claim.position_);
        slot.guard.write();
        if constexpr (kMoveThrows) {
            try {
                ::new (slot.storage) T(std::move(value));
            } catch (...) {
                give_back_tail(claim.position_);
                throw;
            }
        } else {
            ::new (slot.storage) T(std::move(value));
        }
        turn_over(slot, free_phase(claim.position_) + 1);
    }

    // not_yet: the channel is empty, or the send of the next value has begun and not ended.
    Outcome begin_receive(Claim& claim) {
        return in_turn(claim, receive_turn_, [&] { return claim_head(claim.position_); });
    }
    // Waits for a value, until the deadline; closed: no value is left, and none will come.
    Outcome wait_to_receive(Claim& claim, std::int64_t deadline) {
        return wait_for(receivers(), deadline, [&] {
            const Outcome outcome = begin_receive(claim);
            const bool over =
                outcome == Outcome::not_yet && is_over(receivers(), head_.load(std::memory_order_relaxed));
            return over ? Outcome::closed : outcome;
        });
    }
    // Result is made of (std::in_place, T&&). What that throws is thrown on, and then the value is still in the
    // channel, the first in the line.
    template <class Result>
    Result finish_receive(Claim& claim) noexcept(!kMoveThrows) {
        const Removal removal(*this, claim.position_);
        return Result(std::in_place, std::move(*slot_at(claim.position_).value()));
    }

    void close() noexcept {
        if ((tail_.fetch_or(kClosed, Policy::order(Mutation::channel_close, std::memory_order_release)) & kClosed) != 0)
            return;
        Policy::step(Mutation::channel_close_wake, [this] {
            receivers_.wake_all();
            senders_.wake_all();
        });
    }
    bool is_closed() const noexcept {
        return (tail_.load(Policy::order(Mutation::channel_closed, std::memory_order_acquire)) & kClosed) != 0;
    }

    std::size_t capacity() const noexcept { return capacity_; }

    // Right when nothing else is going on.
    std::size_t size_hint() const noexcept {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);
        const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        const auto laps =
            static_cast<std::int64_t>((tail >> kLapShift << kLapShift) - (head >> kLapShift << kLapShift));
        const std::int64_t values = (laps >> kLapShift) * static_cast<std::int64_t>(capacity_) +
                                    static_cast<std::int64_t>(index(tail)) - static_cast<std::int64_t>(index(head));
        return static_cast<std::size_t>(std::clamp(values, std::int64_t{0}, static_cast<std::int64_t>(capacity_)));
    }

  private:
    // A position: bit 0 says closed (in the tail only), then the index, then the lap.
    static constexpr std::uint64_t kClosed = 1;
    static constexpr unsigned kLapShift = 21;
    // A stamp: the marks, then the phase.
    static constexpr std::uint64_t kSenderWaits = 1;
    static constexpr std::uint64_t kReceiverWaits = 2;
    static constexpr unsigned kPhaseShift = 2;
    static constexpr unsigned kPhaseBits = 64 - kLapShift + 1;

    static constexpr std::size_t kApart = 128;

    struct Slot {
        Word stamp{0};
        [[no_unique_address]] typename Policy::StorageGuard guard;  // how the model checker sees the storage
        alignas(T) std::byte storage[sizeof(T)];

        T* value() noexcept { return std::launder(reinterpret_cast<T*>(storage)); }
    };

    // One side of the channel: where its next slot is, when that is ready, and where its threads sleep.
    struct Side {
        bool sends;
        Waiters& waiters;
        const Word& position;

        std::uint64_t ready_phase(std::uint64_t at) const noexcept { return free_phase(at) + (sends ? 0 : 1); }
        std::uint64_t mark() const noexcept { return sends ? kSenderWaits : kReceiverWaits; }
    };
    Side senders() noexcept { return {true, senders_, tail_}; }
    Side receivers() noexcept { return {false, receivers_, head_}; }

    // Frees the slot whose value was moved out, unless the move threw.
    class Removal {
      public:
        Removal(ChannelRing& ring, std::uint64_t position) noexcept : ring_(ring), position_(position) {}
        Removal(const Removal&) = delete;
        Removal& operator=(const Removal&) = delete;
        ~Removal() {
            if constexpr (kMoveThrows) {
                if (std::uncaught_exceptions() != exceptions_) return;
                ring_.head_.store(ring_.next(position_), std::memory_order_relaxed);
            }
            Slot& slot = ring_.slot_at(position_);
            std::destroy_at(slot.value());
            slot.guard.write();
            ring_.turn_over(slot, free_phase(position_) + 2);
        }

      private:
        ChannelRing& ring_;
        std::uint64_t position_;
        int exceptions_ = kMoveThrows ? std::uncaught_exceptions() : 0;
    };

    static std::size_t index(std::uint64_t position) noexcept { return (position >> 1) & (kMostCapacity - 1); }
    static std::uint64_t free_phase(std::uint64_t position) noexcept { return position >> kLapShift << 1; }
    // How far a stamp is ahead of a phase. Laps wrap: only as many bits count as a phase has.
    static std::int64_t ahead(std::uint64_t stamp, std::uint64_t phase) noexcept {
        return static_cast<std::int64_t>(((stamp >> kPhaseShift) - phase) << (64 - kPhaseBits));
    }

    Slot& slot_at(std::uint64_t position) const noexcept { return slots_[index(position)]; }
    std::uint64_t next(std::uint64_t position) const noexcept {
        const std::uint64_t following = position + 2;
        return index(position) + 1 < capacity_ ? following : following + ((kMostCapacity - capacity_) << 1);
    }

    template <class Mutex, class Attempt>
    static Outcome in_turn(Claim& claim, Mutex& mutex, Attempt attempt) {
        if constexpr (kMoveThrows) claim.turn_ = std::unique_lock(mutex);
        const Outcome outcome = attempt();
        if constexpr (kMoveThrows) {
            if (outcome != Outcome::done) claim.turn_.unlock();
        }
        return outcome;
    }

    Outcome claim_tail(std::uint64_t& position) noexcept {
        std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        for (;;) {
            if (Policy::check(Mutation::channel_send_closed, (tail & kClosed) != 0)) return Outcome::closed;
            const auto order = Policy::order(Mutation::channel_send_acquire, std::memory_order_acquire);
            const std::int64_t past = ahead(slot_at(tail).stamp.load(order), free_phase(tail));
            if (past < 0) return Outcome::not_yet;
            if (past > 0) {
                tail = tail_.load(std::memory_order_relaxed);
            } else if (advance(tail_, tail, Mutation::channel_send_claim)) {
                position = tail;
                return Outcome::done;
            }
        }
    }

    Outcome claim_head(std::uint64_t& position) noexcept {
        std::uint64_t head = head_.load(std::memory_order_relaxed);
        for (;;) {
            const auto order = Policy::order(Mutation::channel_receive_acquire, std::memory_order_acquire);
            const std::int64_t past = ahead(slot_at(head).stamp.load(order), free_phase(head) + 1);
            if (past < 0) return Outcome::not_yet;
            if (past > 0) {
                head = head_.load(std::memory_order_relaxed);
            } else if (kMoveThrows || advance(head_, head, Mutation::channel_receive_claim)) {
                position = head;
                return Outcome::done;
            }
        }
    }

    // Who moves the position owns the slot it passed. On failure `from` is where the position is now.
    bool advance(Word& position, std::uint64_t& from, Mutation mutation) const noexcept {
        return Policy::at_once(mutation, position)
            .compare_exchange_weak(from, next(from), std::memory_order_relaxed, std::memory_order_relaxed);
    }

    // Only the thread that has the senders' turn. A receiver may sleep because it took the value for under way, and a
    // sender at the slot behind.
    void give_back_tail(std::uint64_t position) noexcept {
        std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        while (!tail_.compare_exchange_weak(tail, position | (tail & kClosed), std::memory_order_relaxed,
                                            std::memory_order_relaxed)) {
        }
        Policy::step(Mutation::channel_unclaim_wake, [this] {
            receivers_.wake_all();
            senders_.wake_all();
        });
    }

    // Ends a send or a receive: the slot is the other side's now. Wakes who has marked it.
    void turn_over(Slot& slot, std::uint64_t phase) noexcept {
        const auto order = Policy::acq_rel(Mutation::channel_turn_acquire, Mutation::channel_turn_release);
        const std::uint64_t old = slot.stamp.exchange((phase << kPhaseShift) & kStampMask, order);
        if ((old & (kSenderWaits | kReceiverWaits)) != 0) [[unlikely]]
            wake_marked(old, phase);
    }
    [[gnu::noinline, gnu::cold]] void wake_marked(std::uint64_t old, std::uint64_t phase) noexcept {
        const bool filled = (phase & 1) != 0;
        if ((old & kReceiverWaits) != 0) wake_one_of(receivers_, filled);
        if ((old & kSenderWaits) != 0) wake_one_of(senders_, !filled);
    }
    static void wake_one_of(Waiters& waiters, bool is_its_turn) noexcept {
        if (is_its_turn) {
            waiters.wake_one();
        } else {
            Policy::step(Mutation::channel_turn_other_side, [&] { waiters.wake_one(); });
        }
    }

    // The channel is closed, and this side will never use the slot at that position, which is its next one.
    bool is_over(const Side& side, std::uint64_t position) const noexcept {
        const std::uint64_t tail = tail_.load(Policy::order(Mutation::channel_over, std::memory_order_acquire));
        if ((tail & kClosed) == 0) return false;
        return side.sends || !Policy::check(Mutation::channel_drained, (tail & ~kClosed) != position);
    }

    static bool is_ready(const Side& side, std::uint64_t position, std::uint64_t stamp) noexcept {
        return ahead(stamp, side.ready_phase(position)) >= 0;
    }
    bool looks_ready(const Side& side) const noexcept {
        const std::uint64_t position = side.position.load(std::memory_order_relaxed);
        return is_ready(side, position, slot_at(position).stamp.load(std::memory_order_relaxed));
    }

    template <class Attempt>
    Outcome wait_for(Side side, std::int64_t deadline, Attempt attempt) {
        Outcome outcome = attempt();
        if (deadline == kNever) return outcome;
        while (outcome == Outcome::not_yet && side.waiters.spin().until([&] { return looks_ready(side); })) {
            outcome = attempt();
        }
        return outcome == Outcome::not_yet ? park_until(side, deadline, attempt) : outcome;
    }

    template <class Attempt>
    [[gnu::noinline, gnu::cold]] Outcome park_until(Side side, std::int64_t deadline, Attempt attempt) {
        Outcome outcome = Outcome::not_yet;
        side.waiters.enter();
        for (bool in_time = true;;) {
            const std::uint32_t ticket = side.waiters.ticket();
            outcome = attempt();
            if (outcome != Outcome::not_yet || !in_time) break;
            switch (mark_next(side)) {
                case Marked::ready:
                    break;
                case Marked::over:
                    outcome = Outcome::closed;
                    break;
                case Marked::marked:
                    in_time = side.waiters.sleep(ticket, deadline);
                    break;
            }
            if (outcome == Outcome::closed) break;
        }
        if (Policy::check(Mutation::channel_pass_on, side.waiters.leave())) pass_on(side);
        return outcome;
    }

    enum class Marked { marked, ready, over };

    // Marks the slot that this side will use next, so that its next change wakes one of them. Once it is marked there
    // is no doubt about which one it is: only then can be told whether that change will ever come.
    Marked mark_next(const Side& side) noexcept {
        const std::uint64_t position = side.position.load(std::memory_order_relaxed) & ~kClosed;
        Word& word = slot_at(position).stamp;
        auto&& stamp = Policy::written(Mutation::channel_arm_left_out, word);
        std::uint64_t seen = word.load(std::memory_order_relaxed);
        const auto order = Policy::order(Mutation::channel_arm, std::memory_order_release);
        // Also when the mark is there already: the change must come after all that this thread did.
        do {
            if (is_ready(side, position, seen)) return Marked::ready;
        } while (!stamp.compare_exchange_weak(seen, seen | side.mark(), order, std::memory_order_relaxed));
        return Policy::check(Mutation::channel_marked_over, is_over(side, position)) ? Marked::over : Marked::marked;
    }

    // A thread that slept leaves while others sleep. It may have been woken in their place, so it looks for them.
    void pass_on(const Side& side) noexcept {
        switch (mark_next(side)) {
            case Marked::marked:
                break;
            case Marked::ready:
                side.waiters.wake_one();
                break;
            case Marked::over:
                Policy::step(Mutation::channel_pass_on_over, [&] { side.waiters.wake_all(); });
                break;
        }
    }

    static constexpr std::uint64_t kStampMask = (std::uint64_t{1} << (kPhaseBits + kPhaseShift)) - 1;

    alignas(kApart) Word tail_;  // where the next send goes
    alignas(kApart) Word head_;  // where the next receive goes
    alignas(kApart) const std::size_t capacity_;
    const std::unique_ptr<Slot[]> slots_;
    alignas(kApart) Waiters senders_;
    alignas(kApart) Waiters receivers_;
    std::conditional_t<kMoveThrows, typename Policy::Mutex, Nothing> send_turn_;
    std::conditional_t<kMoveThrows, typename Policy::Mutex, Nothing> receive_turn_;
};

}  // namespace quarry::impl
