#include "quarry/frame/impl/inbox_core.hpp"

#include <stdexcept>
#include <string>

#include "frame/inbox/arrivals.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/ext/sleep.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {
namespace {

constexpr std::size_t kMostSlots = std::size_t{1} << 20;
constexpr std::chrono::nanoseconds kLongItem = std::chrono::microseconds(10);

std::uint32_t checked_slots(const InboxOptions& options) {
    if (options.slots < 1 || options.slots > kMostSlots) {
        throw std::invalid_argument("InboxOptions::slots is " + std::to_string(options.slots) + "; allowed are 1 to " +
                                    std::to_string(kMostSlots));
    }
    if (!std::isfinite(options.age_bonus) || options.age_bonus < 0) {
        throw std::invalid_argument("InboxOptions::age_bonus is " + std::to_string(options.age_bonus) +
                                    "; allowed are finite numbers from 0");
    }
    if (options.overdue_after < 1) {
        throw std::invalid_argument("InboxOptions::overdue_after is 0; allowed are numbers from 1");
    }
    return static_cast<std::uint32_t>(options.slots);
}

}  // namespace

// The hand-over uses no fences, so the plain policy serves the thread sanitizer too, and shows it every order.
class InboxArrivals : public Arrivals<PlainAtomics> {
  public:
    using Arrivals::Arrivals;
};

InboxCore::InboxCore(const InboxOptions& options, void* state, void (*end)(void*) noexcept)
    : host(options.host ? *options.host : HostGuard()),
      on_error(options.on_error),
      on_arrival(options.on_arrival),
      slots_(checked_slots(options)),
      clock_(options.clock),
      gate_(ext::make_permit_gate(slots_, state, end)),
      order(options.age_bonus, options.overdue_after) {
    try {
        order.make_room(slots_);
        arrivals_ = std::make_unique<InboxArrivals>(slots_);
    } catch (...) {
        ext::abandon_permit_gate(gate_);
        throw;
    }
}

InboxCore::~InboxCore() = default;

void InboxCore::put(std::uint32_t slot) noexcept {
    if (arrivals_->put(slot) && on_arrival) on_arrival();
}

bool InboxCore::nothing_arrived() const noexcept {
    return arrivals_->none();
}

bool InboxCore::take_in() noexcept {
    if (arrivals_->none()) return false;
    order.begin_intake();
    arrivals_->take_all([&](std::uint32_t slot) { order.add(slot, delivery_); });
    order.end_intake();
    return true;
}

void InboxCore::sleep_until_put(std::chrono::nanoseconds deadline) noexcept {
    arrivals_->sleep_until_put([&](std::atomic<std::uint32_t>& word, std::uint32_t asleep) {
        (void)ext::sleep_until(word, asleep, deadline.count());
    });
}

void InboxCore::refuse_within_delivery(const char* what) {
    throw Error(std::string(what) +
                " was called by the callback of a delivery of the same inbox; it may put and "
                "submit, but not deliver");
}

Delivery::Delivery(InboxCore& core, const DeliveryBudget& budget) noexcept
    : core_(core), budget_(budget), start_(core.now()), latest_(start_) {
    core.delivering_ = true;
    ++core.delivery_;
}

Delivery::~Delivery() {
    core_.give_emptied_back();
    core_.delivering_ = false;
    DeliveryReport& report = core_.report;
    InboxStats& stats = core_.stats;
    if (std::uncaught_exceptions() > uncaught_) report.end = DeliveryReport::End::thrown;
    report.carried_over = core_.order.size();
    report.spent = latest_ - start_;
    if (budget_.has_time_limit() && report.spent > budget_.time()) {
        report.overrun = report.spent - budget_.time();
        ++stats.overruns;
        stats.largest_overrun = std::max(stats.largest_overrun, report.overrun);
    }
    report.expected_cost = std::chrono::nanoseconds(static_cast<std::int64_t>(core_.cost.expected()));
    ++stats.deliveries;
    stats.delivered += report.delivered;
    stats.failed += report.failed;
    stats.carried_over += report.carried_over;
    stats.most_waiting =
        std::max<std::uint64_t>(stats.most_waiting, report.delivered + report.failed + report.carried_over);
    stats.longest_wait = std::max(stats.longest_wait, report.longest_wait);
    stats.spent += report.spent;
}

void Delivery::item_ended(std::uint64_t waited_since) noexcept {
    const std::chrono::nanoseconds now = core_.now();
    const std::chrono::nanoseconds took = now - latest_;
    latest_ = now;
    // A worker could have made the next result meanwhile.
    if (took > kLongItem) core_.give_emptied_back();
    core_.cost.learn(static_cast<double>(took.count()));
    core_.stats.longest_item = std::max(core_.stats.longest_item, took);
    core_.report.longest_wait = std::max(core_.report.longest_wait, core_.delivery_ - waited_since);
}

void throw_empty_slot() {
    throw Error("this InboxSlot is empty: it was moved from, or its result was put already");
}

void throw_empty_inbox_task() {
    throw Error("this InboxTask is empty: it was moved from, or never submitted");
}

void require_deliverable(Lane lane) {
    if (lane != Lane::host) return;
    throw std::invalid_argument(
        "SubmitOptions::lane is Lane::host; allowed for a job that delivers to an inbox are Lane::frame, background "
        "and io");
}

void require_time_limit(const DeliveryBudget& budget) {
    if (budget.has_time_limit()) return;
    throw std::invalid_argument("a budget without a time limit was given to Inbox::deliver_until; it needs one");
}

void throw_bad_budget_time() {
    throw std::invalid_argument("the time of a DeliveryBudget is not a number; allowed are all times");
}

void throw_bad_budget_items() {
    throw std::invalid_argument("the items of a DeliveryBudget are 0; allowed are 1 and more");
}

}  // namespace quarry::impl
