#include "jobs/pool_core.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <pthread.h>

#include "jobs/os.hpp"
#include "jobs/topology.hpp"
#include "jobs/trace/points.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {
namespace {

std::atomic<std::uint64_t> last_serial{0};

// The guest's place that this thread used last: mostly it can be had again at once.
struct LastGuest {
    std::uint64_t pool_serial = 0;
    Worker* guest = nullptr;
};
constinit thread_local LastGuest last_guest;

template <class Value>
void require_in_range(const char* option, Value value, Value least, Value most) {
    if (value >= least && value <= most) return;
    throw std::invalid_argument(std::string("PoolOptions::") + option + " is " + std::to_string(value) +
                                "; allowed are " + std::to_string(least) + " to " + std::to_string(most));
}

PoolOptions checked(PoolOptions options) {
    require_in_range("workers", options.workers, 0, Pool::kMostWorkers);
    require_in_range("queue_capacity", options.queue_capacity, std::size_t{1}, Pool::kMostQueueCapacity);
    require_in_range("steal_batch", options.steal_batch, std::size_t{1}, Pool::kMostStealBatch);
    if (options.workers == 0) options.workers = std::min(os::usable_cpus(), Pool::kMostWorkers);
    return options;
}

}  // namespace

PoolCore::PoolCore(Pool& pool, PoolOptions pool_options)
    : options(checked(std::move(pool_options))),
      serial(++last_serial),
      owner(pool),
      task_home(std::make_shared<TaskHome>(this, options.on_error)),
      injected_(options.queue_capacity),
      fork_generation_(os::fork_generation()) {
    loop_chunk_ticks = 2 * os::ticks_per_microsecond();
    workers.reserve(static_cast<std::size_t>(options.workers));
    for (int i = 0; i < options.workers; ++i) {
        workers.push_back(std::make_unique<Worker>(*this, i, false));
        workers.back()->victims = victim_groups(i, options.workers);
    }
    start_threads();
}

PoolCore::~PoolCore() {
    stop_threads();
    trace_pool_ends(*this);
    // A thread that waited for one of our tasks may be on its way out.
    task_home->close();
}

void PoolCore::start_threads() {
    try {
        threads_.reserve(workers.size());
        for (const auto& worker : workers) {
            threads_.emplace_back([this, &worker] { thread_main(*worker); });
        }
    } catch (const std::system_error& failure) {
        const std::size_t started = threads_.size();
        stop_threads();
        throw Error("can not start worker thread " + std::to_string(started + 1) + " of " +
                    std::to_string(options.workers) + ": " + failure.code().message());
    } catch (...) {
        stop_threads();
        throw;
    }
}

void PoolCore::stop_threads() noexcept {
    stopping.store(true, std::memory_order_seq_cst);
    (void)sleep.new_job();
    while (wake_one(WakerGoesOn::no, true)) {
    }
    for (std::thread& thread : threads_) thread.join();
}

void PoolCore::thread_main(Worker& worker) noexcept {
    os::set_thread_name(options.name + "-" + std::to_string(worker.index));
    if (options.on_thread_start) options.on_thread_start(worker.index);
    worker.placement.adopt_calling_thread();
    worker.run_until_stopped();
    if (options.on_thread_stop) options.on_thread_stop(worker.index);
}

bool PoolCore::is_forked_copy() const noexcept {
    return fork_generation_ != os::fork_generation();
}

bool PoolCore::runs_on_this_thread() const noexcept {
    const Worker* const current = Worker::current();
    if (current != nullptr && &current->core == this) return true;
    // A worker of ours may be a guest of another pool at the moment.
    const auto me = std::this_thread::get_id();
    return std::any_of(threads_.begin(), threads_.end(), [&](const std::thread& one) { return one.get_id() == me; });
}

void PoolCore::require_usable() const {
    if (!is_forked_copy()) return;
    throw Error("this pool was made before fork(): its threads do not exist in the child; make a new pool there");
}

