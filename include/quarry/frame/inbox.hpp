#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "quarry/frame/delivery.hpp"
#include "quarry/frame/fwd.hpp"
#include "quarry/frame/impl/inbox_core.hpp"
#include "quarry/frame/impl/inbox_state.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/lane.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/task.hpp"

namespace quarry {

// A place in an inbox, taken before the work is begun: putting into it cannot fail. Dropped without a put, it is given
// back. May outlive its inbox; what is put then is destroyed. One thread at a time.
template <class T>
class InboxSlot {
  public:
    InboxSlot() noexcept = default;
    // Takes the slot over.
    InboxSlot(InboxSlot&& other) noexcept
        : state_(std::exchange(other.state_, nullptr)), slot_(std::exchange(other.slot_, ext::kNoPermit)) {}
    InboxSlot& operator=(InboxSlot&& other) noexcept {
        InboxSlot dropped(std::move(*this));
        state_ = std::exchange(other.state_, nullptr);
        slot_ = std::exchange(other.slot_, ext::kNoPermit);
        return *this;
    }
    ~InboxSlot() {
        if (state_ == nullptr) return;
        state_->give_back(slot_);
        ext::release_gate(state_->core.gate());
    }

    // Whether it holds a slot.
    explicit operator bool() const noexcept { return state_ != nullptr; }

    // Hands the value over; the slot is empty afterwards. Throws quarry::Error if it is empty already; if the value's
    // constructor throws, the slot is kept.
    void put(T value, double importance = 0) {
        if (state_ == nullptr) impl::throw_empty_slot();
        state_->cells[slot_].set_value(std::move(value));
        hand_over(importance);
    }
    // The host gets the error in place of a value.
    void put_error(std::exception_ptr error, double importance = 0) {
        if (state_ == nullptr) impl::throw_empty_slot();
        state_->cells[slot_].set_error(std::move(error));
        hand_over(importance);
    }

  private:
    friend class Inbox<T>;
    InboxSlot(impl::InboxState<T>& state, std::uint32_t slot) noexcept : state_(&state), slot_(slot) {}

    void hand_over(double importance) noexcept {
        impl::InboxState<T>& state = *std::exchange(state_, nullptr);
        state.put(slot_, importance);
        ext::release_gate(state.core.gate());
    }

    impl::InboxState<T>* state_ = nullptr;
    std::uint32_t slot_ = ext::kNoPermit;
};

// A job whose result goes to an inbox. Nobody waits for it here: its result, or its error, comes with a delivery.
// Dropping an InboxTask detaches the job. May outlive inbox and pool. One thread at a time.
class InboxTask {
  public:
    InboxTask() noexcept = default;
    // Takes the job over.
    InboxTask(InboxTask&& other) noexcept
        : job_(std::exchange(other.job_, nullptr)), gate_(std::exchange(other.gate_, nullptr)) {}
    InboxTask& operator=(InboxTask&& other) noexcept {
        InboxTask dropped(std::move(*this));
        job_ = std::exchange(other.job_, nullptr);
        gate_ = std::exchange(other.gate_, nullptr);
        return *this;
    }
    ~InboxTask() {
        if (job_ == nullptr) return;
        impl::drop_handle(*job_);
        ext::release_gate(*gate_);
    }

    // Whether it has a job.
    bool valid() const noexcept { return job_ != nullptr; }
    // Whether the job has ended: put its result or its error, or was cancelled.
    bool ready() const noexcept { return job_ != nullptr && impl::task_ready(*job_); }
    // Gives the job up if it has not started. False: too late, it runs or has ended.
    bool cancel() { return impl::cancel_task(job()); }
    // Puts the job in front of what waits at a lower priority, for a worker or for a slot; its result is as important.
    // False: it has started, or had that priority already.
    bool raise(Priority priority) { return ext::raise_gated(job(), priority); }

  private:
    template <class T>
    friend class Inbox;
    InboxTask(impl::Job& job, ext::PermitGate& gate) noexcept : job_(&job), gate_(&gate) {}

