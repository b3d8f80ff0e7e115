#include "quarry/jobs/pool.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "jobs/pool/pool_core.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/worker/worker.hpp"
#include "quarry/jobs/impl/shared_pool.hpp"

namespace quarry {
namespace {

// Nothing to destroy, see Pool::shared().
struct SharedPool {
    std::atomic<Pool*> pool{nullptr};
    // Its home, which exists when the pool does not any more, and can then not be entered by that number.
    std::atomic<impl::TaskHome*> home{nullptr};
    std::atomic<std::uint32_t> serial{0};
    // A lock that a forked child frees when the thread that held it stayed behind. Not a mutex that a fork waits for,
    // as elsewhere: others are taken while this one is held, so the two could wait for each other.
    std::atomic_flag being_made;
    Pool* of_parent = nullptr;  // in a forked child, until it is given up
};
constinit SharedPool shared_pool;

class MakingSharedPool {
  public:
    MakingSharedPool() noexcept {
        while (shared_pool.being_made.test_and_set(std::memory_order_acquire)) shared_pool.being_made.wait(true);
    }
    MakingSharedPool(const MakingSharedPool&) = delete;
    MakingSharedPool& operator=(const MakingSharedPool&) = delete;
    ~MakingSharedPool() {
        shared_pool.being_made.clear(std::memory_order_release);
        shared_pool.being_made.notify_all();
    }
};

// A child makes its own: it has no other way to mend what the free functions use.
void renew_shared_pool_after_fork() noexcept {
    const auto renew = [] {
        if (Pool* const pool = shared_pool.pool.exchange(nullptr)) shared_pool.of_parent = pool;
        shared_pool.home = nullptr;
        shared_pool.being_made.clear();
    };
    [[maybe_unused]] static const bool registered = (impl::os::after_fork_in_child(renew), true);
}

// In a forked child a pool of the parent is what its threads left halfway, and their handles may by now be those of new
// threads: nothing of it is touched. It stays reachable, so that it is no leak.
void abandon(std::unique_ptr<impl::PoolCore> core) {
    static auto* const abandoned = new std::vector<std::unique_ptr<impl::PoolCore>>;
    static auto* const mutex = new std::mutex;
    const std::lock_guard lock(*mutex);
    abandoned->push_back(std::move(core));
}

void refuse_inside(const impl::PoolCore& core) {
    if (!core.runs_on_this_thread()) return;
    std::fputs("quarry: a pool was destroyed by one of its own jobs, which it would have to wait for\n", stderr);
    std::terminate();
}

}  // namespace

Pool::Pool(PoolOptions options) : core_(std::make_unique<impl::PoolCore>(*this, std::move(options))) {}

Pool::~Pool() {
    if (core_->is_forked_copy()) {
        abandon(std::move(core_));
        return;
    }
    refuse_inside(*core_);
}

int Pool::worker_count() const noexcept {
    return core_->worker_count();
}

PoolStats Pool::stats() const {
    return core_->stats();
}

std::size_t Pool::run_host_jobs(std::size_t most) {
    return core_->run_host_jobs(most, static_cast<std::uint64_t>(-1));
}

std::size_t Pool::run_host_jobs(std::chrono::nanoseconds budget) {
    constexpr std::int64_t kLongest = std::int64_t{1}
                                      << 40;  // 18 minutes; more would overflow as ticks, and is no limit
    const auto nanoseconds = static_cast<std::uint64_t>(std::clamp<std::int64_t>(budget.count(), 0, kLongest));
    const std::uint64_t ticks = nanoseconds * impl::os::ticks_per_microsecond() / 1000;
    return core_->run_host_jobs(static_cast<std::size_t>(-1),
                                budget.count() > kLongest ? static_cast<std::uint64_t>(-1) : ticks);
}

void Pool::adopt_host_thread() noexcept {
    core_->host.adopt_this_thread();
}

void Pool::begin_frame() {
    core_->require_host_thread("begin_frame");
    core_->host.set_in_frame(true);
}

void Pool::end_frame() {
    core_->require_host_thread("end_frame");
    core_->host.set_in_frame(false);
}

Pool& Pool::shared() {
    // Its own jobs stay with it while it is being stopped, as its end waits for them.
    const impl::Worker* const worker = impl::Worker::current();
    if (worker != nullptr && worker->core.is_shared) return worker->core.owner;
    if (Pool* const pool = shared_pool.pool.load(std::memory_order_acquire)) return *pool;
    renew_shared_pool_after_fork();
    const MakingSharedPool making;
    if (Pool* const pool = shared_pool.pool.load(std::memory_order_relaxed)) return *pool;
    delete std::exchange(shared_pool.of_parent, nullptr);
    auto* const made = new Pool;
    made->core_->is_shared = true;
    impl::TaskHome& home = made->core_->task_home;
    home.open_uses();
    shared_pool.serial.store(home.serial(), std::memory_order_relaxed);
    shared_pool.home.store(&home, std::memory_order_release);
    shared_pool.pool.store(made, std::memory_order_release);
    return *made;
}

// Not under the lock: what the pool finishes may call shared() on other threads.
void Pool::stop_shared() {
    Pool* const pool = shared_pool.pool.exchange(nullptr, std::memory_order_acq_rel);
    if (pool == nullptr) return;
    impl::PoolCore& core = pool->core();
    if (!core.is_forked_copy()) {
        refuse_inside(core);
        impl::Worker::hide_nothing();  // the calling thread may be in a job of another pool
        core.task_home.close_uses();
    }
    delete pool;
}

namespace impl {

SharedPoolUse::SharedPoolUse() {
    for (;;) {
        home_ = shared_pool.home.load(std::memory_order_acquire);
        // The number may be that of a pool made meanwhile: then this fails, and the next look finds both.
        if (home_ != nullptr && home_->try_enter_use(shared_pool.serial.load(std::memory_order_relaxed))) return;
        (void)Pool::shared();
    }
}

SharedPoolUse::~SharedPoolUse() {
    home_->leave_use();
}

Pool& SharedPoolUse::pool() const noexcept {
    return home_->core().owner;
}

}  // namespace impl

Pool* Pool::current() noexcept {
    const impl::Worker* const worker = impl::Worker::current();
    return worker == nullptr ? nullptr : &worker->core.owner;
}

int Pool::current_index() noexcept {
    const impl::Worker* const worker = impl::Worker::current();
    return worker == nullptr ? -1 : worker->index;
}

Lane Pool::current_lane() noexcept {
    const impl::Worker* const worker = impl::Worker::current();
    return worker == nullptr ? Lane::frame : worker->job_lane;
}

Priority Pool::current_priority() noexcept {
    const impl::Worker* const worker = impl::Worker::current();
    return worker == nullptr || worker->lineage == nullptr ? Priority::normal : worker->lineage->priority();
}

}  // namespace quarry
