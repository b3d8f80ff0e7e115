#include "jobs/pool/pool_core.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <pthread.h>

#include "jobs/os/os.hpp"
#include "jobs/pool/topology.hpp"
#include "jobs/task/task_header.hpp"
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

// While a hook runs on a thread of that pool.
[[gnu::tls_model("initial-exec")]] constinit thread_local const PoolCore* hook_of = nullptr;

// So that finding it again shows that the pool's threads exist: no need to look for a fork.
void forget_last_guest_at_fork() noexcept {
    static const bool registered = [] {
        os::around_fork([] {}, [] { last_guest = {}; });
        return true;
    }();
    static_cast<void>(registered);
}

template <class Value>
void require_in_range(const char* option, Value value, Value least, Value most) {
    if (value >= least && value <= most) return;
    throw std::invalid_argument(std::string("PoolOptions::") + option + " is " + std::to_string(value) +
                                "; allowed are " + std::to_string(least) + " to " + std::to_string(most));
}

PoolOptions checked(PoolOptions options) {
    require_in_range("workers", options.workers, 0, Pool::kMostWorkers);
    require_in_range("io_threads", options.io_threads, 0, Pool::kMostIoThreads);
    require_in_range("queue_capacity", options.queue_capacity, std::size_t{1}, Pool::kMostQueueCapacity);
    require_in_range("steal_batch", options.steal_batch, std::size_t{1}, Pool::kMostStealBatch);
    if (options.workers == 0) options.workers = std::min(os::usable_cpus(), Pool::kMostWorkers);
    require_in_range("reserved_for_frame", options.reserved_for_frame, 0, options.workers - 1);
    return options;
}

template <std::size_t... Lane>
std::array<Injection, sizeof...(Lane)> one_for_each_lane(std::size_t capacity, std::index_sequence<Lane...>) {
    return {((void)Lane, Injection(capacity))...};
}

}  // namespace

PoolCore::PoolCore(Pool& pool, PoolOptions pool_options)
    : options(checked(std::move(pool_options))),
      serial(++last_serial),
      owner(pool),
      injections_(one_for_each_lane(options.queue_capacity, std::make_index_sequence<kLanes>())),
      task_home(TaskHome::open(*this, options.on_error)),
      crews(options.reserved_for_frame != 0),
      host_thread_(std::this_thread::get_id()),
      fork_generation_(os::fork_generation()) {
    forget_last_guest_at_fork();
    loop_chunk_ticks.store(2 * os::ticks_per_microsecond(), std::memory_order_relaxed);
    try {
        make_workers();
        threads_.reserve(workers.size());
        start_threads(0, static_cast<std::size_t>(options.workers));
    } catch (...) {
        stop_threads();
        task_home.close();
        throw;
    }
}

void PoolCore::make_workers() {
    const auto add = [&](WorkerCrew& crew, int index) {
        workers.push_back(std::make_unique<Worker>(*this, index, &crew));
        crew.members.push_back(workers.back().get());
    };
    // The first ones are reserved, because the thread that is woken first is the first that sleeps.
    for (int i = 0; i < options.workers; ++i) add(i < options.reserved_for_frame ? crews.reserved : crews.general, i);
    for (int i = 0; i < options.io_threads; ++i) add(crews.io, options.workers + kMostGuests + i);
    for (int i = 0; i < options.workers; ++i) {
        std::vector<std::vector<Worker*>> victims;
        for (const std::vector<int>& group : victim_groups(i, options.workers)) {
            std::vector<Worker*>& near = victims.emplace_back();
            for (const int other : group) near.push_back(workers[static_cast<std::size_t>(other)].get());
        }
        workers[static_cast<std::size_t>(i)]->search.set_victims(std::move(victims));
    }
    for (Worker* const io : crews.io.members) {
        std::vector<Worker*> others = crews.io.members;
        std::erase(others, io);
        if (!others.empty()) io->search.set_victims({others});
    }
}