    impl::Job& job() const {
        if (job_ == nullptr) impl::throw_empty_inbox_task();
        return *job_;
    }

    impl::Job* job_ = nullptr;
    ext::PermitGate* gate_ = nullptr;
};

// Results on their way from the workers to the host's thread, which takes them within a budget, most important first.
//
// Bounded by slots. A job that will deliver takes one before it starts; without one it stays queued, and the worker
// takes other work. So the results that wait or are being made are never more than the slots, and none is ever refused
// or lost. See docs/guide/frames.md.
template <class T>
class Inbox {
  public:
    // Throws std::invalid_argument for an option out of range. The calling thread is the host's, unless options.host
    // says otherwise.
    explicit Inbox(const InboxOptions& options = {}) : state_(*new impl::InboxState<T>(options)) {}
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;
    // Never waits. Jobs that have not started are cancelled; those that run end, and their results are destroyed.
    ~Inbox() {
        ext::close_gate(state_.core.gate());
        state_.core.take_in();
        state_.core.order.for_each([&](std::uint32_t slot) { state_.give_back(slot); });
        state_.core.order.clear();
        ext::release_gate(state_.core.gate());
    }

    // Hands f() to a pool, as Pool::submit does; what it returns, a T or an optional T, goes into the inbox. The result
    // is as important as the job's priority says (low 0 to urgent 3), or as given. From the host's thread it never
    // waits: if the lane is full the job is queued beyond its capacity. Throws std::invalid_argument for Lane::host.
    template <class F>
    InboxTask submit(Pool& pool, F&& f, const SubmitOptions& options = {}) {
        return *admit(pool, std::forward<F>(f), options, when_full());
    }
    // With an importance in place of that of its priority.
    template <class F>
    InboxTask submit(Pool& pool, F&& f, const SubmitOptions& options, double importance) {
        return *admit(pool, weighed(std::forward<F>(f), importance), options, when_full());
    }
    // Submits without waiting: std::nullopt when the lane is full; f is then untouched. Jobs that wait for a slot
    // count.
    template <class F>
    std::optional<InboxTask> try_submit(Pool& pool, F&& f, const SubmitOptions& options = {}) {
        return admit(pool, std::forward<F>(f), options, ext::Admission::WhenFull::refuse);
    }

    // For work that is no job of a pool: a place for one result, or an empty slot when there is none, or when jobs wait
    // for one. Any thread, never waits.
    InboxSlot<T> try_take_slot() noexcept {
        const std::uint32_t slot = ext::try_take_permit(state_.core.gate());
        if (slot == ext::kNoPermit) return {};
        ext::retain_gate(state_.core.gate(), 1);
        return InboxSlot<T>(state_, slot);
    }
    // False: there is no slot, and the value is untouched.
    bool try_put(T&& value, double importance = 0) {
        InboxSlot<T> slot = try_take_slot();
        if (!slot) return false;
        slot.put(std::move(value), importance);
        return true;
    }

