#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "quarry/export.hpp"

namespace quarry {

namespace impl {

[[noreturn]] QUARRY_API void throw_bad_budget_time();
[[noreturn]] QUARRY_API void throw_bad_budget_items();

}  // namespace impl

// How much one delivery may do: for how long, how many items, or both. Any duration of chrono will do as it is:
// `inbox.deliver(2ms, fn)`. A time of 0 is one item; so is a negative one, of a frame that is over already. Throws
// std::invalid_argument for NaN, and for 0 items.
class DeliveryBudget {
  public:
    // A budget without a limit of time, or of items.
    static constexpr std::chrono::nanoseconds kNoLimit = std::chrono::nanoseconds::max();
    static constexpr std::size_t kAllItems = static_cast<std::size_t>(-1);

    // Any duration, and a number of items if that is limited too.
    template <class Rep, class Period>
    DeliveryBudget(std::chrono::duration<Rep, Period> time,  // NOLINT(google-explicit-constructor): see above
                   std::size_t items = kAllItems)
        : time_(nanoseconds_of(time)), items_(items) {
        if (items == 0) impl::throw_bad_budget_items();
    }
    // However long it takes.
    static DeliveryBudget only_items(std::size_t items) { return {kNoLimit, items}; }
    static DeliveryBudget everything() { return {kNoLimit, kAllItems}; }

    // What the budget allows.
    std::chrono::nanoseconds time() const noexcept { return time_; }
    std::size_t items() const noexcept { return items_; }
    bool has_time_limit() const noexcept { return time_ != kNoLimit; }

  private:
    template <class Rep, class Period>
    static std::chrono::nanoseconds nanoseconds_of(std::chrono::duration<Rep, Period> time) {
        // 100 years; the conversion would overflow soon after.
        constexpr double kLongest = 3.0e9;
        const double seconds = std::chrono::duration<double>(time).count();
        if (std::isnan(seconds)) impl::throw_bad_budget_time();
        if (seconds <= 0) return std::chrono::nanoseconds::zero();
        if (seconds > kLongest) return kNoLimit;
        return std::chrono::duration_cast<std::chrono::nanoseconds>(time);
    }

    std::chrono::nanoseconds time_;
    std::size_t items_;
};

// What one delivery did.
struct DeliveryReport {
    // Why a delivery ended.
    enum class End : std::uint8_t {
        all_delivered,  // nothing was left
        time,           // the time was over, or the next item would probably have gone beyond it
        items,          // the number of items was reached
        thrown,         // the callback threw, or a job's error was thrown: see Inbox::last_report
    };

    std::size_t delivered = 0;                 // items that the callback took
    std::size_t failed = 0;                    // jobs' errors that were handed over instead
    std::size_t carried_over = 0;              // items that are left for the next time
    std::chrono::nanoseconds spent{};          // wall time
    std::chrono::nanoseconds budget{};         // DeliveryBudget::kNoLimit: none
    std::chrono::nanoseconds overrun{};        // beyond the budget; less than the last item took
    std::chrono::nanoseconds expected_cost{};  // of the next item, as far as was learned
    std::uint64_t longest_wait = 0;            // of a delivered item: deliveries it was carried over by
    // Why it ended.
    End end = End::all_delivered;
};

// What all deliveries of an inbox did.
struct InboxStats {
    std::uint64_t deliveries = 0;                // that found something
    std::uint64_t delivered = 0;                 // items
    std::uint64_t failed = 0;                    // items whose callback threw
    std::uint64_t carried_over = 0;              // summed up over the deliveries
    std::uint64_t overruns = 0;                  // deliveries beyond their budget
    std::uint64_t most_waiting = 0;              // items at once
    std::uint64_t longest_wait = 0;              // in deliveries
    std::chrono::nanoseconds spent{};            // in callbacks and between them
    std::chrono::nanoseconds longest_item{};     // the item that took longest
    std::chrono::nanoseconds largest_overrun{};  // most that a delivery exceeded its budget by
};

}  // namespace quarry
