#include "quarry/jobs/worker_local.hpp"

#include "jobs/pool/pool_core.hpp"
#include "jobs/worker/worker.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {

std::size_t thread_index_in(const Pool& pool) {
    const Worker* const worker = pool.core().worker_here();
    if (worker == nullptr) {
        throw Error("WorkerLocal::local() is for jobs of its pool and for threads inside a scope, join or loop of it");
    }
    return static_cast<std::size_t>(worker->index);
}

std::size_t most_threads_in(const Pool& pool) noexcept {
    return pool.core().workers.size() + static_cast<std::size_t>(kMostGuests);
}

}  // namespace quarry::impl