    // Only on the host's thread, and not from within a callback: throws quarry::Error.
    //
    // Calls fn(item) for what has been put, most important first and then oldest first, until the budget is spent: one
    // item at least, and never beyond the budget by more than the one item in hand. What is left comes next time.
    // importance(const T&): evaluated once an item and delivery, so that it may change while items wait; without it,
    // what was given with the item counts.
    //
    // If fn throws, the item stays, as the first in line, and the error goes on to the caller. See drop_failed. fn may
    // move from its item: take it as T& or T&&. Taken by value, a T that can be copied is copied; one that cannot is
    // moved into fn, and ends there if fn throws.
    template <class Fn>
    DeliveryReport deliver(const DeliveryBudget& budget, Fn&& fn) {
        return deliver_ranked(budget, fn, Stored{state_}, Never{});
    }
    // With importance(const T&), see above.
    template <class Fn, class Importance>
    DeliveryReport deliver(const DeliveryBudget& budget, Fn&& fn, Importance&& importance) {
        return deliver_ranked(budget, fn, Evaluated<Importance>{state_, importance}, Never{});
    }
    // Delivers until a moment of the steady clock, or of InboxOptions::clock: the end of the frame, say. One that has
    // passed still delivers one item.
    template <class Fn>
    DeliveryReport deliver_by(std::chrono::steady_clock::time_point moment, Fn&& fn) {
        return deliver(time_until(moment), fn);
    }
    template <class Fn, class Importance>
    DeliveryReport deliver_by(std::chrono::steady_clock::time_point moment, Fn&& fn, Importance&& importance) {
        return deliver(time_until(moment), fn, importance);
    }
    // Delivers, and then sleeps until more is put, until done() or until the time is over: for work whose result
    // belongs in this very frame. The budget needs a time.
    template <class Done, class Fn>
    DeliveryReport deliver_until(const DeliveryBudget& budget, Done&& done, Fn&& fn) {
        impl::require_time_limit(budget);
        return deliver_ranked(budget, fn, Stored{state_}, done);
    }
    // With importance(const T&), as deliver.
    template <class Done, class Fn, class Importance>
    DeliveryReport deliver_until(const DeliveryBudget& budget, Done&& done, Fn&& fn, Importance&& importance) {
        impl::require_time_limit(budget);
        return deliver_ranked(budget, fn, Evaluated<Importance>{state_, importance}, done);
    }

    // Destroys the item at which the last callback threw. False: there is none.
    bool drop_failed() {
        (void)state_.core.is_empty("Inbox::drop_failed");
        if (!state_.core.order.has_first()) return false;
        state_.give_back(state_.core.order.remove_first());
        return true;
    }

    // What the last delivery did, also if it threw; and all of them. For the host's thread.
    const DeliveryReport& last_report() const noexcept { return state_.core.report; }
    const InboxStats& stats() const noexcept { return state_.core.stats; }

    // How many results it has room for.
    std::size_t slots() const noexcept { return state_.core.slots(); }
    // Jobs that wait for a slot, about.
    std::size_t jobs_waiting() const noexcept { return ext::jobs_at(state_.core.gate()); }
    const HostGuard& host() const noexcept { return state_.core.host; }

  private:
    using Content = typename impl::InboxCell<T>::Content;

    struct Stored {
        impl::InboxState<T>& state;
        double operator()(std::uint32_t slot) const noexcept { return state.cells[slot].importance; }
    };
    template <class Importance>
    struct Evaluated {
        impl::InboxState<T>& state;
        std::remove_reference_t<Importance>& importance;
        double operator()(std::uint32_t slot) const {
            const impl::InboxCell<T>& cell = state.cells[slot];
            if (cell.content != Content::value) return cell.importance;
            return static_cast<double>(std::invoke(importance, cell.value));
        }
    };
    struct Never {};

    DeliveryBudget time_until(std::chrono::steady_clock::time_point moment) const noexcept {
        const std::chrono::nanoseconds now = state_.core.now();
        const std::chrono::nanoseconds end = moment.time_since_epoch();
        // The difference of far moments would overflow.
        if (now < std::chrono::nanoseconds::zero() && end > DeliveryBudget::kNoLimit + now) {
            return DeliveryBudget::everything();
        }
        return end <= now ? std::chrono::nanoseconds::zero() : end - now;
    }

    template <class F>
    static impl::WithImportance<std::decay_t<F>> weighed(F&& f, double importance) {
        return {std::forward<F>(f), importance};
    }
    ext::Admission::WhenFull when_full() const noexcept {
        return state_.core.host.is_host() ? ext::Admission::WhenFull::exceed : ext::Admission::WhenFull::wait;
    }

