#pragma once

#include <semaphore>

#include "quarry/jobs/pool.hpp"

namespace quarry::terrain::impl {

struct Releaser {
    std::binary_semaphore& semaphore;
    explicit Releaser(std::binary_semaphore& released) : semaphore(released) {}
    Releaser(const Releaser&) = delete;
    Releaser& operator=(const Releaser&) = delete;
    ~Releaser() { semaphore.release(); }
};

// Runs body on a worker of the pool while the calling thread sleeps, so that the work is done by as many threads as the
// pool has workers; in place if this thread takes part in the pool already. A wait for the task would not do: it runs a
// task that has not started.
template <class Body>
void run_on_workers(Pool& pool, Body body) {
    if (Pool::current() == &pool) return body();
    std::binary_semaphore ended(0);
    Task<void> task = pool.submit(
        [&] {
            const Releaser at_the_end{ended};
            body();
        },
        {.lane = Lane::background});
    ended.acquire();
    task.get();
}

}  // namespace quarry::terrain::impl