PoolCore::~PoolCore() {
    stop_threads();
    trace_pool_ends(*this);
    // A thread that waited for room or for one of our tasks, or queued a job that another one has run by then, may be
    // on its way out.
    task_home.close();
    release_leftovers();
}

void PoolCore::start_threads(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
        try {
            threads_.emplace_back([this, i] { thread_main(*workers[i]); });
        } catch (const std::system_error& failure) {
            throw Error("cannot start worker thread " + std::to_string(i + 1) + " of " + std::to_string(last) + ": " +
                        failure.code().message());
        }
    }
}

void PoolCore::start_io_threads() {
    const std::lock_guard lock(threads_mutex_);
    if (io_started_.load(std::memory_order_relaxed)) return;
    // After a failure the next call goes on where this one stopped.
    start_threads(threads_.size(), workers.size());
    io_started_.store(true, std::memory_order_release);
}

// Everything accepted is run before the threads end, and so is what it submits meanwhile.
void PoolCore::stop_threads() noexcept {
    drain.stop();
    for (Injection& lane : injections_) lane.wake_all_waiters();
    give_up_gated_jobs();
    look_whether_drained();
    // The calling thread may be in a job of another pool: it hides nothing of that one.
    drain.wait_until_drained([this] { finish_host_jobs(); }, [] { Worker::hide_nothing(); });
    for (std::thread& thread : threads_) thread.join();
}

std::uint64_t PoolCore::jobs_ended() const noexcept {
    std::uint64_t ended =
        ended_outside(JobEnd::completed) + ended_outside(JobEnd::failed) + ended_outside(JobEnd::cancelled);
    const auto add = [&](const Worker& worker) { ended += worker.counters.ended(); };
    for (const auto& worker : workers) add(*worker);
    for_each_guest(add);
    return ended;
}

std::uint64_t PoolCore::jobs_created() const noexcept {
    std::uint64_t created = submitted_outside_.get();
    const auto add = [&](const Worker& worker) { created += worker.counters.spawned.get(); };
    for (const auto& worker : workers) add(*worker);
    for_each_guest(add);
    return created;
}

void PoolCore::look_whether_drained() noexcept {
    drain.look([this] { return jobs_ended(); }, [this] { return jobs_created(); }, [this] { crews.wake_all(); });
}

// Entries of jobs that were run or cancelled by another way.
void PoolCore::release_leftovers() noexcept {
    for (const auto& worker : workers) {
        for (LaneQueues& queues : worker->lanes) {
            while (Node* const node = queues.slot.take()) release(node);
            while (Node* const node = queues.deque.pop()) release(node);
            while (Node* const node = queues.far_deque.pop()) release(node);
        }
    }
    for (Injection& lane : injections_) {
        while (Node* const node = lane.take_important()) release(node);
        for (Node* node = nullptr; lane.take(&node, 1, false) != 0;) release(node);
    }
}

void PoolCore::thread_main(Worker& worker) noexcept {
    const bool io = worker.crew == &crews.io;
    const int number = io ? worker.index - options.workers - kMostGuests : worker.index;
    os::set_thread_name(options.name + (io ? "-io-" : "-") + std::to_string(number));
    hook_of = this;
    if (options.on_thread_start) options.on_thread_start(worker.index);
    hook_of = nullptr;
    worker.placement.adopt_calling_thread();
    worker.run_until_stopped();
    hook_of = this;
    if (options.on_thread_stop) options.on_thread_stop(worker.index);
}

bool PoolCore::is_in_hook() const noexcept {
    return hook_of == this;
}

bool PoolCore::is_forked_copy() const noexcept {
    return fork_generation_ != os::fork_generation();
}

bool PoolCore::has_job_on_this_thread() const noexcept {
    for (const Worker* worker = Worker::current(); worker != nullptr; worker = worker->outer_worker) {
        if (&worker->core == this) return true;
    }
    return false;
}

bool PoolCore::runs_on_this_thread() const noexcept {
    if (has_job_on_this_thread()) return true;
    // One of our threads before its first job, or after its last.
    const auto me = std::this_thread::get_id();
    const std::lock_guard lock(threads_mutex_);
    return std::any_of(threads_.begin(), threads_.end(), [&](const std::thread& one) { return one.get_id() == me; });
}