    template <class F>
    std::optional<InboxTask> admit(Pool& pool, F&& f, const SubmitOptions& options, ext::Admission::WhenFull full) {
        using Body = impl::InboxBody<T, std::decay_t<F>>;
        using BodyIn = ext::GatedBodyIn<Body>;
        impl::require_deliverable(options.lane);
        ext::PermitGate& gate = state_.core.gate();
        ext::prepare_gate(gate, pool.core());
        ext::Admission admission(pool.core(), options, full, ext::Admission::Needs::permit);
        if (!admission.granted()) return std::nullopt;
        impl::JobUnderConstruction under_construction(impl::allocate_job());
        BodyIn::emplace(under_construction.get(), std::forward<F>(f));
        ext::retain_gate(gate, 2);
        impl::Job& job = under_construction.complete(&Body::operate);
        InboxTask task(job, gate);
        ext::submit_gated(admission, job, options, gate);
        return task;
    }

    template <class Fn, class Importance, class Done>
    DeliveryReport deliver_ranked(const DeliveryBudget& budget, Fn& fn, Importance importance, Done&& done) {
        impl::InboxCore& core = state_.core;
        constexpr bool kWaits = !std::is_same_v<std::remove_cvref_t<Done>, Never>;
        const bool empty = core.is_empty("Inbox::deliver");
        core.report = {};
        core.report.budget = budget.time();
        if constexpr (!kWaits) {
            if (empty) return core.report;
        }
        {
            impl::Delivery delivery(core, budget);
            do {
                // What is put meanwhile is taken in, too, if there is a limit to it.
                while (core.take_in() || !core.order.empty()) {
                    core.order.rank(delivery.number(), importance);
                    if (!deliver_all(delivery, fn)) break;
                    if (!budget.has_time_limit() && budget.items() == DeliveryBudget::kAllItems) break;
                }
            } while (go_on_waiting(delivery, done));
        }
        return core.report;
    }

    // False: the budget is spent.
    template <class Fn>
    bool deliver_all(impl::Delivery& delivery, Fn& fn) {
        while (!state_.core.order.empty()) {
            if (delivery.must_stop()) return false;
            hand_over(delivery, fn);
        }
        state_.core.give_emptied_back();
        return true;
    }

    template <class Done>
    bool go_on_waiting(impl::Delivery& delivery, Done& done) {
        if constexpr (std::is_same_v<std::remove_cvref_t<Done>, Never>) {
            return false;
        } else {
            if (delivery.must_stop() || std::invoke(done)) return false;
            delivery.waited();
            if (delivery.time_is_over() || state_.core.time_is_virtual()) {
                delivery.ran_out_of_time();
                return false;
            }
            state_.core.sleep_until_put(delivery.deadline());
            delivery.waited();
            return true;
        }
    }

    template <class Fn>
    void hand_over(impl::Delivery& delivery, Fn& fn) {
        impl::InboxCore& core = state_.core;
        const impl::DeliveryOrder::Item item = core.order.next();
        impl::InboxCell<T>& cell = state_.cells[item.slot];
        if (cell.content == Content::error) return hand_over_error(delivery, item);
        try {
            // The item itself, not what is left of it after a move: if fn throws it must still be whole.
            if constexpr (std::is_invocable_v<Fn&, T&>) {
                std::invoke(fn, cell.value);
            } else {
                std::invoke(fn, std::move(cell.value));
            }
        } catch (...) {
            core.order.put_back_next();
            delivery.item_ended(item.since);
            throw;
        }
        drop(item.slot);
        ++core.report.delivered;
        delivery.item_ended(item.since);
    }

    // A job's error is gone once it was told.
    void hand_over_error(impl::Delivery& delivery, const impl::DeliveryOrder::Item& item) {
        impl::InboxCore& core = state_.core;
        const std::exception_ptr error = std::move(state_.cells[item.slot].error);
        drop(item.slot);
        ++core.report.failed;
        try {
            if (!core.on_error) std::rethrow_exception(error);
            core.on_error(error);
        } catch (...) {
            delivery.item_ended(item.since);
            throw;
        }
        delivery.item_ended(item.since);
    }

    void drop(std::uint32_t slot) noexcept {
        state_.core.order.remove_next();
        state_.cells[slot].clear();
        state_.core.emptied(slot);
    }

    impl::InboxState<T>& state_;
};

}  // namespace quarry
