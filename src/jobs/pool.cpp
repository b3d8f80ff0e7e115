#include "quarry/jobs/pool.hpp"

#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "jobs/pool_core.hpp"
#include "jobs/worker.hpp"

namespace quarry {
namespace {

// Never destroyed, see Pool::shared().
struct SharedPool {
    std::mutex mutex;
    std::atomic<Pool*> pool{nullptr};
};

SharedPool& shared_pool() {
    static auto* const shared = new SharedPool;
    return *shared;
}

// In a forked child a pool of the parent is what its threads left halfway, and their handles may by now be those of new
// threads: nothing of it is touched. It stays reachable, so that it is no leak.
void abandon(std::unique_ptr<impl::PoolCore> core) {
    static auto* const abandoned = new std::vector<std::unique_ptr<impl::PoolCore>>;
    static auto* const mutex = new std::mutex;
    const std::lock_guard lock(*mutex);
    abandoned->push_back(std::move(core));
}

}  // namespace

Pool::Pool(PoolOptions options) : core_(std::make_unique<impl::PoolCore>(*this, std::move(options))) {}

Pool::~Pool() {
    if (core_->is_forked_copy()) {
        abandon(std::move(core_));
        return;
    }
    if (!core_->runs_on_this_thread()) return;
    std::fputs("quarry: a pool was destroyed by one of its own jobs, which it would have to wait for\n", stderr);
    std::terminate();
}

int Pool::worker_count() const noexcept {
    return core_->worker_count();
}

PoolStats Pool::stats() const {
    return core_->stats();
}

Pool& Pool::shared() {
    SharedPool& shared = shared_pool();
    if (Pool* const pool = shared.pool.load(std::memory_order_acquire)) return *pool;
    const std::lock_guard lock(shared.mutex);
    if (shared.pool.load(std::memory_order_relaxed) == nullptr) {
        shared.pool.store(new Pool, std::memory_order_release);
    }
    return *shared.pool.load(std::memory_order_relaxed);
}

void Pool::stop_shared() {
    SharedPool& shared = shared_pool();
    const std::lock_guard lock(shared.mutex);
    delete shared.pool.exchange(nullptr, std::memory_order_acq_rel);
}

Pool* Pool::current() noexcept {
    const impl::Worker* const worker = impl::Worker::current();
    return worker == nullptr ? nullptr : &worker->core.owner;
}

int Pool::current_index() noexcept {
    const impl::Worker* const worker = impl::Worker::current();
    return worker == nullptr ? -1 : worker->index;
}

}  // namespace quarry
