#pragma once

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry::test_support {

// Every worker of the pool, and if wished every I/O thread, is inside a job until release() is called: what is
// submitted meanwhile waits.
class BusyPool {
  public:
    enum class Io { left_alone, busy };

    explicit BusyPool(PoolOptions options, Io io = Io::left_alone)
        : io_threads_(io == Io::busy ? options.io_threads : 0), pool(std::move(options)) {
        occupy();
    }
    BusyPool(const BusyPool&) = delete;
    BusyPool& operator=(const BusyPool&) = delete;
    ~BusyPool() { release(); }

    void release() { released_ = true; }
    // Lets all that waits run, host jobs too, and occupies the threads again.
    void run_all_and_occupy_again() {
        release();
        EXPECT_TRUE(eventually([&] {
            pool.run_host_jobs();
            const WorkerStats total = pool.stats().total;
            return total.spawned == total.completed + total.failed + total.cancelled;
        }));
        busy_ = 0;
        released_ = false;
        occupy();
    }

  private:
    // One after the other: a lane's queue may have room for one job only.
    void occupy() {
        for (int i = 0; i < pool.worker_count(); ++i) occupy_one(Lane::frame, i + 1);
        for (int i = 0; i < io_threads_; ++i) occupy_one(Lane::io, pool.worker_count() + i + 1);
    }
    void occupy_one(Lane lane, int expected) {
        pool.submit(
            [this] {
                ++busy_;
                while (!released_) std::this_thread::yield();
            },
            {.lane = lane});
        EXPECT_TRUE(eventually([&] { return busy_ == expected; }));
    }

    std::atomic<int> busy_{0};
    std::atomic<bool> released_{false};
    const int io_threads_;

  public:
    Pool pool;  // the last member: its end waits for the jobs above
};

// What f returns when a thread of the pool runs it. (Task::get alone would run it here.)
template <class F>
auto run_inside(Pool& pool, F f, const SubmitOptions& options = {}) {
    auto task = pool.submit(std::move(f), options);
    EXPECT_TRUE(eventually([&] { return task.ready(); }));
    return task.get();
}

// Which jobs ran, in the order in which they started.
class StartOrder {
  public:
    void note(int job) {
        const std::lock_guard lock(mutex_);
        order_.push_back(job);
    }
    std::vector<int> jobs() const {
        const std::lock_guard lock(mutex_);
        return order_;
    }
    std::size_t size() const { return jobs().size(); }

  private:
    mutable std::mutex mutex_;
    std::vector<int> order_;
};

}  // namespace quarry::test_support
