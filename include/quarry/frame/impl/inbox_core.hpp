#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "quarry/export.hpp"
#include "quarry/frame/delivery.hpp"
#include "quarry/frame/host_guard.hpp"
#include "quarry/frame/impl/delivery_order.hpp"
#include "quarry/frame/impl/item_cost.hpp"
#include "quarry/frame/inbox_options.hpp"
#include "quarry/frame/virtual_clock.hpp"
#include "quarry/jobs/ext/permits.hpp"

namespace quarry::impl {

class InboxArrivals;

// What an inbox is without knowing the type of its items: slots, what was put and not delivered, budgets and figures.
// Lives until the inbox, its slots and its jobs are gone.
class InboxCore {
  public:
    // Throws std::invalid_argument.
    QUARRY_API InboxCore(const InboxOptions& options, void* state, void (*end)(void*) noexcept);
    InboxCore(const InboxCore&) = delete;
    InboxCore& operator=(const InboxCore&) = delete;
    QUARRY_API ~InboxCore();

    // Any thread.
    ext::PermitGate& gate() const noexcept { return gate_; }
    std::uint32_t slots() const noexcept { return slots_; }
    QUARRY_API void put(std::uint32_t slot) noexcept;

    // The host's thread.

    // Whether there is nothing to deliver. Throws quarry::Error on another thread, and inside a delivery.
    bool is_empty(const char* what) {
        host.assert_host(what);
        if (delivering_) refuse_within_delivery(what);
        return order.empty() && nothing_arrived();
    }
    // False: nothing came.
    QUARRY_API bool take_in() noexcept;
    // Returns when something was put, or at that moment of the steady clock at the latest.
    QUARRY_API void sleep_until_put(std::chrono::nanoseconds deadline) noexcept;
    std::chrono::nanoseconds now() const noexcept {
        return clock_ == nullptr ? std::chrono::steady_clock::now().time_since_epoch()
                                 : clock_->now().time_since_epoch();
    }
    bool time_is_virtual() const noexcept { return clock_ != nullptr; }

    // A slot was emptied. A few are given back at once: each time it may have to wake a worker, for one job.
    void emptied(std::uint32_t slot) noexcept {
        if (emptied_count_ == emptied_.size()) give_emptied_back();
        emptied_[emptied_count_++] = slot;
    }
    void give_emptied_back() noexcept {
        if (emptied_count_ != 0) ext::give_permits_back(gate_, emptied_.data(), std::exchange(emptied_count_, 0));
    }

    HostGuard host;
    const std::function<void(std::exception_ptr)> on_error;
    const std::function<void()> on_arrival;

  private:
    friend class Delivery;

    QUARRY_API bool nothing_arrived() const noexcept;
    [[noreturn]] QUARRY_API static void refuse_within_delivery(const char* what);

    const std::uint32_t slots_;
    const VirtualClock* const clock_;
    ext::PermitGate& gate_;
    std::unique_ptr<InboxArrivals> arrivals_;

  public:
    // What the host's thread changes with every item, away from what the workers read with every item.
    alignas(128) DeliveryOrder order;
    ItemCost cost;
    InboxStats stats;
    DeliveryReport report;

  private:
    std::uint64_t delivery_ = 0;  // number of the one that runs, or ran last
    bool delivering_ = false;
    std::array<std::uint32_t, 32> emptied_;
    std::size_t emptied_count_ = 0;
};

// One delivery, from the first look at the clock to the report.
class Delivery {
  public:
    QUARRY_API Delivery(InboxCore& core, const DeliveryBudget& budget) noexcept;
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;
    QUARRY_API ~Delivery();

    std::uint64_t number() const noexcept { return core_.delivery_; }
    std::chrono::nanoseconds deadline() const noexcept { return start_ + budget_.time(); }

    // Before each item: whether there is no budget for it. Never before the first.
    bool must_stop() noexcept {
        const std::size_t count = core_.report.delivered + core_.report.failed;
        if (count == 0) return false;
        if (count >= budget_.items()) return stop(DeliveryReport::End::items);
        if (!budget_.has_time_limit()) return false;
        const auto left = static_cast<double>((budget_.time() - (latest_ - start_)).count());
        return left <= 0 || core_.cost.expected() > left ? stop(DeliveryReport::End::time) : false;
    }
    // After each item, delivered or not.
    QUARRY_API void item_ended(std::uint64_t waited_since) noexcept;
    // Time has passed without an item.
    void waited() noexcept { latest_ = core_.now(); }
    bool time_is_over() const noexcept { return budget_.has_time_limit() && latest_ - start_ >= budget_.time(); }
    void ran_out_of_time() noexcept { core_.report.end = DeliveryReport::End::time; }

  private:
    bool stop(DeliveryReport::End end) noexcept {
        core_.report.end = end;
        return true;
    }

    InboxCore& core_;
    const DeliveryBudget budget_;
    const std::chrono::nanoseconds start_;
    std::chrono::nanoseconds latest_;
    const int uncaught_ = std::uncaught_exceptions();
};

[[noreturn]] QUARRY_API void throw_empty_slot();
[[noreturn]] QUARRY_API void throw_empty_inbox_task();
QUARRY_API void require_deliverable(Lane lane);
QUARRY_API void require_time_limit(const DeliveryBudget& budget);

}  // namespace quarry::impl
