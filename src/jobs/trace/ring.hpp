#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// The newest events of one thread. Its owner records without waiting for anybody; any thread may copy them meanwhile
// and gets only whole ones. README.md has the invariant and why it holds.
template <class Policy, std::size_t kWords>
class EventRing {
  public:
    using Words = std::array<std::uint64_t, kWords>;
    struct Copy {
        std::uint64_t first;  // how many events came before, and are lost
        std::vector<Words> events;
    };

    // Keeps `events` of them; one slot more is being written.
    explicit EventRing(std::size_t events) : slots_(events + 1), slot_(std::make_unique<Slot[]>(slots_)) {}
    EventRing(const EventRing&) = delete;
    EventRing& operator=(const EventRing&) = delete;

    // Owner.
    void record(const Words& event) noexcept {
        // Whoever sees a word of this event sees that the one before has been announced.
        Policy::fence(Mutation::trace_overwrite, std::memory_order_release);
        Slot& slot = slot_[at_];
        for (std::size_t i = 0; i < kWords; ++i) slot.words[i].store(event[i], std::memory_order_relaxed);
        at_ = at_ + 1 == slots_ ? 0 : at_ + 1;
        recorded_.store(++count_, Policy::order(Mutation::trace_publish, std::memory_order_release));
    }

    // Any thread.
    std::uint64_t recorded() const noexcept { return recorded_.load(std::memory_order_relaxed); }
    std::uint64_t lost() const noexcept { return first_whole(recorded()); }

    Copy copy() const {
        const std::uint64_t end = recorded_.load(Policy::order(Mutation::trace_copy, std::memory_order_acquire));
        Copy copy{first_whole(end), {}};
        copy.events.reserve(static_cast<std::size_t>(end - copy.first));
        for (std::uint64_t i = copy.first; i < end; ++i) {
            const Slot& slot = slot_[static_cast<std::size_t>(i % slots_)];
            Words& event = copy.events.emplace_back();
            for (std::size_t word = 0; word < kWords; ++word) {
                event[word] = slot.words[word].load(std::memory_order_relaxed);
            }
        }
        Policy::fence(Mutation::trace_recheck_fence, std::memory_order_acquire);
        const std::uint64_t whole = first_whole(recorded());
        if (Policy::check(Mutation::trace_recheck, whole > copy.first)) {
            const std::uint64_t torn = whole < end ? whole - copy.first : end - copy.first;
            copy.events.erase(copy.events.begin(), copy.events.begin() + static_cast<std::ptrdiff_t>(torn));
            copy.first += torn;
        }
        return copy;
    }

  private:
    struct Slot {
        std::array<typename Policy::template Atomic<std::uint64_t>, kWords> words{};
    };

    // Event number `recorded` may be on its way into the slot of the event that came slots_ before it.
    std::uint64_t first_whole(std::uint64_t recorded) const noexcept {
        return recorded < slots_ ? 0 : recorded - slots_ + 1;
    }

    const std::uint64_t slots_;
    const std::unique_ptr<Slot[]> slot_;
    std::size_t at_ = 0;       // owner
    std::uint64_t count_ = 0;  // owner
    typename Policy::template Atomic<std::uint64_t> recorded_{0};
};

}  // namespace quarry::impl
