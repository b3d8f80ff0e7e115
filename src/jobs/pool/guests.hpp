#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "quarry/jobs/error.hpp"

namespace quarry::impl {

// Threads from outside that can take part in one pool at the same time.
inline constexpr int kMostGuests = 256;

// The seats of threads that take part in a pool for a while. They are made when they are needed, used again, and stay
// until the pool goes, because thieves look into them at any time. Seat: has std::atomic<bool> taken.
template <class Seat>
class Guests {
  public:
    // Of a thread: the seat that it used last, which mostly it can have again at once.
    struct Last {
        std::uint64_t pool_serial = 0;
        Seat* seat = nullptr;
    };

    static Seat* try_take_again(const Last& last, std::uint64_t pool_serial) noexcept {
        return last.pool_serial == pool_serial && try_take(*last.seat) ? last.seat : nullptr;
    }
    // make(number): a new seat, as unique_ptr. Throws quarry::Error when there are too many guests.
    template <class Make>
    Seat& take(Make make) {
        Seat* free = nullptr;
        for_each([&](Seat& seat) {
            if (free == nullptr && try_take(seat)) free = &seat;
        });
        return free != nullptr ? *free : add(make);
    }
    static void give_back(Seat& seat) noexcept { seat.taken.store(false, std::memory_order_release); }

    template <class Visit>
    void for_each(Visit visit) const {
        const int count = count_.load(std::memory_order_seq_cst);
        for (int i = 0; i < count; ++i) {
            Seat* const seat = seats_[static_cast<std::size_t>(i)].load(std::memory_order_acquire);
            if (seat != nullptr) visit(*seat);
        }
    }
    // Changes all seats, and by change_what_they_get() what those that are made from now on begin with.
    template <class Visit, class ChangeWhatTheyGet>
    void change_all(Visit visit, ChangeWhatTheyGet change_what_they_get) {
        const std::lock_guard lock(mutex_);
        change_what_they_get();
        for_each(visit);
    }

  private:
    static bool try_take(Seat& seat) noexcept {
        bool free = false;
        return seat.taken.compare_exchange_strong(free, true, std::memory_order_acquire, std::memory_order_relaxed);
    }

    template <class Make>
    Seat& add(Make make) {
        const std::lock_guard lock(mutex_);
        const int count = count_.load(std::memory_order_relaxed);
        if (count == kMostGuests) {
            throw Error("too many threads outside the pool take part in it at once; allowed are " +
                        std::to_string(kMostGuests));
        }
        storage_.push_back(make(count));
        Seat& seat = *storage_.back();
        seat.taken.store(true, std::memory_order_relaxed);
        seats_[static_cast<std::size_t>(count)].store(&seat, std::memory_order_release);
        count_.store(count + 1, std::memory_order_seq_cst);
        return seat;
    }

    std::mutex mutex_;
    std::array<std::atomic<Seat*>, kMostGuests> seats_{};
    std::atomic<int> count_{0};
    std::vector<std::unique_ptr<Seat>> storage_;
};

}  // namespace quarry::impl