Worker& PoolCore::enter() {
    require_usable();
    Worker* guest = last_guest.guest;
    const auto take = [](Worker& place) {
        bool free = false;
        return place.taken.compare_exchange_strong(free, true, std::memory_order_acquire, std::memory_order_relaxed);
    };
    if (last_guest.pool_serial != serial || !take(*guest)) {
        guest = nullptr;
        for_each_guest([&](Worker& place) {
            if (guest == nullptr && take(place)) guest = &place;
        });
        if (guest == nullptr) guest = &add_guest();
        last_guest = {serial, guest};
    }
    sleep.add_appetite(-1);
    guest->lose_patience();
    current_context = guest;
    return *guest;
}

Worker& PoolCore::add_guest() {
    const std::lock_guard lock(guests_mutex_);
    const int count = guest_count_.load(std::memory_order_relaxed);
    if (count == kMostGuests) {
        throw Error("too many threads outside the pool take part in it at once; allowed are " +
                    std::to_string(kMostGuests));
    }
    guest_storage_.push_back(std::make_unique<Worker>(*this, worker_count() + count, true));
    Worker& guest = *guest_storage_.back();
    guest.taken.store(true, std::memory_order_relaxed);
    guest.trace.store(trace.load(std::memory_order_relaxed), std::memory_order_relaxed);
    guests_[static_cast<std::size_t>(count)].store(&guest, std::memory_order_release);
    guest_count_.store(count + 1, std::memory_order_seq_cst);
    return guest;
}

void PoolCore::set_trace(std::uint64_t serial_of_trace) noexcept {
    const std::lock_guard lock(guests_mutex_);
    trace.store(serial_of_trace, std::memory_order_relaxed);
    for (const auto& worker : workers) worker->trace.store(serial_of_trace, std::memory_order_relaxed);
    for (const auto& guest : guest_storage_) guest->trace.store(serial_of_trace, std::memory_order_relaxed);
}

void PoolCore::leave(Worker& guest) noexcept {
    if (guest.queues_used) guest.leave_queues_empty();
    sleep.add_appetite(1);
    guest.taken.store(false, std::memory_order_release);
}

namespace {

// A sleeping worker as Sleep::wake_one sees it.
struct Sleeper {
    Worker& worker;
    WakerGoesOn waker_goes_on;

    // Steers before the sleeper can go on, so that it sees that it was; one that another waker gets finds out as well.
    bool try_pick() const noexcept {
        if (!worker.parker.is_sleeping()) return false;
        if (waker_goes_on == WakerGoesOn::yes) worker.placement.steer_away_from_caller();
        if (waker_goes_on == WakerGoesOn::unknown) worker.woken_at.store(os::ticks(), std::memory_order_relaxed);
        return worker.parker.try_pick();
    }
    void wake() const noexcept { worker.parker.wake(); }
};

}  // namespace

void PoolCore::started_after(std::uint64_t ticks) noexcept {
    constexpr std::uint64_t kLateMicroseconds = 200;
    constexpr std::int32_t kWakesToSteer = 100;
    if (ticks < kLateMicroseconds * os::ticks_per_microsecond()) return;
    steered_wakes_left_.store(kWakesToSteer, std::memory_order_relaxed);
}

bool PoolCore::wake_one(WakerGoesOn waker_goes_on, bool even_if_searching) noexcept {
    if (waker_goes_on == WakerGoesOn::unknown && steered_wakes_left_.load(std::memory_order_relaxed) > 0) {
        steered_wakes_left_.fetch_sub(1, std::memory_order_relaxed);
        waker_goes_on = WakerGoesOn::yes;
    }
    const bool woken = sleep.wake_one(
        workers.size(), 0,
        [&](std::size_t i) {
            return Sleeper{*workers[i], waker_goes_on};
        },
        even_if_searching);
    if (woken) trace_wake(trace);
    return woken;
}

// Somebody who waits, asleep, for an ancestor of this job.
bool PoolCore::wake_waiter_for(Node& node) noexcept {
    Worker* waiter = nullptr;
    const auto look = [&](Worker& worker) {
        if (waiter != nullptr || !worker.parker.is_waiting()) return;
        const Node* const awaited = worker.awaited.load(std::memory_order_relaxed);
        if (awaited != nullptr && descends_from(node, *awaited)) waiter = &worker;
    };
    for (const auto& worker : workers) look(*worker);
    for_each_guest(look);
    if (waiter == nullptr) return false;
    waiter->parker.notify();
    trace_wake(trace);
    return true;
}