void PoolCore::require_usable() const {
    if (!is_forked_copy()) return;
    throw Error("this pool was made before fork(): its threads do not exist in the child; make a new pool there");
}

void PoolCore::require_open() const {
    if (drain.is_stopping() && !has_job_on_this_thread()) throw_closed();
}

void PoolCore::throw_closed() {
    throw Error("this pool is being destroyed: only its own jobs may still submit");
}

void PoolCore::prepare_lane(Lane lane) {
    if (lane == Lane::background) use_background();
    if (lane != Lane::io || io_started_.load(std::memory_order_acquire)) return;
    if (options.io_threads != 0) return start_io_threads();
    throw Error("this pool has no I/O lane: PoolOptions::io_threads is 0; allowed are 1 to " +
                std::to_string(Pool::kMostIoThreads));
}

Worker* PoolCore::own_worker() const noexcept {
    Worker* const worker = Worker::current();
    return worker != nullptr && &worker->core == this && !worker->guest ? worker : nullptr;
}

bool Worker::count_as_computing() noexcept {
    if (computes) return false;
    computes = true;
    core.crews.add_guest_appetite(-1);
    return true;
}

void Worker::count_as_resting() noexcept {
    computes = false;
    core.crews.add_guest_appetite(1);
}

Worker& PoolCore::enter(GuestComputes computes) {
    Worker* guest = last_guest.guest;
    const auto take = [](Worker& place) {
        bool free = false;
        return place.taken.compare_exchange_strong(free, true, std::memory_order_acquire, std::memory_order_relaxed);
    };
    if (last_guest.pool_serial != serial || !take(*guest)) {
        require_usable();
        guest = nullptr;
        for_each_guest([&](Worker& place) {
            if (guest == nullptr && take(place)) guest = &place;
        });
        if (guest == nullptr) guest = &add_guest();
        last_guest = {serial, guest};
    }
    if (computes == GuestComputes::at_once) guest->count_as_computing();
    guest->lose_patience();
    guest->outer_worker = Worker::current();
    current_context = guest;
    trace_guest(*guest);
    return *guest;
}

Worker& PoolCore::add_guest() {
    const std::lock_guard lock(guests_mutex_);
    const int count = guest_count_.load(std::memory_order_relaxed);
    if (count == kMostGuests) {
        throw Error("too many threads outside the pool take part in it at once; allowed are " +
                    std::to_string(kMostGuests));
    }
    guest_storage_.push_back(std::make_unique<Worker>(*this, options.workers + count, nullptr));
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
    for (const auto& guest : guest_storage_) {
        guest->trace_thread.store(0, std::memory_order_relaxed);  // whoever is there now has not said so
        guest->trace.store(serial_of_trace, std::memory_order_relaxed);
    }
}

void PoolCore::leave(Worker& guest) noexcept {
    if (guest.queues_used) guest.leave_queues_empty();
    if (guest.computes) guest.count_as_resting();
    guest.taken.store(false, std::memory_order_release);
}

PoolStats PoolCore::stats() const {
    PoolStats stats;
    for (const auto& worker : workers) {
        const WorkerStats figures = worker->counters.snapshot();
        (worker->crew == &crews.io ? stats.io : stats.workers).push_back(figures);
        stats.total += figures;
    }
    for_each_guest([&](const Worker& guest) { stats.guests += guest.counters.snapshot(); });
    stats.outside.spawned = submitted_outside_.get();
    stats.outside.completed = ended_outside(JobEnd::completed);
    stats.outside.failed = ended_outside(JobEnd::failed);
    stats.outside.cancelled = ended_outside(JobEnd::cancelled);
    stats.outside.wakes = wakes_outside_.load(std::memory_order_relaxed);
    stats.total += stats.guests;
    stats.total += stats.outside;
    return stats;
}

}  // namespace quarry::impl
