#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// The permits that nobody holds: a stack that any thread takes from and gives to. See README.md.
template <class Policy>
class FreePermits {
  public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    explicit FreePermits(std::uint32_t count)
        : below_(std::make_unique<Below[]>(count)), top_(pack(count == 0 ? kNone : 0, 0)) {
        for (std::uint32_t permit = 0; permit < count; ++permit) {
            below_[permit].store(permit + 1 == count ? kNone : permit + 1, std::memory_order_relaxed);
        }
    }

    // The taker sees all that was done with the permit before.
    std::uint32_t try_take() noexcept {
        std::uint64_t seen = top_.load(Policy::order(Mutation::permits_look, std::memory_order_seq_cst));
        for (;;) {
            const std::uint32_t permit = permit_of(seen);
            if (permit == kNone) return kNone;
            const std::uint32_t below = below_[permit].load(std::memory_order_relaxed);
            // What it replaces was read before, by an acquire, and the turn makes every top a value of its own: only
            // for another try does this have to acquire.
            if (top_.compare_exchange_weak(seen, pack(below, turn_after(seen)), std::memory_order_acquire,
                                           Policy::order(Mutation::permits_take, std::memory_order_acquire))) {
                return permit;
            }
        }
    }

    // All at once, by one exchange; at least one.
    void give(const std::uint32_t* permits, std::size_t count) noexcept {
        for (std::size_t i = 0; i + 1 < count; ++i) below_[permits[i]].store(permits[i + 1], std::memory_order_relaxed);
        Below& below_last = below_[permits[count - 1]];
        std::uint64_t seen = top_.load(std::memory_order_relaxed);
        do {
            below_last.store(permit_of(seen), std::memory_order_relaxed);
        } while (!top_.compare_exchange_weak(seen, pack(permits[0], turn_after(seen)),
                                             Policy::order(Mutation::permits_give, std::memory_order_seq_cst),
                                             std::memory_order_relaxed));
    }
    void give(std::uint32_t permit) noexcept { give(&permit, 1); }

  private:
    using Below = typename Policy::template Atomic<std::uint32_t>;

    // The turn changes with the top, so that one that has gone and come back is not taken for the same.
    static std::uint64_t pack(std::uint32_t permit, std::uint32_t turn) noexcept {
        return std::uint64_t{turn} << 32 | permit;
    }
    static std::uint32_t permit_of(std::uint64_t top) noexcept { return static_cast<std::uint32_t>(top); }
    static std::uint32_t turn_after(std::uint64_t top) noexcept {
        auto turn = static_cast<std::uint32_t>(top >> 32);
        Policy::step(Mutation::permits_turn, [&turn] { ++turn; });
        return turn;
    }

    const std::unique_ptr<Below[]> below_;
    alignas(128) typename Policy::template Atomic<std::uint64_t> top_;
};

}  // namespace quarry::impl
