#include "jobs/pool/pool_core.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "jobs/gate/permit_gate.hpp"
#include "jobs/os/os.hpp"
#include "jobs/pool/topology.hpp"
#include "jobs/task/life.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/trace/points.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {
namespace {

std::atomic<std::uint64_t> last_serial{0};

constinit thread_local Guests<Worker>::Last last_guest;

// While a hook runs on a thread of that pool.
[[gnu::tls_model("initial-exec")]] constinit thread_local const PoolCore* hook_of = nullptr;

// So that finding it again shows that the pool's threads exist: no need to look for a fork.
void forget_last_guest_at_fork() noexcept {
    [[maybe_unused]] static const bool registered = (os::around_fork([] {}, [] { last_guest = {}; }), true);
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

}  // namespace

PoolCore::PoolCore(Pool& pool, PoolOptions pool_options)
    : options(checked(std::move(pool_options))),
      serial(++last_serial),
      owner(pool),
      lanes(options.queue_capacity),
      task_home(TaskHome::open(*this, options.on_error)),
      crews(options.reserved_for_frame != 0),
      host(lanes[Lane::host]),
      fork_generation_(os::fork_generation()) {
    forget_last_guest_at_fork();
    loop_chunk_ticks.store(2 * os::ticks_per_microsecond(), std::memory_order_relaxed);
    try {
        make_workers();
        threads_.reserve(workers.size());
        start_threads(static_cast<std::size_t>(options.workers));
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
    lanes.drop_entries();
    for (const auto& worker : workers) worker->drop_entries();
}

void PoolCore::start_threads(std::size_t count) {
    threads_.start_up_to(count, [this](std::size_t i) { thread_main(*workers[i]); });
}

// Everything accepted is run before the threads end, and so is what it submits meanwhile.
void PoolCore::stop_threads() noexcept {
    ledger.drain.stop();
    lanes.wake_all_waiters();
    gates.give_up_jobs();
    look_whether_drained();
    // The calling thread may be in a job of another pool: it hides nothing of that one.
    ledger.drain.wait_until_drained([this] { finish_host_jobs(); }, [] { Worker::hide_nothing(); });
    threads_.join();
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
    return threads_.contain_this_one();  // before its first job, or after its last
}

void PoolCore::require_usable() const {
    if (!is_forked_copy()) return;
    throw Error("this pool was made before fork(): its threads do not exist in the child; make a new pool there");
}

void PoolCore::require_open() const {
    if (ledger.drain.is_stopping() && !has_job_on_this_thread()) throw_closed();
}

void PoolCore::throw_closed() {
    throw Error("this pool is being destroyed: only its own jobs may still submit");
}

void PoolCore::require_host_thread(const char* call) const {
    require_usable();
    host.require_this_thread(call);
}

void PoolCore::prepare_lane(Lane lane) {
    if (lane == Lane::background) lanes.use_background();
    if (lane != Lane::io || io_started_.load(std::memory_order_acquire)) return;
    if (options.io_threads == 0) {
        throw Error("this pool has no I/O lane: PoolOptions::io_threads is 0; allowed are 1 to " +
                    std::to_string(Pool::kMostIoThreads));
    }
    start_threads(workers.size());
    io_started_.store(true, std::memory_order_release);
}

Worker& PoolCore::enter(GuestComputes computes) {
    Worker* guest = Guests<Worker>::try_take_again(last_guest, serial);
    if (guest == nullptr) {
        require_usable();
        guest = &guests.take([this](int number) {
            auto made = std::make_unique<Worker>(*this, options.workers + number, nullptr);
            made->trace.store(trace.load(std::memory_order_relaxed), std::memory_order_relaxed);
            return made;
        });
        last_guest = {serial, guest};
    }
    if (computes == GuestComputes::at_once) guest->count_as_computing();
    guest->lose_patience();
    guest->outer_worker = Worker::current();
    current_context = guest;
    trace_guest(*guest);
    return *guest;
}

void PoolCore::set_trace(std::uint64_t serial_of_trace) noexcept {
    guests.change_all(
        [&](Worker& guest) {
            guest.trace_thread.store(0, std::memory_order_relaxed);  // whoever is there now has not said so
            guest.trace.store(serial_of_trace, std::memory_order_relaxed);
        },
        [&] { trace.store(serial_of_trace, std::memory_order_relaxed); });
    for (const auto& worker : workers) worker->trace.store(serial_of_trace, std::memory_order_relaxed);
}

void PoolCore::leave(Worker& guest) noexcept {
    if (guest.queues_used) guest.leave_queues_empty();
    if (guest.computes) guest.count_as_resting();
    Guests<Worker>::give_back(guest);
}

void PoolCore::count_spawned() noexcept {
    if (Worker* const worker = own_worker()) {
        worker->counters.spawned.add();
    } else {
        ledger.created_outside();
    }
}

bool PoolCore::try_count_continuation() noexcept {
    if (worker_here() == nullptr) return try_count_outside();
    count_spawned();
    return true;
}

bool PoolCore::try_count_outside() noexcept {
    return ledger.try_count_outside([this] { return has_job_on_this_thread(); }, [this] { look_whether_drained(); });
}

void PoolCore::take_count_back() noexcept {
    ledger.take_count_back([this] { look_whether_drained(); });
}

void PoolCore::look_whether_drained() noexcept {
    ledger.look([this](auto visit) { for_each_worker(visit); }, [this] { crews.wake_all(); });
}

std::size_t PoolCore::run_host_jobs(std::size_t most, std::uint64_t budget_ticks) {
    require_host_thread("run_host_jobs");
    if (!host.is_needed()) return 0;
    const Participation participation(*this);
    const std::uint64_t start = os::ticks();
    std::size_t count = 0;
    while (count < most && (count == 0 || os::ticks() - start < budget_ticks)) {
        Node* const node = host.take();
        if (node == nullptr) break;
        participation.worker().run_waited_for(*node, Succession::none);
        ++count;
    }
    return count;
}

// The pool is being destroyed. On another thread than the host's they cannot run any more.
void PoolCore::finish_host_jobs() noexcept {
    // To run them this thread needs a guest's seat, and there may be none.
    const bool some_wait = host.is_needed();
    if (some_wait && host.is_this_thread()) {
        const Participation participation(*this);
        while (Node* const node = host.take()) participation.worker().run_waited_for(*node, Succession::none);
    } else if (some_wait) {
        while (Node* const node = host.take()) {
            end_cancelled(*this, *node);
            release(node);
        }
    }
    look_whether_drained();
}

}  // namespace quarry::impl