void PoolCore::job_queued(Worker* by, Node& node) noexcept {
    using Counters = Sleep<DefaultAtomics>;
    const std::int64_t word = sleep.new_job();
    if (Counters::searching(word) != 0) return;
    if (Counters::sleeping(word) != 0) {
        // A thread from outside may be about to wait: then its own CPU is the one that is free first.
        if (wake_one(by == nullptr ? WakerGoesOn::unknown : WakerGoesOn::yes)) {
            if (by != nullptr) {
                by->counters.wakes.add();
            } else {
                wakes_outside_.fetch_add(1, std::memory_order_relaxed);
            }
        }
    } else if (Counters::appetite(word) > 0 && by != nullptr && word != by->futile_word) {
        if (wake_waiter_for(node)) {
            by->counters.wakes.add();
        } else {
            by->futile_word = word;
        }
    }
}

void PoolCore::job_offered(Worker& by, Node& node) noexcept {
    using Counters = Sleep<DefaultAtomics>;
    const std::int64_t word = sleep.new_job();
    by.offered_at = 0;
    if (Counters::searching(word) != 0) by.offered_at = os::ticks();
    if (Counters::searching(word) != 0 || Counters::appetite(word) <= 0) return;
    const bool woken = Counters::sleeping(word) != 0 ? wake_one(WakerGoesOn::yes) : wake_waiter_for(node);
    if (woken) {
        by.counters.wakes.add();
    } else {
        by.futile_word = word;
    }
}

void PoolCore::last_searcher_found_work() noexcept {
    if (work_visible()) wake_one(WakerGoesOn::yes);
}

bool PoolCore::work_visible() const noexcept {
    if (stopping.load(std::memory_order_seq_cst) || !injected_.looks_empty() || !overflow_.looks_empty()) {
        return true;
    }
    bool visible = false;
    for (const auto& worker : workers) visible = visible || worker->has_visible_work();
    for_each_guest([&](const Worker& guest) { visible = visible || guest.has_visible_work(); });
    return visible;
}

bool PoolCore::try_inject(Node& node) noexcept {
    if (!injected_.try_push(&node)) return false;
    job_queued(nullptr, node);
    return true;
}

Node* PoolCore::take_injected() noexcept {
    if (Node* const node = overflow_.pop()) return node;
    Node* const node = injected_.try_pop();
    if (node == nullptr) return nullptr;
    // Pairs with wait_for_room: the waiter counts itself, then looks for room again.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (room_waiters_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        room_made_.fetch_add(1, std::memory_order_seq_cst);
        os::futex_wake_one(room_made_);
    }
    return node;
}

void PoolCore::submit(Node& node) {
    require_usable();
    Worker* const worker = Worker::current();
    if (worker != nullptr && &worker->core == this && !worker->guest) {
        worker->push_submitted(node);
        job_queued(worker, node);
        return;
    }
    submitted_outside_.fetch_add(1, std::memory_order_relaxed);
    if (try_inject(node)) return;
    if (worker != nullptr) {
        overflow_.push(node);
        job_queued(nullptr, node);
        return;
    }
    while (!try_inject(node)) {
        room_waiters_.fetch_add(1, std::memory_order_seq_cst);
        const std::uint32_t seen = room_made_.load(std::memory_order_seq_cst);
        const bool injected = try_inject(node);
        if (!injected) os::futex_wait(room_made_, seen);
        room_waiters_.fetch_sub(1, std::memory_order_seq_cst);
        if (injected) return;
    }
}

PoolStats PoolCore::stats() const {
    PoolStats stats;
    for (const auto& worker : workers) {
        stats.workers.push_back(worker->counters.snapshot());
        stats.total += stats.workers.back();
    }
    for_each_guest([&](const Worker& guest) { stats.guests += guest.counters.snapshot(); });
    stats.outside.spawned = submitted_outside_.load(std::memory_order_relaxed);
    stats.outside.wakes = wakes_outside_.load(std::memory_order_relaxed);
    stats.total += stats.guests;
    stats.total += stats.outside;
    return stats;
}

}  // namespace quarry::impl
