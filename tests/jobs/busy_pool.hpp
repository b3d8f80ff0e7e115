#pragma once

#include <atomic>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry::test_support {

// Every worker of the pool is inside a job until release() is called.
class BusyPool {
  public:
    explicit BusyPool(PoolOptions options) : pool(std::move(options)) {
        for (int i = 0; i < pool.worker_count(); ++i) {
            pool.submit([this] {
                ++busy_;
                while (!released_) std::this_thread::yield();
            });
        }
        EXPECT_TRUE(eventually([&] { return busy_ == pool.worker_count(); }));
    }
    BusyPool(const BusyPool&) = delete;
    BusyPool& operator=(const BusyPool&) = delete;
    ~BusyPool() { release(); }
    void release() { released_ = true; }

  private:
    std::atomic<int> busy_{0};
    std::atomic<bool> released_{false};

  public:
    Pool pool;
};

}  // namespace quarry::test_support
